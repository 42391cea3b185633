// SPDX-License-Identifier: Apache-2.0
package tmu

import java.nio.file.{Files, Path}
import org.scalatest.funspec.AnyFunSpec
import scala.jdk.CollectionConverters.IteratorHasAsScala

class VerilogSpec extends AnyFunSpec {
  private def written(): Map[String, String] = {
    val folder = Files.createTempDirectory("tmu-verilog")
    Elaborate.main(Array("verilog", "formal", folder.toString))
    def text(file: Path) = folder.relativize(file).toString -> Files.readString(file)
    Files.walk(folder).iterator.asScala.filter(Files.isRegularFile(_)).map(text).toMap
  }
  private lazy val files = written()

  describe("Verilog") {
    it("lists every module's file, the top's among them") {
      val listed = files("filelist.f").linesIterator.toSet
      assert(listed("TmuTop.sv"))
      assert(listed("MatchArrayPosted.sv") && listed("MatchArrayUnexpected.sv"))
      listed.foreach(file => assert(files.contains(file), file))
    }

    it("keeps the assertions in bind files beside them, citing their rules") {
      val bound = files.filter { case (name, _) => name.contains("Verification") }
      assert(bound.values.exists(_.contains("took an entry in without a hole")))
      assert(!files("MatchArrayPosted.sv").contains("R11"))
    }

    it("has the bus names that integrators look for, flat at the top") {
      for (port <- Seq("s_axil_awvalid", "s_axi_wdata", "m_axi_awaddr", "m_axi_bready"))
        assert(files("TmuTop.sv").contains(port), port)
    }

    it("is the same text each time") {
      assert(written() == files)
    }
  }
}
