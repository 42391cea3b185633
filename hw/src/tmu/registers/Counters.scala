// SPDX-License-Identifier: Apache-2.0
package tmu.registers

/** A 64-bit event counter, read as two registers of the snapshot. */
case class Counter(name: String, text: String)

/** Every counter of the unit, in the order of its registers. */
object Counters {
  val clocks = Counter("clocks", "Clocks since reset.")
  val posts = Counter("posts", "Posts answered.")
  val arrivals = Counter("arrivals", "Arrivals answered, stalled attempts included.")
  val probes = Counter("probes", "Probes answered.")
  val claims = Counter("claims", "Claims answered.")
  val cancels = Counter("cancels", "Cancels answered.")
  val flushes = Counter("flushes", "Flushes finished.")
  val inspects = Counter("inspects", "Inspects answered.")
  val postMatched = Counter("post_matched", "Posts that took an unexpected message.")
  val postQueued = Counter("post_queued", "Posts appended to the posted-receive queue.")
  val postRefused = Counter("post_refused", "Posts refused by quota or full table.")
  val arriveMatched = Counter("arrive_matched", "Arrivals that took a posted receive.")
  val arriveQueued = Counter("arrive_queued", "Arrivals appended to the unexpected-message queue.")
  val arriveStalled = Counter("arrive_stalled", "Arrivals held back by quota or full table.")
  val probeFound = Counter("probe_found", "Probes that found a message.")
  val claimMatched = Counter("claim_matched", "Claims that took a message.")
  val cancelled = Counter("cancelled", "Cancels that removed a receive.")
  val cancelLate = Counter("cancel_late", "Cancels that came too late.")
  val removedPosted = Counter("removed_posted", "Receives removed by flushes.")
  val removedUnexpected = Counter("removed_unexpected", "Messages removed by flushes.")
  val truncated = Counter("truncated", "Matches whose message is longer than the receive.")
  val refusedEndpoint = Counter("refused_endpoint", "Commands for an endpoint that is not there.")
  val refusedPrivilege = Counter("refused_privilege", "Commands that need the privileged page.")
  val malformed = Counter("malformed", "Malformed commands.")
  val postedVisited =
    Counter("posted_visited", "Receives compared: for each search, all that are queued.")
  val unexpectedVisited =
    Counter("unexpected_visited", "Messages compared: for each search, all that are queued.")
  val filterPasses = Counter("filter_passes", "Memory rows of filter ids compared.")
  val filterCandidates = Counter("filter_candidates", "Filter hits that were verified.")
  val filterFalse = Counter("filter_false", "Filter hits that the whole key did not confirm.")
  val lifted = Counter("lifted", "Entries moved from memory rows into the arrays.")
  val longClocks =
    Counter("long_clocks", "Clocks in which a queue was longer than its array.")
  val postedDepthMax =
    Counter("posted_depth_max", "Most receives queued at once, all endpoints together.")
  val unexpectedDepthMax =
    Counter("unexpected_depth_max", "Most messages queued at once, all endpoints together.")
  val busyClocks = Counter("busy_clocks", "Clocks in which the matching unit worked.")
  val commandStallClocks =
    Counter("command_stall_clocks", "Clocks in which a command waited for the matching unit.")
  val completionStallClocks =
    Counter(
      "completion_stall_clocks",
      "Clocks in which completions waited, for room in a ring or for memory, and none was written."
    )
  val firstAccept = Counter("first_accept", "Clock at which the unit accepted its first command.")
  val lastVerdict = Counter("last_verdict", "Clock at which the unit gave its last verdict.")
  val doorbellErrors =
    Counter(
      "doorbell_errors",
      "Beats of reads and writes of doorbell pages with an illegal size, burst or address; dropped."
    )
  val disabledDrops =
    Counter("disabled_drops", "Commands dropped because their page was not enabled when they came.")
  val completionErrors =
    Counter("completion_errors", "Completion writes that memory answered with an error.")
  val ringOverruns = Counter(
    "ring_overruns",
    "Pages disabled because their ring stayed full longer than RING_PATIENCE."
  )
  val queueOverruns = Counter(
    "queue_overruns",
    "Commands dropped because their page's share of the command slots was full."
  )
  val spillDeferred =
    Counter("spill_deferred", "Commands that had to look into a queue's part in memory.")
  val spillAppended = Counter("spill_appended", "Entries appended to a queue in memory.")
  val spillTaken = Counter("spill_taken", "Entries that a command took from memory.")
  val spillRefilled = Counter("spill_refilled", "Entries moved from memory to the tables on chip.")
  val spillFalse =
    Counter("spill_false", "Entries that were read from memory and were not what was sought.")
  val spillReads = Counter("spill_reads", "Beats of 64 bytes that were read from spill memory.")
  val spillWrites = Counter("spill_writes", "Beats of 64 bytes that were written to spill memory.")
  val spillRefused =
    Counter("spill_refused", "Commands that were refused because all spill memory was in use.")
  val spillErrors = Counter("spill_errors", "Spill reads and writes that failed.")
  val tableFaults = Counter(
    "table_faults",
    "Answers that were kept back because a stored word had lost a bit."
  )
  val registerErrors = Counter("register_errors", "Register accesses answered with an error.")
  val commands = Counter("commands", "Commands of the pages that the matching unit took.")
  val completions =
    Counter("completions", "Completions that were written, with those that flushes report.")
  val spillReadStallClocks = Counter(
    "spill_read_stall_clocks",
    "Clocks in which reads of spill memory were under way and no beat came."
  )
  val spillWriteStallClocks = Counter(
    "spill_write_stall_clocks",
    "Clocks in which writes waited for spill memory to take them and it took no beat."
  )

  /** Counters that were added since the streams', which keep their registers in front of them. */
  private lazy val added: Seq[Counter] = Nil

  /** In the order of their registers: new ones are appended to `added`, so that no other moves. */
  lazy val all: Seq[Counter] = Seq(
    clocks,
    posts,
    arrivals,
    probes,
    claims,
    cancels,
    flushes,
    inspects,
    postMatched,
    postQueued,
    postRefused,
    arriveMatched,
    arriveQueued,
    arriveStalled,
    probeFound,
    claimMatched,
    cancelled,
    cancelLate,
    removedPosted,
    removedUnexpected,
    truncated,
    refusedEndpoint,
    refusedPrivilege,
    malformed,
    postedVisited,
    unexpectedVisited,
    filterPasses,
    filterCandidates,
    filterFalse,
    lifted,
    longClocks,
    postedDepthMax,
    unexpectedDepthMax,
    busyClocks,
    commandStallClocks,
    completionStallClocks,
    firstAccept,
    lastVerdict,
    doorbellErrors,
    disabledDrops,
    completionErrors,
    registerErrors,
    ringOverruns,
    queueOverruns,
    spillDeferred,
    spillAppended,
    spillTaken,
    spillRefilled,
    spillFalse,
    spillReads,
    spillWrites,
    spillRefused,
    spillErrors,
    tableFaults,
    commands,
    completions,
    spillReadStallClocks,
    spillWriteStallClocks
  ) ++ Streams.all.flatMap(_.idle) ++ added

  /** Clocks that a snapshot takes at most: the rest of a round and a whole one, which see to one
    * counter a clock, and the path in and out.
    */
  lazy val snapshotClocks: Int = 2 * all.size + 4
}
