// Runs that begin and fail: the exit code says how, the message who, where and what to do, and all rows are kept.

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "command.hpp"

namespace koppla::test::failure_test {
namespace {

struct Failure {
  std::string name;
  std::string project;
  std::vector<std::string> settings;  ///< for --set
  int exitCode;
  std::string outcome;
  std::vector<std::string> says;
  int rows;  ///< that are kept; -1: the run failed before its first one
};

void PrintTo(const Failure& failure, std::ostream* out) {
  *out << failure.name;
}

/// A source that feeds an FMU which fails as it is told.
std::string failing(const std::string& more = {}) {
  return "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n" + subsystem("source", "Gain") +
         subsystem("bad", "Failing") + connection("source.y", "bad.u") + more;
}

Failure inCall(const std::string& call, const std::string& at, std::vector<std::string> says, int rows) {
  return {call, failing(), {"bad.call=" + call, "bad.at=" + at}, 3, "subsystem failed", std::move(says), rows};
}

class FailureTest : public ::testing::TestWithParam<Failure> {};

TEST_P(FailureTest, EndsTheRunInWordsAndKeepsTheRows) {
  const Failure& failure = GetParam();
  Workspace workspace;
  // FMI forbids every call after a fatal one, so the instance cannot be freed.
  if (failure.name == "FatalFmu") workspace.setVariable("ASAN_OPTIONS", "detect_leaks=0");
  workspace.write("p.toml", failure.project);
  std::vector<std::string> arguments{"run", "p.toml", "--quiet"};
  for (const std::string& setting : failure.settings) arguments.insert(arguments.end(), {"--set", setting});
  const Result result = workspace.run(arguments);

  EXPECT_EQ(result.exitCode, failure.exitCode) << result.all();
  for (const std::string& part : failure.says)
    EXPECT_NE(result.err.find(part), std::string::npos) << "missing: " << part << "\nin: " << result.err;
  EXPECT_EQ(result.err.find("bug in Koppla"), std::string::npos) << result.err;
  EXPECT_EQ(workspace.leftovers(), std::vector<std::string>{});

  const auto statistics = nlohmann::json::parse(workspace.read("p.run/statistics.json"));
  EXPECT_EQ(statistics["outcome"], failure.outcome);
  EXPECT_NE(result.err.find(statistics["message"].get<std::string>()), std::string::npos) << statistics["message"];
  EXPECT_NE(workspace.read("p.run/run.log").find(statistics["message"].get<std::string>()), std::string::npos);
  EXPECT_FALSE(workspace.has("p.run/results.csv"));
  EXPECT_EQ(statistics["output"]["count"], std::max(0, failure.rows));
  if (failure.rows < 0)
    EXPECT_FALSE(workspace.has("p.run/results.partial.csv"));
  else
    EXPECT_EQ(workspace.rows("p.run/results.partial.csv").size(), static_cast<std::size_t>(failure.rows));
  const bool toldOfRows = result.err.find("p.run/results.partial.csv") != std::string::npos;
  EXPECT_EQ(toldOfRows, failure.rows > 0) << result.err;
}

std::string nameOf(const ::testing::TestParamInfo<Failure>& info) {
  return info.param.name;
}

const std::string kAtHalf = "The subsystem 'bad' failed at 0.5 s: ";
const std::string kCheckStart = "Check its parameters and start values.";

INSTANTIATE_TEST_SUITE_P(
    OfFmuIn, FailureTest,
    ::testing::Values(
        inCall("setupExperiment", "0",
               {"bad: fmi2SetupExperiment(start = 0 s, stop = 1 s) returned fmi2Error.",
                "The FMU said: 'Told to fail in setupExperiment at t = 0 with status error.'", kCheckStart},
               -1),
        inCall("enterInitializationMode", "0",
               {"bad: fmi2EnterInitializationMode returned fmi2Error. The FMU said: 'Told to fail", kCheckStart}, -1),
        inCall("exitInitializationMode", "0",
               {"bad: fmi2ExitInitializationMode returned fmi2Error. The FMU said: 'Told to fail", kCheckStart}, -1),
        inCall("setReal", "0.45", {kAtHalf, "fmi2SetReal(t = 0.5 s) returned fmi2Error.", "check its parameters"}, 6),
        Failure{"doStepAtOnce",
                failing(),
                {"bad.call=doStep", "bad.at=0"},
                3,
                "subsystem failed",
                {"The subsystem 'bad' failed at 0 s: ", "Recorded until then (1 row): p.run/results.partial.csv"},
                1},
        inCall("doStep", "0.45", {kAtHalf, "fmi2DoStep(t = 0.5 s", "'Told to fail in doStep at t = 0.5"}, 6),
        inCall("getReal", "0.45", {"bad: fmi2GetReal returned fmi2Error.", "at 0.5 s", "check its inputs"}, 5)),
    nameOf);

INSTANTIATE_TEST_SUITE_P(
    Of, FailureTest,
    ::testing::Values(Failure{"FatalFmu",
                              failing(),
                              {"bad.call=doStep", "bad.status=fatal", "bad.at=0.45"},
                              3,
                              "subsystem failed",
                              {kAtHalf, "returned fmi2Fatal."},
                              6},
                      Failure{"FmuThatCannotSave",
                              failing("[algorithm]\nkind = \"gauss-seidel\"\n"),
                              {"bad.call=getFMUstate", "bad.at=0.45", "simulation.on_discard=shorten"},
                              3,
                              "subsystem failed",
                              {kAtHalf, "fmi2GetFMUstate returned fmi2Error."},
                              6},
                      Failure{"FmuThatDiscards",
                              "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n" + subsystem("d", "Discarding"),
                              {},
                              3,
                              "subsystem failed",
                              {"The subsystem 'd' discarded the step that began at 0.5 s and reached 0.55 s",
                               "Shorten simulation.step, or set simulation.on_discard = \"shorten\""},
                              6},
                      Failure{"ValueThatIsNoNumber",
                              failing(),
                              {"bad.status=\"nan\"", "bad.at=0.45"},
                              5,
                              "not finite",
                              {"'bad.y' is not finite", "at 0.5 s", "look at its inputs"},
                              5},
                      Failure{"ValueThatIsNoNumberAtTheStart",
                              failing(),
                              {"bad.status=\"nan\""},
                              5,
                              "not finite",
                              {"'bad.y' is not finite", "at 0 s"},
                              0},
                      Failure{"CoupledValueThatIsNoNumber",
                              failing(subsystem("sink", "Gain") + connection("bad.y", "sink.u")),
                              {"bad.status=\"nan\"", "bad.at=0.45"},
                              5,
                              "not finite",
                              {"'bad.y' is not finite (nan)", "Shorten the step"},
                              5},
                      Failure{"ExplodingValue",
                              failing(),
                              {"bad.status=explode", "bad.at=0.45", "simulation.explosion_limit=1e3"},
                              5,
                              "exploded",
                              {"'bad.y'", "beyond the explosion limit at 0.9 s", "Shorten the step"},
                              9},
                      Failure{"CoupledExplodingValue",
                              failing(subsystem("sink", "Gain") + connection("bad.y", "sink.u")),
                              {"bad.status=explode", "bad.at=0.45", "simulation.explosion_limit=1e3"},
                              5,
                              "exploded",
                              {"'bad.y' exploded to 9999 (simulation.explosion_limit is 1000)", "Shorten the step"},
                              9},
                      Failure{"IterationThatAlternates",
                              math003("[algorithm]\nkind = \"iterated-gauss-seidel\"\n"),
                              {},
                              4,
                              "not converged",
                              {"The step from 1.3 s to 1.4 s of the cycle part2, part3 did not converge",
                               "algorithm.without_convergence = \"accept\""},
                              14},
                      Failure{"LoopWithoutSolution",
                              project(subsystem("b", "Gain") + connection("a.y", "b.u") + connection("b.y", "a.u")),
                              {"a.b=1.0"},
                              4,
                              "not converged",
                              {"The algebraic loop a.y, b.y could not be solved at the start, 0 s",
                               "or check that it has one"},
                              -1}),
    nameOf);

TEST(Failures, InTerminateAreAWarningOnly) {
  const Workspace workspace;
  workspace.write("p.toml", failing());
  const Result result = workspace.run({"run", "p.toml", "--quiet", "--set", "bad.call=terminate"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_NE(result.err.find("warning: bad: fmi2Terminate returned fmi2Error."), std::string::npos) << result.err;
  EXPECT_EQ(workspace.rows("p.run/results.csv").size(), 11U);
}

TEST(Failures, WarningsOfAnFmuAreToldAndTheRunGoesOn) {
  const Workspace workspace;
  workspace.write("p.toml", failing());
  const Result result = workspace.run(
      {"run", "p.toml", "--quiet", "--set", "bad.call=doStep", "--set", "bad.status=warning", "--set", "bad.at=0.45"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_NE(result.err.find("warning: bad: 5 calls returned fmi2Warning."), std::string::npos) << result.err;
  EXPECT_EQ(workspace.rows("p.run/results.csv").size(), 11U);
}

/// 'bad' fails where its input is not 0, which it is in this loop; only the search for its growth tries others.
TEST(FailureInATrial, DoesNotEndARunThatDoesNotMeetIt) {
  const Workspace workspace;
  workspace.write("p.toml", "format = 1\nsimulation = { end = 1.0, step = 0.1, initialisation = \"start-values\" }\n" +
                                subsystem("bad", "Failing", "call = \"getReal\", above = 1e-12") +
                                subsystem("b", "Gain") + connection("bad.y", "b.u") + connection("b.y", "bad.u"));
  const Result result = workspace.run({"run", "p.toml", "--quiet"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_NE(result.err.find("round bad.y, b.y is not known: in a trial 'bad' failed: fmi2GetReal"), std::string::npos)
      << result.err;
  EXPECT_EQ(workspace.rows("p.run/results.csv").size(), 11U);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which take up more than any limit
TEST(Memory, ThatIsTooSmallIsNoBug) {
  const Workspace workspace;
  workspace.write("p.toml",
                  "format = 1\nsimulation = { end = 1.0, step = 0.5 }\n[[subsystems]]\nname = \"s\"\n"
                  "program = \"true\"\noutputs.T = { file = \"out.txt\", size = 100000000 }\n");
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  const rlimit limit{rlim_t{700} << 20U, before.rlim_max};
  ::setrlimit(RLIMIT_AS, &limit);
  const Result result = workspace.run({"check", "p.toml"});
  ::setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(result.exitCode, 2) << result.all();
  EXPECT_NE(result.err.find("There is not enough memory. Record or read fewer variables"), std::string::npos)
      << result.err;
}
#endif

}  // namespace
}  // namespace koppla::test::failure_test
