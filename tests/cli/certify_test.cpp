// koppla run --certify: what it tells, where it goes, and what becomes of the run itself.

#include <cmath>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "support/mass_on_spring.hpp"

namespace koppla::test::certify_test {
namespace {

using ::testing::HasSubstr;

class CertifyTest : public ::testing::Test {
 protected:
  CertifyTest() {
    workspace_.write("loop.toml",
                     "format = 1\nsimulation = { end = 3.0, step = 0.01 }\nalgorithm = { kind = \"jacobi\" }\n" +
                         std::string(kMassOnSpring));
  }

  [[nodiscard]] Result certify(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"run", "loop.toml", "--certify"});
    return workspace_.run(more);
  }
  [[nodiscard]] nlohmann::json certificate() const {
    return nlohmann::json::parse(workspace_.read("loop.run/certificate.json"));
  }

  Workspace workspace_;
};

/// By hand: the run and its two repetitions are runs of the steps that are promised.
TEST_F(CertifyTest, TellsWhatRunsOfHalfAndAQuarterOfTheStepTell) {
  const Result result = certify();
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_THAT(result.err, HasSubstr("certifying: 2 further runs with half and a quarter of its step, about 6 times the "
                                    "work of the run"));
  EXPECT_THAT(result.err, HasSubstr("; 3 times the work of the run on top, 9 in all, where variables need a third"));
  EXPECT_THAT(result.out, HasSubstr("certified: 2 of 2 variables"));
  EXPECT_THAT(workspace_.read("loop.run/run.log"), HasSubstr("certified: 2 of 2 variables"));
  EXPECT_TRUE(workspace_.has("loop.run/results.csv"));
  const auto told = certificate();
  EXPECT_EQ(told["certified"], true);
  EXPECT_EQ(told["nominal_orders"], nlohmann::json({1, 1}));
  ASSERT_EQ(told["variables"].size(), 2U);
  EXPECT_EQ(told["variables"][0]["name"], "mass.v");
  EXPECT_NEAR(told["mean_steps"][0].get<double>(), 0.01, 1e-12);
  EXPECT_NEAR(told["mean_steps"][2].get<double>(), 0.0025, 1e-12);

  EXPECT_EQ(workspace_.run({"run", "loop.toml", "--folder", "quarter", "--step", "0.0025"}).exitCode, 0);
  const auto compared = nlohmann::json::parse(workspace_.run({"compare", "loop.run", "quarter", "--json"}).out);
  for (const auto& variable : compared["variables"]) {
    if (variable["name"] != "mass.v") continue;
    const double q = told["variables"][0]["order"].get<double>();
    const double apart = variable["max_error"].get<double>();
    EXPECT_NEAR(told["variables"][0]["error"].get<double>(), apart / (1.0 - std::pow(0.25, q)), 1e-9);
  }
  EXPECT_EQ(workspace_.leftovers(), std::vector<std::string>{});
}

TEST_F(CertifyTest, PrintsOneJsonDocument) {
  const Result result = certify({"--json"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  const auto printed = nlohmann::json::parse(result.out);
  EXPECT_EQ(printed["outcome"], "completed");
  EXPECT_EQ(printed["certificate"], certificate());
  EXPECT_EQ(result.err, "");
}

TEST_F(CertifyTest, PrintsNothingWhereAskedToBeQuiet) {
  const Result result = certify({"--quiet"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(result.out + result.err, "");
  EXPECT_EQ(certificate()["certified"], true);
}

/// With tolerances as loose as that what an iteration leaves open is all that runs differ by.
TEST_F(CertifyTest, TellsWhyNothingIsCertified) {
  const Result result = certify({"--set", "algorithm.kind=iterated-gauss-seidel", "--set", "algorithm.degree=3",
                                 "--set", "algorithm.rtol=1e-2", "--set", "algorithm.predictor=0"});
  EXPECT_EQ(result.exitCode, 1) << result.all();
  EXPECT_THAT(result.out, HasSubstr("not certified: "));
  EXPECT_THAT(result.out, HasSubstr("algorithm.rtol"));
  EXPECT_TRUE(workspace_.has("loop.run/results.csv"));
  EXPECT_EQ(certificate()["certified"], false);
}

TEST_F(CertifyTest, IsRefusedBeforeAnythingRuns) {
  const Result result =
      certify({"--set", "algorithm.kind=master-slave", "--set", "mass.micro_step=0.01", "--overwrite"});
  EXPECT_EQ(result.exitCode, 2) << result.all();
  EXPECT_FALSE(workspace_.has("loop.run"));
}

TEST_F(CertifyTest, OfAnEarlierRunDoesNotStay) {
  EXPECT_EQ(certify().exitCode, 0);
  EXPECT_EQ(workspace_.run({"run", "loop.toml", "--overwrite"}).exitCode, 0);
  EXPECT_FALSE(workspace_.has("loop.run/certificate.json"));
}

TEST_F(CertifyTest, IsNoneOfARunThatFails) {
  const Result result = certify({"--set", "simulation.explosion_limit=0.5", "--json"});
  EXPECT_EQ(result.exitCode, 5) << result.all();
  const auto printed = nlohmann::json::parse(result.out);
  EXPECT_EQ(printed["outcome"], "exploded");
  ASSERT_TRUE(printed.contains("certificate"));
  EXPECT_TRUE(printed["certificate"].is_null());
  EXPECT_FALSE(workspace_.has("loop.run/certificate.json"));
}

/// A place that cannot be used is told before the run, not behind hours of it.
TEST_F(CertifyTest, NeedsAPlaceForTemporaryFiles) {
  workspace_.setVariable("TMPDIR", workspace_.path("gone").string());
  const Result result = certify();
  EXPECT_EQ(result.exitCode, 2) << result.all();
  EXPECT_THAT(result.err, HasSubstr(workspace_.path("gone").string()));
  EXPECT_FALSE(workspace_.has("loop.run"));
}

/// Programs work below the run, so that a folder which a message names can be looked into.
TEST_F(CertifyTest, KeepsTheFoldersOfProgramsThatFailInARepetition) {
  workspace_.write("t.template", "{{t1}}\n");
  workspace_.write("p.toml",
                   "format = 1\nsimulation = { end = 0.4, step = 0.1 }\nalgorithm = { kind = \"jacobi\" }\n"
                   "[[subsystems]]\nname = \"p\"\nprogram = \"sh -c 'grep -q 0.05 t.txt && exit 3; echo y = 1 > "
                   "y.txt'\"\ndeck = { \"t.txt\" = \"t.template\" }\noutputs.y = { file = \"y.txt\", reader = "
                   "\"key-value\" }\n");
  const Result result = workspace_.run({"run", "p.toml", "--certify"});
  EXPECT_EQ(result.exitCode, 1) << result.all();
  EXPECT_THAT(result.out, HasSubstr("not certified: The run with 1/2 of the step did not complete."));
  EXPECT_THAT(result.out, HasSubstr(workspace_.path("p.run/certifying/1-2/p/s000001/").string()));
  EXPECT_TRUE(workspace_.has("p.run/certifying/1-2/p/s000001"));
  EXPECT_EQ(workspace_.run({"run", "p.toml", "--overwrite"}).exitCode, 0);
  EXPECT_FALSE(workspace_.has("p.run/certifying"));
}

/// Of a run so long that there is time to look while it is certified.
class LongCertifyTest : public CertifyTest {
 protected:
  [[nodiscard]] Process startLong() const {
    return workspace_.start(
        {"run", "loop.toml", "--certify", "--set", "simulation.step=2e-6", "--set", "results.interval=0.1"});
  }
  [[nodiscard]] bool isCertifying() const {
    const Result told = workspace_.run({"status", "loop.run", "--json"}, "status");
    return told.exitCode == 0 && nlohmann::json::parse(told.out)["state"] == "certifying";
  }
};

TEST_F(LongCertifyTest, IsWhatStatusTells) {
  const Process process = startLong();
  ASSERT_TRUE(eventually([this] { return isCertifying(); }));
  const Result told = workspace_.run({"status", "loop.run"}, "status");
  EXPECT_THAT(told.out, HasSubstr("loop.run: certifying"));
  EXPECT_THAT(told.out, HasSubstr("t = 3 s of 3 s, 1500000 steps"));
  EXPECT_THAT(told.out, HasSubstr("of 2 repetitions with shorter steps are done"));
}

TEST_F(LongCertifyTest, IsToldWhereItsFileCannotBeWritten) {
  Process process = startLong();
  ASSERT_TRUE(eventually([this] { return isCertifying(); }));
  std::filesystem::create_symlink("/dev/full", workspace_.path("loop.run/certificate.json"));
  const Result result = process.wait();
  EXPECT_EQ(result.exitCode, 6) << result.all();
  EXPECT_THAT(result.out, HasSubstr("certified: 2 of 2 variables"));
  EXPECT_THAT(result.err, HasSubstr("No space left on device"));
}

TEST_F(LongCertifyTest, KilledLeavesNothingToTheNext) {
  Process process = startLong();
  ASSERT_TRUE(eventually([this] { return isCertifying(); }));
  process.send(SIGKILL);
  EXPECT_EQ(process.wait().exitCode, 128 + SIGKILL);
  EXPECT_THAT(workspace_.run({"status", "loop.run"}).out, HasSubstr("loop.run: completed"));
  EXPECT_EQ(certify({"--overwrite"}).exitCode, 0);
  EXPECT_EQ(workspace_.leftovers(), std::vector<std::string>{});
}

TEST_F(LongCertifyTest, InterruptedLeavesTheRunComplete) {
  Process process = startLong();
  ASSERT_TRUE(eventually([this] { return isCertifying(); }));
  process.send(SIGINT);
  const Result result = process.wait();
  EXPECT_EQ(result.exitCode, 130) << result.all();
  EXPECT_THAT(result.err, HasSubstr("Interrupted: not certified. The run itself is complete: loop.run"));
  EXPECT_TRUE(workspace_.has("loop.run/results.csv"));
  EXPECT_FALSE(workspace_.has("loop.run/certificate.json"));
  EXPECT_EQ(workspace_.leftovers(), std::vector<std::string>{});
}

}  // namespace
}  // namespace koppla::test::certify_test
