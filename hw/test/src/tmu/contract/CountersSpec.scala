// SPDX-License-Identifier: Apache-2.0
package tmu.contract

import org.scalatest.funspec.AnyFunSpec
import scala.util.Try

class CountersSpec extends AnyFunSpec {
  describe("Counters") {
    it("are all listed: each that the object declares has its registers") {
      val declared = Counters.getClass.getMethods
        .filter(m => m.getReturnType == classOf[Counter] && m.getParameterCount == 0)
        .flatMap(m => Try(m.invoke(Counters).asInstanceOf[Counter]).toOption)
        .toSet
      assert(declared == Counters.all.toSet)
    }

    it("have names of their own that are words of C and Python") {
      assert(Counters.all.map(_.name).distinct == Counters.all.map(_.name))
      Counters.all.foreach(c => assert(c.name.matches("[a-z][a-z_]*"), c.name))
    }

    it("say in a sentence what they count") {
      Counters.all.foreach(c => assert(c.text.endsWith("."), c.name))
    }
  }
}
