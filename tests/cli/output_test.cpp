// What becomes of rows and files where a subsystem crashes or hangs, or a disk is full.

#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "command.hpp"
#include "support/full_disk.hpp"

namespace koppla::test::output_test {
namespace {

namespace fs = std::filesystem;

/// A thousand steps of an FMU that fails as it is told: 1001 rows.
std::string thousandSteps(const std::string& format) {
  return "format = 1\nsimulation = { end = 1.0, step = 0.001 }\nresults = { format = \"" + format + "\" }\n" +
         subsystem("source", "Gain") + subsystem("bad", "Failing") + connection("source.y", "bad.u");
}

struct Crash {
  std::string call;
  std::string format;
};

void PrintTo(const Crash& crash, std::ostream* out) {
  *out << crash.call << " " << crash.format;
}

class CrashAtTheEndTest : public ::testing::TestWithParam<Crash> {};

TEST_P(CrashAtTheEndTest, TakesNoRowAlongAndIsNoSuccess) {
  const Workspace workspace;
  workspace.write("p.toml", thousandSteps(GetParam().format));
  workspace.write("q.toml", thousandSteps(GetParam().format));
  ASSERT_EQ(workspace.run({"run", "q.toml", "--quiet"}).exitCode, 0);
  const Result result =
      workspace.run({"run", "p.toml", "--set", "bad.call=" + GetParam().call, "--set", "bad.status=abort"});
  EXPECT_NE(result.exitCode, 0) << result.all();
  const auto statistics = nlohmann::json::parse(workspace.read("p.run/statistics.json"));
  EXPECT_EQ(statistics["outcome"], "completed");
  EXPECT_EQ(statistics["output"]["count"], 1001);
  EXPECT_FALSE(workspace.has("p.run/status.json"));
  // The same rows as those of a run that ends well.
  const std::string file = GetParam().format == "csv" ? "results.csv" : "results.h5";
  const Result same = workspace.run({"compare", "p.run/" + file, "q.run/" + file, "--rtol", "0", "--atol", "0"});
  EXPECT_EQ(same.exitCode, 0) << same.all();
  if (GetParam().format == "csv") {
    EXPECT_EQ(workspace.rows("p.run/results.csv").size(), 1001U);
    EXPECT_TRUE(workspace.rows("p.run/results.csv").back().starts_with("1,"));
  }
}

std::string nameOf(const ::testing::TestParamInfo<Crash>& info) {
  return info.param.call + "With" + info.param.format;
}

INSTANTIATE_TEST_SUITE_P(In, CrashAtTheEndTest,
                         ::testing::Values(Crash{"terminate", "csv"}, Crash{"terminate", "hdf5"},
                                           Crash{"freeInstance", "csv"}, Crash{"freeInstance", "hdf5"}),
                         nameOf);

TEST(Rows, BeforeAStepThatDoesNotEndAreThereWhileItGoesOn) {
  const Workspace workspace;
  workspace.write("p.toml", thousandSteps("csv"));
  Process process = workspace.start(
      {"run", "p.toml", "--quiet", "--set", "bad.call=doStep", "--set", "bad.status=hang", "--set", "bad.at=0.8995"});
  // Steps that begin before 0.8995 s: 0 to 0.899, so the rows are 0 to 0.9.
  const bool there = eventually([&] {
    return workspace.has("p.run/results.partial.csv") && workspace.rows("p.run/results.partial.csv").size() == 901U;
  });
  EXPECT_TRUE(there) << workspace.rows("p.run/results.partial.csv").size();
  process.send(SIGKILL);
  EXPECT_EQ(process.wait().exitCode, 128 + SIGKILL);
}

/// A run that gets on tells its progress many times a second, so that no call of it is told, unless the machine has
/// kept it waiting for a second: moments are told in whole ones.
TEST(Status, TellsNoCallOfARunThatGetsOn) {
  const Workspace workspace;
  workspace.write("p.toml", "format = 1\nsimulation = { end = 1.0, step = 1e-9 }\nresults = { interval = 0.5 }\n" +
                                subsystem("a", "Gain"));
  Process process = workspace.start({"run", "p.toml", "--quiet"});
  ASSERT_TRUE(eventually([&] { return workspace.has("p.run/status.json"); }));
  for (int look = 0; look < 100; ++look) {
    const auto status = nlohmann::json::parse(workspace.read("p.run/status.json"));
    if (status.contains("call")) {
      EXPECT_GT(status["updated"].get<std::string>(), status["call"]["since"].get<std::string>());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  process.send(SIGKILL);
  process.wait();
}

TEST(Status, IsRenewedAndTellsTheCallDuringAStepThatDoesNotEnd) {
  const Workspace workspace;
  workspace.write("p.toml", thousandSteps("csv"));
  Process process = workspace.start(
      {"run", "p.toml", "--quiet", "--set", "bad.call=doStep", "--set", "bad.status=hang", "--set", "bad.at=0.8995"});
  const auto updated = [&]() -> std::string {
    const auto status =
        nlohmann::json::parse(workspace.has("p.run/status.json") ? workspace.read("p.run/status.json") : "{}");
    return status.contains("call") ? status["updated"].get<std::string>() : "";
  };
  ASSERT_TRUE(eventually([&] { return !updated().empty(); }));
  const std::string first = updated();
  EXPECT_TRUE(eventually([&] { return updated() > first; })) << "in seconds, in the form of ISO 8601";
  const auto now = nlohmann::json::parse(workspace.run({"status", "p.run", "--json"}, "status").out);
  EXPECT_EQ(now["state"], "running");
  EXPECT_EQ(now["call"]["subsystem"], "bad");
  EXPECT_EQ(now["call"]["function"], "fmi2DoStep");
  EXPECT_LE(now["call"]["since"].get<std::string>(), first);
  const Result text = workspace.run({"status", "p.run"}, "text");
  EXPECT_NE(text.out.find("  is in fmi2DoStep of bad since "), std::string::npos) << text.all();
  process.send(SIGKILL);
  process.wait();
}

TEST(Rows, OfARunOnADiskThatFillsUpAreAnOutcomeWithStatistics) {
  const Workspace workspace;
  workspace.write("p.toml", "format = 1\nsimulation = { end = 1.0, step = 1e-7 }\n" + subsystem("a", "Gain"));
  Process process = workspace.start({"run", "p.toml", "--json"});
  ASSERT_TRUE(eventually([&] { return workspace.has("p.run/results.partial.csv"); }));
  process.limitFiles(1U << 20U);
  const Result result = process.wait();
  EXPECT_EQ(result.exitCode, 6) << result.all();
  const auto statistics = nlohmann::json::parse(result.out);
  EXPECT_EQ(statistics["outcome"], "output failed");
  EXPECT_NE(result.err.find(statistics["message"].get<std::string>()), std::string::npos) << result.err;
  EXPECT_NE(workspace.read("p.run/run.log").find("output failed"), std::string::npos);
  EXPECT_FALSE(workspace.has("p.run/results.csv"));
}

/// Also of a program that an integrator calls as a function.
TEST(FullDiskTest, InACallOfAProgramIsNotTheProgramsFailure) {
  const Workspace workspace;
  workspace.write("p.toml",
                  "format = 1\nsimulation = { end = 1.0 }\nalgorithm = { kind = \"master-slave\" }\n[[subsystems]]\n"
                  "name = \"body\"\nmodel = \"nonlinear-oscillator\"\nintegrator = \"bdf\"\nmicro_step = 1e-4\n"
                  "parameters = { c = 0, d = 0, x0 = 0, v0 = 100 }\n[[subsystems]]\nname = \"spring\"\n"
                  "inside = \"body\"\nprogram = \"echo 1 , 0 > y.csv\"\ninputs.u = { file = \"u.csv\" }\n"
                  "outputs.y = { file = \"y.csv\" }\n" +
                      connection("body.x", "spring.u") + connection("spring.y", "body.f"));
  Process process = workspace.start({"run", "p.toml", "--quiet"});
  ASSERT_TRUE(eventually([&] { return workspace.has("p.run/programs/spring/s000003"); }));
  process.limitFiles(4096);
  const Result result = process.wait();
  EXPECT_EQ(result.exitCode, 6) << result.all();
  EXPECT_NE(result.err.find("'spring' could not go on. The program 'spring' failed in step "), std::string::npos)
      << result.err;
}

TEST(TemporaryFiles, OfWhichTheFolderIsMissingAreToldWithIt) {
  Workspace workspace;
  workspace.setVariable("TMPDIR", workspace.path("gone").string());
  const Result result = workspace.run({"inspect", "fmus/Gain.fmu"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.err.find("cannot be unpacked to " + workspace.path("gone").string() + ": "), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("Set TMPDIR to a folder that you may write to"), std::string::npos) << result.err;
}

TEST(FullDiskTest, ForAnUnpackedFmuIsNoBadInput) {
  const Workspace workspace;
  workspace.write("p.toml", project());
  workspace.write("s.toml",
                  "format = 1\n[study]\nproject = \"p.toml\"\n[[vary]]\nname = \"simulation.step\"\nvalues = [0.1, "
                  "0.2]\n[reference]\nkind = \"run\"\nset = [\"simulation.step=0.01\"]\ncheck_set = "
                  "[\"simulation.step=0.02\"]\n[errors]\nvariables = [\"*\"]\n");
  const FullDisk full(4096);  // smaller than any library in an FMU
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"run", "p.toml"}, {"check", "p.toml"}, {"inspect", "fmus/Gain.fmu"}, {"study", "s.toml"}}) {
    const Result result = workspace.run(command);
    EXPECT_EQ(result.exitCode, 6) << command.front() << "\n" << result.all();
    EXPECT_NE(result.err.find("cannot be unpacked to "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("set TMPDIR to a folder with more."), std::string::npos) << result.err;
  }
}

TEST(Hdf5Rows, OfARunOnADiskThatFillsUpAreAnOutcomeAndStayReadable) {
  const Workspace workspace;
  workspace.write("p.toml", "format = 1\nsimulation = { end = 1.0, step = 1e-7 }\nresults = { format = \"hdf5\" }\n" +
                                subsystem("a", "Gain"));
  Process process = workspace.start({"run", "p.toml", "--quiet"});
  ASSERT_TRUE(eventually([&] { return workspace.has("p.run/results.partial.h5"); }));
  process.limitFiles(1U << 20U);
  const Result result = process.wait();
  EXPECT_EQ(result.exitCode, 6) << result.all();
  EXPECT_NE(result.err.find("results.partial.h5 cannot be written: File too large."), std::string::npos) << result.err;
  EXPECT_EQ(workspace.run({"plot", "p.run"}).exitCode, 0);
}

/// What /dev/stdout is. That itself is not used: a command that fails in this, started by root, would replace it.
void linkToStandardOutput(const Workspace& workspace) {
  fs::create_symlink("/proc/self/fd/1", workspace.path("stdout"));
}

TEST(StandardOutput, ThatTakesNothingIsNoticed) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "This system has no /dev/full.";
  const Workspace workspace;
  workspace.write("p.toml", project());
  ASSERT_EQ(workspace.run({"run", "p.toml"}).exitCode, 0);
  const std::vector<std::vector<std::string>> commands{{"version"},
                                                       {"--help"},
                                                       {"plot", "p.run"},
                                                       {"inspect", "fmus/Gain.fmu"},
                                                       {"compare", "p.run", "p.run"},
                                                       {"status", "p.run"},
                                                       {"run", "p.toml", "--overwrite"}};
  for (const std::vector<std::string>& command : commands) {
    const Result result = workspace.runInto("/dev/full", command);
    EXPECT_EQ(result.exitCode, 6) << command.front() << "\n" << result.all();
    EXPECT_NE(result.err.find("cannot be written: No space left on device."), std::string::npos) << result.all();
  }
  EXPECT_TRUE(workspace.has("p.run/results.csv"));
}

class PictureTest : public ::testing::Test {
 protected:
  PictureTest() {
    workspace_.write("p.toml", project());
    static_cast<void>(workspace_.run({"run", "p.toml", "--quiet"}));
  }
  Workspace workspace_;
};

TEST_F(PictureTest, GoesThroughALinkAndTheLinkStays) {
  fs::create_symlink("target.svg", workspace_.path("link.svg"));
  const Result result = workspace_.run({"plot", "p.run", "--svg", "link.svg"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_TRUE(fs::is_symlink(workspace_.path("link.svg")));
  EXPECT_NE(workspace_.read("target.svg").find("</svg>"), std::string::npos);
}

TEST_F(PictureTest, GoesIntoAFifoAndTheFifoStays) {
  const fs::path fifo = workspace_.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  Process process = workspace_.start({"plot", "p.run", "--svg", "fifo"});
  std::string picture;
  EXPECT_TRUE(eventually([&] {
    std::string piece(4096, '\0');
    const ssize_t size = ::read(reader, piece.data(), piece.size());
    if (size > 0) picture.append(piece, 0, static_cast<std::size_t>(size));
    return picture.find("</svg>") != std::string::npos;
  }));
  EXPECT_EQ(process.wait().exitCode, 0);
  EXPECT_TRUE(fs::is_fifo(fifo));
  ::close(reader);
}

TEST_F(PictureTest, GoesToStandardOutputWithNothingBehindIt) {
  const Result file = workspace_.run({"plot", "p.run", "--svg", "a.svg"});
  ASSERT_EQ(file.exitCode, 0) << file.all();
  linkToStandardOutput(workspace_);
  const Result result = workspace_.run({"plot", "p.run", "--svg", "stdout"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(result.out, workspace_.read("a.svg"));
}

TEST(NewProject, CanBeWrittenToADevice) {
  const Workspace workspace;
  linkToStandardOutput(workspace);
  const Result result = workspace.run({"new", "fmus/Gain.fmu", "-o", "stdout"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_NE(result.out.find("format = 1"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("written:"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace koppla::test::output_test
