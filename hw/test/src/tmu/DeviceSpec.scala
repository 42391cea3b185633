// SPDX-License-Identifier: Apache-2.0
package tmu

import chisel3.simulator.scalatest.ChiselSim
import chisel3.{Bool, Module, UInt}
import java.util.concurrent.LinkedBlockingQueue
import org.scalatest.BeforeAndAfterAll
import org.scalatest.exceptions.TestFailedException
import org.scalatest.funspec.AnyFunSpec
import scala.collection.mutable
import scala.concurrent.duration.{Duration, DurationInt}
import scala.concurrent.{Await, Promise}
import scala.util.{Failure, Success, Try}

/** A spec whose tests share compiled devices: compiling takes seconds, a test milliseconds.
  *
  * Each test gets the device just after reset; memories keep what the test before left in them. A
  * test that stops the simulator (a failed hardware assertion) fails alone: the next one gets a new
  * simulator.
  */
abstract class DeviceSpec extends AnyFunSpec with ChiselSim with BeforeAndAfterAll {
  private val devices = mutable.Buffer[Device[_]]()

  /** Compiles on first use. */
  protected def device[T <: Module](make: => T): Device[T] = {
    val result = new Device(() => make)
    devices += result
    result
  }

  override protected def afterAll(): Unit = {
    devices.foreach(_.close())
    super.afterAll()
  }

  protected class Device[T <: Module](make: () => T) {
    private case class Job(body: T => Unit, done: Promise[Unit])
    private val limit: Duration = 5.minutes
    private var live: Option[LinkedBlockingQueue[Option[Job]]] = None

    // The simulator belongs to one thread, which takes the tests' bodies one after another.
    private def start(): LinkedBlockingQueue[Option[Job]] = {
      val jobs = new LinkedBlockingQueue[Option[Job]]
      var running: Option[Job] = None
      val thread = new Thread(() => {
        val outcome = Try(simulate(make()) { dut =>
          Iterator.continually(jobs.take()).takeWhile(_.isDefined).flatten.foreach { job =>
            running = Some(job)
            val result = Try {
              dut.reset.poke(true)
              dut.clock.step()
              dut.reset.poke(false)
              job.body(dut)
              // One more clock, seen to its end, so that an assertion fails this test and no later.
              dut.clock.step()
              dut.reset.peekValue()
              ()
            }
            result match {
              case Failure(_: TestFailedException) | Success(_) => job.done.tryComplete(result)
              // The simulator stopped: leaving it tells why.
              case Failure(error) => throw error
            }
          }
        })
        outcome.failed.foreach { error =>
          live = None
          Option(jobs.poll()).flatten.orElse(running).foreach(_.done.tryComplete(Failure(error)))
        }
      })
      thread.setDaemon(true)
      thread.start()
      jobs
    }

    /** Runs a test's body on the device, from reset. */
    def run(body: T => Unit): Unit = synchronized {
      val job = Job(body, Promise[Unit]())
      val jobs = live.getOrElse(start())
      live = Some(jobs)
      jobs.put(Some(job))
      Await.result(job.done.future, limit)
    }

    def close(): Unit = live.foreach(_.put(None))
  }

  /** Reading ports as plain values. */
  protected implicit class Readable(data: UInt) {
    def value: BigInt = data.peekValue().asBigInt
  }
  protected implicit class ReadableBool(data: Bool) {
    def isOn: Boolean = data.peekValue().asBigInt != 0
  }

  /** Steps until the condition holds; the number of clocks. */
  protected def waitFor(dut: Module, what: String, limit: Int = 1000)(until: => Boolean): Int = {
    var clocks = 0
    while (!until) {
      assert(clocks < limit, s"$what did not happen within $limit clocks")
      dut.clock.step()
      clocks += 1
    }
    clocks
  }
}
