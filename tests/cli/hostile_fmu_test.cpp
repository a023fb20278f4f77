// FMUs that behave as if the process were their own: they end it, crash, throw, or change what all share.

#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "fmu_forge.hpp"

namespace koppla::test::hostile_fmu_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDescription = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Hostile" guid="{hostile}">
  <CoSimulation modelIdentifier="hostile_stub" canHandleVariableCommunicationStepSize="true"/>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="1" causality="output"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="2"/></Outputs></ModelStructure>
</fmiModelDescription>
)";

/// A run of ten steps, the hostile FMU first, with a Gain behind it.
class HostileFmuTest : public ::testing::Test {
 protected:
  HostileFmuTest() {
    // Sanitizers have handlers of their own, and see memory that a killed process leaves.
    workspace_.setVariable(
        "ASAN_OPTIONS", "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0");
    workspace_.setVariable("TSAN_OPTIONS",
                           "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0");
    writeZip(workspace_.path("Hostile.fmu"),
             {{"modelDescription.xml", kDescription},
              {"binaries/linux64/hostile_stub.so", core::readWhole(KOPPLA_HOSTILE_DIR "/hostile_stub.so")}});
  }

  void write(const std::string& instance, const std::string& more = {}) const {
    workspace_.write(
        "p.toml", "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n" + subsystem(instance, "Hostile.fmu") + more);
  }
  [[nodiscard]] Result run(const std::string& instance, const std::string& more = {}) const {
    write(instance, more);
    return workspace_.run({"run", "p.toml", "--quiet"});
  }
  void expectNothingCompleted() const {
    EXPECT_FALSE(workspace_.has("p.run/results.csv"));
    EXPECT_EQ(workspace_.rows("p.run/results.partial.csv").size(), 6U);  // 0, 0.1, ..., 0.5 s
  }

  Workspace workspace_;
};

struct Ending {
  std::string instance;
  std::string words;
};

void PrintTo(const Ending& ending, std::ostream* out) {
  *out << ending.instance;
}

std::string nameOf(const ::testing::TestParamInfo<Ending>& info) {
  std::string name;
  for (const char c : info.param.instance)
    if (c != '_') name += c;
  return name;
}

class EndingTest : public HostileFmuTest, public ::testing::WithParamInterface<Ending> {};

TEST_P(EndingTest, IsAFailureOfTheSubsystemWithAllRows) {
  const Ending& ending = GetParam();
  const Result result = run(ending.instance);
  EXPECT_EQ(result.exitCode, 3) << result.all();
  const std::string words = "The subsystem '" + ending.instance + "' " + ending.words;
  EXPECT_THAT(result.err, HasSubstr(words));
  EXPECT_THAT(result.err, HasSubstr("p.run/results.partial.csv"));
  EXPECT_THAT(result.err, Not(HasSubstr("bug in Koppla")));
  EXPECT_THAT(workspace_.read("p.run/run.log"), HasSubstr(words));
  const auto statistics = nlohmann::json::parse(workspace_.read("p.run/statistics.json"));
  EXPECT_EQ(statistics["outcome"], "subsystem failed");
  EXPECT_FALSE(workspace_.has("p.run/status.json"));
  expectNothingCompleted();
}

INSTANTIATE_TEST_SUITE_P(
    InAStep, EndingTest,
    ::testing::Values(
        Ending{"exit_doStep", "called exit(0) in fmi2DoStep."}, Ending{"underscoreExit_doStep", "called _exit(0) in"},
        Ending{"capitalExit_doStep", "called _Exit(0) in"}, Ending{"quickExit_doStep", "called quick_exit(0) in"},
        Ending{"threadExit_doStep", "called pthread_exit in fmi2DoStep."},
        Ending{"threadExitOfC_doStep", "called thrd_exit in fmi2DoStep."},
        Ending{"throw_doStep",
               "failed at 0.5 s: fmi2DoStep(t = 0.5 s, h = 0.1 s) threw an exception, which FMI does "
               "not allow: 'no more ideas'."},
        Ending{"throwNumber_doStep", "failed at 0.5 s: fmi2DoStep(t = 0.5 s, h = 0.1 s) threw an exception"}),
    nameOf);

TEST_F(HostileFmuTest, ThatExitsInAThreadOfItsOwnIsNamedByItsLibrary) {
  const Result result = run("exitInThread_doStep");
  EXPECT_EQ(result.exitCode, 3) << result.all();
  EXPECT_THAT(result.err, HasSubstr("hostile_stub.so called exit(0) outside of all calls of subsystems"));
  EXPECT_THAT(workspace_.read("p.run/run.log"), HasSubstr("hostile_stub.so called exit(0)"));
  expectNothingCompleted();
}

/// It brings a libz.so.1 of its own, so that the loader gives it a namespace, with C and C++ libraries of its own: what
/// it throws nobody else can catch.
TEST_F(HostileFmuTest, ThatLivesInALinkNamespaceIsCaughtAsWell) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "A sanitizer's library cannot be loaded a second time.";
#endif
  writeZip(workspace_.path("Hostile.fmu"),
           {{"modelDescription.xml", kDescription},
            {"binaries/linux64/libz.so.1", core::readWhole(KOPPLA_SYMBOLS_DIR "/brought_zlib/libz.so.1")},
            {"binaries/linux64/hostile_stub.so", core::readWhole(KOPPLA_HOSTILE_DIR "/apart/hostile_stub.so")}});
  struct Case {
    std::string instance;
    int exitCode;
    std::string words;
  };
  for (const Case& one : {Case{"exit_doStep", 3, "called exit(0) in fmi2DoStep."},
                          Case{"throw_doStep", 128 + SIGABRT, "crashed in fmi2DoStep: signal 6 (abort)."}}) {
    write(one.instance);
    const Result result = workspace_.run({"run", "p.toml", "--quiet", "--overwrite"});
    EXPECT_EQ(result.exitCode, one.exitCode) << result.all();
    EXPECT_THAT(result.err, HasSubstr("The subsystem '" + one.instance + "' " + one.words));
    expectNothingCompleted();
  }
}

TEST_F(HostileFmuTest, ThatExitsBeforeTheRunFailsEveryCommand) {
  for (const std::string call : {"exit_instantiate", "throw_instantiate"}) {
    write(call);
    for (const std::string command : {"check", "run"}) {
      const Result result = workspace_.run({command, "p.toml"});
      EXPECT_EQ(result.exitCode, 3) << result.all();
      EXPECT_THAT(result.err, HasSubstr(call));
      EXPECT_THAT(result.err, HasSubstr("fmi2Instantiate"));
      EXPECT_FALSE(workspace_.has("p.run/results.csv"));
    }
  }
}

TEST_F(HostileFmuTest, ThatExitsWhileItIsInitialisedHasNoRows) {
  for (const std::string call : {"setupExperiment", "enterInitializationMode", "exitInitializationMode"}) {
    write("exit_" + call);
    const Result result = workspace_.run({"run", "p.toml", "--overwrite"});
    EXPECT_EQ(result.exitCode, 3) << result.all();
    EXPECT_THAT(result.err, HasSubstr("The subsystem 'exit_" + call + "' called exit(0) in fmi2"));
    EXPECT_FALSE(workspace_.has("p.run/results.csv"));
  }
}

TEST_F(HostileFmuTest, ThatEndsTheProcessAfterTheRunDoesNotDecideTheExitCode) {
  for (const std::string instance : {"exit_terminate", "exit_freeInstance", "atExit_instantiate"}) {
#ifdef __SANITIZE_THREAD__
    if (instance == "atExit_instantiate") continue;  // the sanitizer has ended before
#endif
    write(instance);
    const Result result = workspace_.run({"run", "p.toml", "--quiet", "--overwrite"});
    EXPECT_EQ(result.exitCode, 3) << instance << ": " << result.all();
    EXPECT_THAT(result.err, HasSubstr("The subsystem '" + instance + "' called "));
    EXPECT_EQ(workspace_.rows("p.run/results.csv").size(), 11U) << instance;
    // Its last call is a part of the run; what comes when that is concluded changes nothing of what was told.
    const auto statistics = nlohmann::json::parse(workspace_.read("p.run/statistics.json"));
    EXPECT_EQ(statistics["outcome"], instance == "exit_terminate" ? "subsystem failed" : "completed") << instance;
  }
}

TEST_F(HostileFmuTest, ThatThrowsAfterTheRunIsAWarning) {
  for (const std::string call : {"terminate", "freeInstance"}) {
    write("throw_" + call);
    const Result result = workspace_.run({"run", "p.toml", "--quiet", "--overwrite"});
    EXPECT_EQ(result.exitCode, 0) << result.all();
    EXPECT_THAT(result.err, HasSubstr("warning: throw_" + call + ": fmi2"));
    EXPECT_THAT(result.err, HasSubstr("threw an exception"));
    EXPECT_EQ(workspace_.rows("p.run/results.csv").size(), 11U);
  }
}

struct Crash {
  std::string what;
  int signal;
};

void PrintTo(const Crash& crash, std::ostream* out) {
  *out << crash.what;
}

class CrashTest : public HostileFmuTest, public ::testing::WithParamInterface<Crash> {};

/// 'crash' takes the signal for itself before, and gives it back to the system when it comes; 'overflowHandedBack' puts
/// the handler that it found in place again, by the older call, which forgets that it has a stack of its own;
/// those that are chained call the handler that they found.
TEST_P(CrashTest, NamesSubsystemAndCallAndKeepsAllRows) {
  const std::string instance = GetParam().what + "_doStep";
  const Result result = run(instance);
  EXPECT_EQ(result.exitCode, 128 + GetParam().signal) << result.all();
  const std::string words = "The subsystem '" + instance + "' crashed in fmi2DoStep: signal ";
  EXPECT_THAT(result.err, HasSubstr("error: " + words));
  EXPECT_TRUE(result.err.ends_with("). The rows recorded so far are kept.\n")) << result.err;
  EXPECT_EQ(result.err.find(words), result.err.rfind(words)) << result.err;
  EXPECT_THAT(workspace_.read("p.run/run.log"), HasSubstr(words));
  expectNothingCompleted();
}

INSTANTIATE_TEST_SUITE_P(Of, CrashTest,
                         ::testing::Values(Crash{"crash", SIGSEGV}, Crash{"crashInformed", SIGSEGV},
                                           Crash{"crashChained", SIGSEGV}, Crash{"crashChainedByNumber", SIGSEGV},
                                           Crash{"abort", SIGABRT}, Crash{"trap", SIGILL}, Crash{"divide", SIGFPE},
                                           Crash{"divideChained", SIGFPE}, Crash{"overflow", SIGSEGV},
                                           Crash{"overflowHandedBack", SIGSEGV}),
                         [](const auto& one) { return one.param.what; });

/// There is no run whose rows could be kept, or it is over.
TEST_F(HostileFmuTest, ThatCrashesOutsideOfARunIsNamedWithoutRows) {
  write("crash_instantiate");
  const Result checked = workspace_.run({"check", "p.toml"});
  EXPECT_EQ(checked.exitCode, 128 + SIGSEGV) << checked.all();
  EXPECT_TRUE(checked.err.ends_with(
      "\nerror: The subsystem 'crash_instantiate' crashed in fmi2Instantiate: signal 11 (segmentation fault).\n"))
      << checked.err;
  write("crash_freeInstance");
  const Result freed = workspace_.run({"run", "p.toml", "--quiet"});
  EXPECT_EQ(freed.exitCode, 128 + SIGSEGV) << freed.all();
  EXPECT_TRUE(freed.err.ends_with(
      "\nerror: The subsystem 'crash_freeInstance' crashed in fmi2FreeInstance: signal 11 (segmentation fault).\n"))
      << freed.err;
  EXPECT_THAT(workspace_.read("p.run/run.log"), Not(HasSubstr("crashed")));
  EXPECT_EQ(workspace_.rows("p.run/results.csv").size(), 11U);
}

/// Its handler is put up in the step itself, or long before, when it was instantiated. 'leapEvery' and 'shrugTwice'
/// take the stack away that signals have for themselves.
TEST_F(HostileFmuTest, ThatDealsWithItsSignalsGoesOn) {
  for (const std::string instance : {"leap_doStep", "leapAsPrepared_doStep", "leapEvery_doStep", "leapStumbling_doStep",
                                     "againAsPrepared_doStep", "shrugTwice_doStep"}) {
    write(instance);
    const Result result = workspace_.run({"run", "p.toml", "--quiet", "--overwrite"});
    EXPECT_EQ(result.exitCode, 0) << result.all();
    EXPECT_EQ(workspace_.rows("p.run/results.csv").size(), 11U);
  }
}

TEST_F(HostileFmuTest, ThatTakesCtrlCDoesNotKeepIt) {
  workspace_.write("p.toml", "format = 1\nsimulation = { end = 1.0, step = 1e-9 }\n" +
                                 subsystem("takeSignals_instantiate", "Hostile.fmu"));
  Process process = workspace_.start({"run", "p.toml", "--quiet"});
  ASSERT_TRUE(eventually([this] {
    std::error_code none;
    return std::filesystem::file_size(workspace_.path("p.run/results.partial.csv"), none) > 1000U && !none;
  }));
  process.send(SIGINT);
  EXPECT_EQ(process.wait().exitCode, 130);
}

// 0.1 * 0.1 lies between two doubles, nearer to the upper one; 1e-160 * 1e-160 is a denormal number.
TEST_F(HostileFmuTest, ThatChangesHowTheProcessorComputesChangesNoNumbersOfOthers) {
  for (const std::string what : {"round", "flush"})
    for (const std::string call : {"instantiate", "exitInitializationMode", "doStep"}) {
      write(what + "_" + call,
            subsystem("other", "Gain", "u = 0.1, k = 0.1") + subsystem("small", "Gain", "u = 1e-160, k = 1e-160"));
      const Result result = workspace_.run({"run", "p.toml", "--quiet", "--overwrite"});
      EXPECT_EQ(result.exitCode, 0) << result.all();
      EXPECT_THAT(result.err, HasSubstr("warning: " + what + "_" + call + ": fmi2"));
      EXPECT_THAT(result.err, HasSubstr("changed how the processor rounds"));
      const std::vector<std::string> rows = workspace_.rows("p.run/results.csv");
      ASSERT_EQ(rows.size(), 11U);
      EXPECT_EQ(rows[10], "1,0,0.010000000000000002,1e-320") << what << " " << call;
    }
}

TEST_F(HostileFmuTest, ThatWandersDoesNotTakeResultsAlong) {
  for (const std::string call : {"instantiate", "setupExperiment"}) {
    write("wander_" + call, subsystem("other", "Gain"));
    const Result result = workspace_.run({"run", "p.toml", "--quiet", "--overwrite"});
    EXPECT_EQ(result.exitCode, 0) << result.all();
    EXPECT_EQ(workspace_.rows("p.run/results.csv").size(), 11U);
    const auto modes = std::filesystem::status(workspace_.path("p.run/results.csv")).permissions();
    EXPECT_NE(modes & std::filesystem::perms::owner_read, std::filesystem::perms::none);
  }
}

class DescriptorTest : public HostileFmuTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(DescriptorTest, LeavesNoWrongFileUnderTheFinalName) {
  for (const std::string format : {"csv", "hdf5"}) {
    write(GetParam() + "_doStep", "[results]\nformat = \"" + format + "\"\n");
    const Result result = workspace_.run({"run", "p.toml", "--quiet", "--overwrite"});
    EXPECT_THAT(result.exitCode, ::testing::AllOf(::testing::Gt(0), ::testing::Lt(128))) << result.all();
    EXPECT_THAT(result.err, HasSubstr("is no longer the file that was being written"));
    EXPECT_FALSE(workspace_.has("p.run/results.csv"));
    EXPECT_FALSE(workspace_.has("p.run/results.h5"));
    if (workspace_.has("foreign.txt")) {
      EXPECT_EQ(workspace_.read("foreign.txt"), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfAnFmuThat, DescriptorTest, ::testing::Values("close", "reopen"),
                         [](const auto& one) { return one.param; });

TEST_F(HostileFmuTest, ThatForksHasOneRunAllTheSame) {
  const Result result = run("fork_doStep");
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(workspace_.rows("p.run/results.csv").size(), 11U);
  const std::string log = workspace_.read("p.run/run.log");
  EXPECT_EQ(log.find("run: completed"), log.rfind("run: completed")) << log;
}

/// Ten steps, ten children: one that went on would fork in its next step.
TEST_F(HostileFmuTest, ThatForksInEveryStepHasChildrenThatEndAtOnce) {
  const Result result = run("forkEvery_doStep");
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(workspace_.read("forked.txt"), "xxxxxxxxxx");
  EXPECT_EQ(workspace_.rows("p.run/results.csv").size(), 11U);
}

TEST_F(HostileFmuTest, ThatEndsProcessesAndThreadsOfItsOwnGoesOn) {
  const Result result = run("endOthers_doStep");
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_THAT(result.err, Not(HasSubstr("called")));
  EXPECT_EQ(workspace_.rows("p.run/results.csv").size(), 11U);
  const std::string log = workspace_.read("p.run/run.log");
  EXPECT_EQ(log.find("run: completed"), log.rfind("run: completed")) << log;
}

/// Divisions of integers need no trap to end the process, so nobody has left one.
TEST_F(HostileFmuTest, WithADivisionByZeroInACallbackHasLeftNoTraps) {
  const Result result = run("divideInLogger_doStep");
  EXPECT_EQ(result.exitCode, 128 + SIGFPE) << result.all();
  EXPECT_THAT(result.err, HasSubstr("The subsystem 'divideInLogger_doStep' crashed in fmi2DoStep: signal 8"));
  EXPECT_THAT(result.err, Not(HasSubstr("traps")));
  expectNothingCompleted();
}

#if defined(__x86_64__)

TEST_F(HostileFmuTest, WhoseOwnArithmeticMeetsATrapHasLeftNone) {
  const Result result = run("trapItself_doStep");
  EXPECT_EQ(result.exitCode, 128 + SIGFPE) << result.all();
  EXPECT_THAT(result.err, HasSubstr("The subsystem 'trapItself_doStep' crashed in fmi2DoStep: signal 8"));
  EXPECT_THAT(result.err, Not(HasSubstr("traps")));
  expectNothingCompleted();
}

/// The first sum that is not exact, which is one of ours, ends the process.
TEST_F(HostileFmuTest, ThatLeavesTrapsEnabledIsNamed) {
  const Result result = run("leaveTraps_doStep");
  EXPECT_EQ(result.exitCode, 128 + SIGFPE) << result.all();
  EXPECT_THAT(result.err, HasSubstr("The subsystem 'leaveTraps_doStep' has left traps of floating point arithmetic"));
  EXPECT_THAT(result.err, Not(HasSubstr("bug in Koppla")));
  expectNothingCompleted();
}

#endif

}  // namespace
}  // namespace koppla::test::hostile_fmu_test
