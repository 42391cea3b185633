// SPDX-License-Identifier: Apache-2.0
import mill._
import mill.scalalib._
import mill.scalalib.scalafmt._

val scalaPin = "2.13.16"
val chiselPin = "7.14.0"
val firtoolPin = "1.155.0"
val scalatestPin = "3.2.19"

object hw extends ScalaModule with ScalafmtModule {
  def scalaVersion = scalaPin
  def scalacOptions =
    Seq(
      "-deprecation",
      "-feature",
      "-unchecked",
      "-Xlint",
      "-Werror",
      "-Ymacro-annotations",
      "-language:reflectiveCalls"
    )
  def ivyDeps = Agg(
    mvn"org.chipsalliance::chisel:$chiselPin",
    mvn"org.chipsalliance:llvm-firtool:$firtoolPin"
  )
  def scalacPluginIvyDeps = Agg(mvn"org.chipsalliance:::chisel-plugin:$chiselPin")

  object test extends ScalaTests with TestModule.ScalaTest with ScalafmtModule {
    // For Verilator's makefiles of the small devices of the specs, after what build/bin/mill has
    // for all: compiling is most of their time.
    def forkEnv = Map(
      "MAKEFLAGS" -> s"${sys.env.getOrElse("MAKEFLAGS", "")} OPT_FAST=-O0 OPT_GLOBAL=-O0"
    )
    def ivyDeps = Agg(mvn"org.scalatest::scalatest:$scalatestPin")
  }
}
