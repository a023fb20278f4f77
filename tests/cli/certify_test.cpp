// koppla run --certify: what it tells, where it goes, and what becomes of the run itself.

#include <cmath>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace koppla::test::certify_test {
namespace {

using ::testing::HasSubstr;

/// v' = F, F' = -9 v, solved exactly: v = cos 3 t.
constexpr std::string_view kMassOnSpring = R"(
[[subsystems]]
name = "mass"
model = "linear-state-space"
inputs = ["F"]
outputs = ["v"]
A = [[0.0]]
B = [[1.0]]
C = [[1.0]]
x0 = [1.0]
integrator = "exact"

[[subsystems]]
name = "spring"
model = "linear-state-space"
inputs = ["v"]
outputs = ["F"]
A = [[0.0]]
B = [[-9.0]]
C = [[1.0]]
integrator = "exact"

[[connections]]
from = "mass.v"
to = "spring.v"

[[connections]]
from = "spring.F"
to = "mass.F"
)";

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
  EXPECT_EQ(nlohmann::json::parse(result.out)["outcome"], "exploded");
  EXPECT_FALSE(workspace_.has("loop.run/certificate.json"));
}

TEST_F(CertifyTest, InterruptedLeavesTheRunComplete) {
  Process process = workspace_.start(
      {"run", "loop.toml", "--certify", "--set", "simulation.step=2e-6", "--set", "results.interval=0.1"});
  const auto tellsTime = [&process] {  // the second time, when the run is complete
    const std::string said = process.errors();
    return said.find("certifying", said.find("certifying") + 1) != std::string::npos;
  };
  ASSERT_TRUE(eventually(tellsTime));
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
