// SPDX-License-Identifier: Apache-2.0
package tmu.registers

import org.scalatest.funspec.AnyFunSpec
import scala.util.Try

class CountersSpec extends AnyFunSpec {
  describe("Counters") {
    it("are all listed: each that the object declares has its registers") {
      val declared = Counters.getClass.getMethods
        .filter(m => m.getReturnType == classOf[Counter] && m.getParameterCount == 0)
        .flatMap(m => Try(m.invoke(Counters).asInstanceOf[Counter]).toOption)
        .toSet
      assert(declared ++ Streams.all.flatMap(_.idle) == Counters.all.toSet)
    }

    it("have names of their own that are words of C and Python") {
      assert(Counters.all.map(_.name).distinct == Counters.all.map(_.name))
      Counters.all.foreach(c => assert(c.name.matches("[a-z][a-z0-9_]*"), c.name))
    }

    it("say in a sentence what they count") {
      Counters.all.foreach(c => assert(c.text.endsWith("."), c.name))
    }

    it("belong to one stream at most, which has one for each kind of clock and of idle run") {
      val mine = Streams.all.flatMap(s => Seq(s.active, s.stalled) ++ s.idle)
      assert(mine.distinct == mine && mine.toSet.subsetOf(Counters.all.toSet))
      Streams.all.foreach(s => assert(s.idle.size == Streams.idleFrom.size, s.name))
    }
  }
}
