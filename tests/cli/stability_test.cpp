// `koppla stability`: one native oscillator, whose Runge-Kutta method is a recursion of its own.

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "command.hpp"

namespace koppla::test {
namespace {

class StabilityCommandTest : public ::testing::Test {
 protected:
  /// x'' = -x, in the form of the built-in body, by Runge-Kutta.
  StabilityCommandTest() {
    workspace_.write("project.toml",
                     "format = 1\nsimulation = { end = 10.0, step = 0.1 }\n[[subsystems]]\nname = \"body\"\n"
                     "model = \"oscillator-body\"\nintegrator = \"ode4\"\nparameters = { c = 1.0, d = 0.0 }\n");
  }

  void write(const std::string& head, const std::string& more = {}) const {
    workspace_.write("s.toml", "format = 1\n[stability]\nproject = \"project.toml\"\n" + head + "\n" + more);
  }

  Workspace workspace_;
};

TEST_F(StabilityCommandTest, FindsTheLimitOfTheClassicalRungeKuttaMethod) {
  write("find = \"critical-step\"\nfrom = 0.01\nto = 10.0");
  const Result result = workspace_.run({"stability", "s.toml"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(result.err, "");
  // On the imaginary axis the method is stable up to sqrt(8).
  const std::vector<std::string> rows = workspace_.rows("s.stability/stability.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].starts_with("\"limit\",,,,")) << rows[0];
  EXPECT_NEAR(std::stod(rows[0].substr(11)), std::sqrt(8.0), 1e-5);
  EXPECT_FALSE(workspace_.has("s.stability/stability.svg"));  // nothing is varied
  EXPECT_NE(result.out.find("results in s.stability\n"), std::string::npos) << result.out;
}

TEST_F(StabilityCommandTest, GivesTheSpectralRadiusOfEveryVariedStep) {
  write("find = \"spectral-radius\"", "[[vary]]\nname = \"simulation.step\"\nvalues = [1.0, 3.0]\n");
  const Result result = workspace_.run({"stability", "s.toml", "--folder", "out", "--set", "body.integrator=ode1"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  const std::vector<std::string> rows = workspace_.rows("out/stability.csv");
  ASSERT_EQ(rows.size(), 2U);
  // Explicit Euler: |1 + i H|.
  const std::string start = "3,\"unstable\",3,";
  ASSERT_TRUE(rows[1].starts_with(start)) << rows[1];
  EXPECT_NEAR(std::stod(rows[1].substr(start.size())), std::sqrt(10.0), 1e-12);
  EXPECT_TRUE(workspace_.has("out/stability.svg"));
}

TEST_F(StabilityCommandTest, DrawsOneMapForEachCombinationOfTheSettingsBeforeTheLastTwo) {
  write("find = \"spectral-radius\"",
        "[[vary]]\nnames = [\"body.integrator\", \"body.m\"]\nvalues = [[\"ode1\", 1.0], [\"ode4\", 2.0]]\n"
        "labels = [\"Euler\", \"Runge-Kutta\"]\n"
        "[[vary]]\nname = \"body.c\"\nvalues = [1.0, 2.0]\n"
        "[[vary]]\nname = \"simulation.step\"\nvalues = [1.0, 1.5]\n");
  const Result result = workspace_.run({"stability", "s.toml"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  const std::vector<std::string> rows = workspace_.rows("s.stability/stability.csv");
  ASSERT_EQ(rows.size(), 8U);
  // Explicit Euler is unstable without damping, Runge-Kutta of order 4 stable up to sqrt(8) of omega H.
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_TRUE(rows[i].find(i < 4 ? "\"unstable\"" : "\"stable\"") != std::string::npos) << rows[i];
  const std::string picture = workspace_.read("s.stability/stability.svg");
  const std::size_t first = picture.find(">Euler<");
  const std::size_t second = picture.find(">Runge-Kutta<");
  ASSERT_NE(first, std::string::npos);
  ASSERT_NE(second, std::string::npos);
  EXPECT_LT(picture.find("crispEdges", first), second);
  EXPECT_NE(picture.find("crispEdges", second), std::string::npos);
}

TEST_F(StabilityCommandTest, PaintsOrangeWhatItsTableCallsUnstable) {
  write("find = \"spectral-radius\"\nallowance = 0.5\nset = [\"body.integrator=ode1\"]",
        "[[vary]]\nname = \"body.m\"\nvalues = [1.0, 1.0000001]\n"
        "[[vary]]\nname = \"simulation.step\"\nvalues = [0.5, 1.0, 1.5]\n");
  const Result result = workspace_.run({"stability", "s.toml"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  // Explicit Euler: |1 + i H| is 1.118, 1.414 and 1.803.
  const std::vector<std::string> rows = workspace_.rows("s.stability/stability.csv");
  ASSERT_EQ(rows.size(), 6U);
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_TRUE(rows[i].find(i % 3 < 2 ? "\"stable\"" : "\"unstable\"") != std::string::npos) << rows[i];
  const std::string picture = workspace_.read("s.stability/stability.svg");
  const std::size_t first = picture.find("crispEdges");
  std::size_t orange = 0;
  std::size_t cells = 0;
  for (std::size_t at = picture.find("fill=\"#", first); at < picture.find("</g>", first);
       at = picture.find("fill=\"#", at + 1), ++cells)
    if (picture.substr(at + 7, 2) > picture.substr(at + 11, 2)) ++orange;  // more red than blue
  EXPECT_EQ(cells, 6U);
  EXPECT_EQ(orange, 2U);
  EXPECT_NE(result.out.find("!: unstable, above 1 + 0.5 (allowance)"), std::string::npos) << result.out;
}

/// How many processes it has started.
std::size_t childrenOf(const Process& process) {
  const std::string id = std::to_string(process.id());
  std::ifstream file("/proc/" + id + "/task/" + id + "/children");
  std::size_t count = 0;
  for (pid_t child = 0; file >> child;) ++count;
  return count;
}

TEST_F(StabilityCommandTest, CtrlCLeavesNothingBehind) {
  if (!std::filesystem::exists("/proc/self/task/" + std::to_string(::getpid()) + "/children"))
    GTEST_SKIP() << "This system does not tell whose children there are.";
  // A hundred million micro steps for every macro step that is tried, and more combinations than are answered at once.
  write("find = \"critical-step\"\nfrom = 1.0\nto = 2.0\nset = [\"body.micro_step=1e-8\"]",
        "[[vary]]\nname = \"body.c\"\nvalues = [1, 2, 3, 4, 5]\n");
  Process process = workspace_.start({"stability", "s.toml", "--jobs", "3"});
  EXPECT_TRUE(eventually([&] { return childrenOf(process) == 3; }));
  process.send(SIGINT);
  const Result result = process.wait();
  EXPECT_EQ(result.exitCode, 130);
  EXPECT_EQ(result.err, "Interrupted: nothing is written.\n");
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(workspace_.has("s.stability"));
  EXPECT_TRUE(workspace_.leftovers().empty());
}

/// Two lags (1 s) that drive each other by 5 and -5 through held inputs: exp(-H) +- i 5 (1 - exp(-H)) per step.
TEST_F(StabilityCommandTest, ProbesFmusAtAnInstant) {
  workspace_.write("project.toml",
                   "format = 1\nsimulation = { end = 2.0, step = 0.1 }\nalgorithm = { kind = \"jacobi\" }\n" +
                       subsystem("a", "FirstOrderLag", "k = 5.0, x0 = 1.0") +
                       subsystem("b", "FirstOrderLag", "k = -5.0") + connection("a.y", "b.u") +
                       connection("b.y", "a.u"));
  write("find = \"spectral-radius\"");
  const double radius = std::hypot(std::exp(-0.1), 5.0 * (1.0 - std::exp(-0.1)));
  const Result result = workspace_.run({"stability", "s.toml", "--at", "1.5", "--json"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(result.err, "");
  const nlohmann::json document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["at"], 1.5);
  ASSERT_EQ(document["rows"].size(), 1U);
  const nlohmann::json& row = document["rows"][0];
  EXPECT_EQ(row["method"], "probes");
  EXPECT_EQ(row["status"], "unstable");
  EXPECT_NEAR(row["spectral_radius"].get<double>(), radius, 1e-7);
  EXPECT_LT(row["uncertainty"].get<double>(), 1e-7);
  EXPECT_TRUE(row["critical_step"].is_null());
  const std::vector<std::string> rows = workspace_.rows("s.stability/stability.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NE(rows[0].find("\"probes\""), std::string::npos) << rows[0];

  const Result table = workspace_.run({"stability", "s.toml", "--at", "1.5"});
  EXPECT_NE(table.out.find("\nby probes at t = 1.5 s, to within "), std::string::npos) << table.out;
  const Result start = workspace_.run({"stability", "s.toml"});
  EXPECT_NE(start.out.find("\nby probes at the start, to within "), std::string::npos) << start.out;
}

TEST_F(StabilityCommandTest, SaysWhereMatricesWereLinearised) {
  write("find = \"spectral-radius\"");
  const Result result = workspace_.run({"stability", "s.toml", "--at", "2.5"});
  EXPECT_NE(result.out.find("\nlinearised at t = 2.5 s\n"), std::string::npos) << result.out;
  const Result json = workspace_.run({"stability", "s.toml", "--json"});
  const nlohmann::json document = nlohmann::json::parse(json.out);
  EXPECT_TRUE(document["at"].is_null());
  EXPECT_EQ(document["rows"][0]["method"], "matrix");
  EXPECT_TRUE(document["rows"][0]["uncertainty"].is_null());
}

}  // namespace
}  // namespace koppla::test
