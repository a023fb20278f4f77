// FMUs that another subsystem's integrator calls as functions, by the command: which ones are refused, and what is said
// of one that fails.

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bad_input.hpp"
#include "fmu_forge.hpp"
#include "support/matches.hpp"

namespace koppla::test {

namespace {

/// A body that flies freely but for the spring's y = k u, which is small; x = 100 t. Lines of the spring begin at 10.
std::string bodyWith(const std::string& spring, const std::string& lines) {
  return "format = 1\nsimulation = { end = 0.01 }\nalgorithm = { kind = \"master-slave\" }\n"
         "[[subsystems]]\nname = \"body\"\nmodel = \"nonlinear-oscillator\"\nintegrator = \"bdf\"\nmicro_step = 1e-4\n"
         "parameters = { c = 0, d = 0, x0 = 0, v0 = 100 }\n" +
         subsystem("spring", spring) + "inside = \"body\"\n" + lines + connection("body.x", "spring.u") +
         connection("spring.y", "body.f");
}

const std::string kRefusedInside = "project.toml:13:10: 'spring' cannot be solved by the integrator of 'body': ";
const std::string kRemedyInside = "Static FMUs can be inside; couple this one by another algorithm.";

}  // namespace

std::vector<BadInput> insideCases() {
  BadInput states =
      badProject("DeclaredStates", bodyWith("bad.fmu", ""),
                 {kRefusedInside + "its FMU has continuous states (1) and a solver of its own", kRemedyInside});
  states.prepare = [](const Workspace& workspace) {
    const std::string derivatives = "</Outputs><Derivatives><Unknown index=\"2\"/></Derivatives>";
    writeGain(workspace.path("bad.fmu"), gainDescriptionWith("</Outputs>", derivatives), gainLibrary());
  };
  return {
      std::move(states),
      badProject("UndeclaredStates", bodyWith("FirstOrderLag", ""),
                 {kRefusedInside + "its output 'y' depends on none of its inputs at the same instant", kRemedyInside}),
      badProject("MicroSteps", bodyWith("Gain", "micro_step = 1e-5\n"),
                 {kRefusedInside + "a static subsystem takes no steps.", "Remove micro_step."}),
      badLines(
          "InAnFmu",
          "[[subsystems]]\nname = \"spring\"\nfmu = \"fmus/Gain.fmu\"\ninside = \"a\"\n" +
              connection("a.y", "spring.u"),
          {"project.toml:6:8: 'a' has no equations that Koppla could integrate", "Name a native model with states"}),
  };
}

namespace {

struct Failing {
  Result result;
  nlohmann::json statistics;
  std::size_t rows;
};

Failing runFailing(const std::string& coupling, const std::string& parameters) {
  Workspace workspace;
  // FMI forbids every call after a fatal one, so instances cannot be freed.
  workspace.setVariable("ASAN_OPTIONS", "detect_leaks=0");
  workspace.write("p.toml",
                  bodyWith("Failing", "static_coupling = \"" + coupling + "\"\nparameters = { " + parameters + " }\n"));
  const Result result = workspace.run({"run", "p.toml", "--quiet"});
  EXPECT_EQ(result.exitCode, 3) << result.all();
  EXPECT_EQ(workspace.leftovers(), std::vector<std::string>{});
  const bool partial = workspace.has("p.run/results.partial.csv");
  return {result, nlohmann::json::parse(workspace.read("p.run/statistics.json")),
          partial ? workspace.rows("p.run/results.partial.csv").size() : 0U};
}

/// The message must blame inputs at which the FMU was told to fail, not those of a later attempt with a shorter step.
void expectBlame(const Failing& failing, const std::string& what) {
  const std::string number = "([-+.e0-9]+)";
  const std::string message = failing.statistics["message"];
  const auto found = test::matches(message, "'spring' " + what + " at t = " + number + " s with u = " + number);
  ASSERT_FALSE(found.empty()) << message;
  const double t = std::stod(found[0][1]);
  const double u = std::stod(found[0][2]);
  EXPECT_GE(u, 0.5) << message;
  EXPECT_NEAR(u, 100.0 * std::sinh(t), 1e-4) << message;  // x'' = x
  EXPECT_EQ(failing.statistics["outcome"], "subsystem failed");
  EXPECT_LE(failing.statistics["reached"].get<double>(), std::asinh(0.005) + 1e-6);
  EXPECT_GT(failing.rows, 10U);
}

TEST(StaticFmuThatFails, IsNamedWithTimeAndInputs) {
  for (const std::string coupling : {"full", "last-corrector", "predictor"})
    for (const std::string status : {"error", "fatal"}) {
      SCOPED_TRACE(coupling + " " + status);
      const Failing failing = runFailing(coupling, "call = \"getReal\", above = 0.5, status = \"" + status + "\"");
      expectBlame(failing, "failed");
      for (const char* part : {"fmi2GetReal(t = ", "The FMU said: 'Told to fail in getReal", "results.partial.csv"})
        EXPECT_NE(failing.result.err.find(part), std::string::npos) << failing.result.err;
    }
}

TEST(StaticFmuThatFails, IsNamedForValuesThatAreNoNumbers) {
  for (const std::string coupling : {"full", "last-corrector", "predictor"}) {
    SCOPED_TRACE(coupling);
    expectBlame(runFailing(coupling, "status = \"nan\", above = 0.5"), "gave a value that is not a finite number");
  }
}

TEST(StaticFmuThatFails, IsNamedAtTheStart) {
  const Failing failing = runFailing("predictor", "call = \"getReal\"");
  EXPECT_NE(failing.result.err.find("'spring' failed at t = 0 s with u = 0: fmi2GetReal"), std::string::npos)
      << failing.result.err;
  EXPECT_EQ(failing.rows, 0U);
}

/// At x = 0 its output is right by chance, and a body that it leaves alone would hardly tell.
TEST(StaticFmu, ThatComputesItsOutputsInStepsIsNamedAtTheStart) {
  const Workspace workspace;
  writeGain(workspace.path("late.fmu"), gainDescription(),
            core::readWhole(std::filesystem::path(KOPPLA_HOSTILE_DIR) / "stepping_gain.so"));
  for (const std::string integrator : {"bdf", "ode4"}) {
    workspace.write("p.toml", bodyWith("late.fmu", ""));
    const Result result =
        workspace.run({"run", "p.toml", "--overwrite", "--quiet", "--set", "body.integrator=" + integrator});
    EXPECT_EQ(result.exitCode, 3) << integrator << result.all();
    EXPECT_NE(result.err.find("'spring' cannot be solved inside an integrator: in initialisation mode"),
              std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find("y did not answer to a change of u = 0, and took other values"), std::string::npos)
        << result.err;
  }
}

TEST(StaticFmu, PassesTheCheck) {
  const Workspace workspace;
  workspace.write("p.toml", bodyWith("Gain", "static_coupling = \"predictor\"\n"));
  const Result result = workspace.run({"check", "p.toml"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("no mistakes. 2 subsystems, 2 connections."), std::string::npos) << result.out;
}

}  // namespace
}  // namespace koppla::test
