// The command as a user meets it when all goes well.

#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "command.hpp"
#include "fmu_forge.hpp"
#include "support/figure.hpp"
#include "support/matches.hpp"

namespace koppla::test::run_test {
namespace {

using Json = nlohmann::json;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Command, LeadsFromFmusToComparedResults) {
  const Workspace workspace;
  Result result = workspace.run(
      {"new", "fmus/Math003Part1.fmu", "fmus/Math003Part2.fmu", "fmus/Math003Part3.fmu", "-o", "loop.toml"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  EXPECT_TRUE(contains(result.out, "written: loop.toml")) << result.out;
  result = workspace.run({"check", "loop.toml"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  EXPECT_TRUE(contains(result.out, "no mistakes. 3 subsystems, 4 connections.")) << result.out;
  result = workspace.run({"check", "loop.toml", "--json"});
  const Json order = Json::parse(result.out)["order"];
  ASSERT_EQ(order.size(), 2U) << result.out;
  EXPECT_FALSE(order[0]["closed"]);
  EXPECT_TRUE(order[1]["closed"]);
  EXPECT_EQ(order[1]["members"].size(), 2U);

  result = workspace.run({"run", "loop.toml"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  result = workspace.run({"plot", "loop.run", "*x4"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  EXPECT_TRUE(contains(result.out, "x4")) << result.out;
  EXPECT_FALSE(contains(result.out, "\033")) << result.out;

  result = workspace.run({"compare", "loop.run", "loop.run/results.csv"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_TRUE(contains(result.out, "equal within rtol = 1e-06, atol = 1e-09")) << result.out;
  ASSERT_EQ(
      workspace.run({"run", "loop.toml", "--quiet", "--folder", "late.run", "--set", "algorithm.kind=jacobi"}).exitCode,
      0);
  result = workspace.run({"compare", "late.run", "loop.run"});
  EXPECT_EQ(result.exitCode, 1) << result.all();
  EXPECT_TRUE(contains(result.out, "different: ")) << result.out;
  EXPECT_TRUE(contains(result.out, "x4")) << result.out;
  result = workspace.run({"compare", "late.run", "loop.run", "--json"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_EQ(Json::parse(result.out)["equal"], false);
  EXPECT_EQ(workspace.run({"compare", "late.run", "loop.run", "--atol", "100"}).exitCode, 0);
  EXPECT_EQ(workspace.run({"compare", "late.run", "loop.run", "--variables", "*x1", "*x2"}).exitCode, 0);
  EXPECT_EQ(workspace.leftovers(), std::vector<std::string>{});
}

TEST(Command, CountsTheCallsOfMath003) {
  const Workspace workspace;
  workspace.write("loop.toml", math003());
  const Result result = workspace.run({"run", "loop.toml", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  const Json statistics = Json::parse(result.out);
  std::string calls;
  for (const Json& member : statistics["subsystems"])
    calls += (calls.empty() ? "" : "/") + std::to_string(member["step"]["count"].get<int>());
  showFigure({"nicolai N7", "statistics-json", "doStep calls 100/100/100 in statistics.json"}, calls,
             calls == "100/100/100");
  EXPECT_EQ(statistics["accepted_steps"], 100);
  EXPECT_EQ(statistics["output"]["count"], 101);
  EXPECT_EQ(workspace.rows("loop.run/results.csv").size(), 101U);
}

TEST(Command, KeepsAHistoryOfACycleThatExchangesDiscreteValuesOnly) {
  Workspace workspace;
  workspace.write("loop.toml", project(subsystem("f", "FeedThrough") + subsystem("g", "FeedThrough") +
                                       connection("f.integerOut", "g.integerIn") +
                                       connection("g.integerOut", "f.integerIn") + R"([algorithm]
kind = "iterated-gauss-seidel"
[results]
iterations = []
)"));
  const Result result = workspace.run({"run", "loop.toml"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  EXPECT_TRUE(contains(workspace.read("loop.run/iterations.csv"), "converged"));
}

TEST(Command, PrintsATableOfWhatTheRunCost) {
  const Workspace workspace;
  workspace.write("loop.toml", math003(R"([algorithm]
kind = "iterated-gauss-seidel"
max_iterations = 2
norm = "nicolai"
without_convergence = "accept"
[acceleration]
kind = "none"
)"));
  const Result result = workspace.run({"run", "loop.toml"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  std::string missing;
  for (const char* row : {"wall clock", "writing results", "master algorithm", "convergence failures", "error tests",
                          "subsystem", "step", "save", "restore", "part1", "part2", "part3"})
    if (!contains(result.out, row)) missing += std::string(" ") + row;
  showFigure(
      {"nicolai N7", "statistics-table",
       "wall clock, writing, master algorithm, convergence failures, error tests; steps, saves, restores of each "
       "subsystem"},
      missing.empty() ? "all of them" : "missing:" + missing, missing.empty());
  const Json statistics = Json::parse(workspace.read("loop.run/statistics.json"));
  EXPECT_EQ(statistics["convergence_failures"], 10);
  EXPECT_EQ(statistics["subsystems"][1]["step"]["count"], 130);
  EXPECT_EQ(statistics["subsystems"][1]["restore"]["count"], 30);
  EXPECT_TRUE(contains(result.err, "warning: coupling: the step from ")) << result.err;
  EXPECT_TRUE(contains(result.err, "did not converge")) << result.err;
}

/// What a terminal is sent by a run of some steps of 0.2 s each.
std::string screenOfASlowRun(const std::string& preparation) {
  const Workspace workspace;
  workspace.write("slow.toml", R"(format = 1
[simulation]
end = 4.0
step = 1.0
[[subsystems]]
name = "slow"
program = "sleep 0.2; echo 1 > out.txt"
[subsystems.outputs]
y = { file = "out.txt", reader = "columns", columns = [1] }
)");
  const std::string command = "cd '" + workspace.path().string() + "' && script -qec '" + preparation +
                              KOPPLA_COMMAND " run slow.toml' typescript >/dev/null 2>&1 </dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << workspace.read("typescript");  // NOLINT(concurrency-mt-unsafe)
  return workspace.read("typescript");
}

TEST(Command, FitsTheLineThatItRewritesToTheTerminal) {
  const std::string screen = screenOfASlowRun("stty cols 50; ");
  const auto lines = test::matches(screen, "\r\x1b\\[K([^\r\x1b\n]+ %[^\r\x1b\n]*)");
  ASSERT_FALSE(lines.empty()) << screen;
  for (const test::Match& line : lines) {
    EXPECT_LT(std::string(line[1]).size(), 50U) << line[1];
    EXPECT_FALSE(test::matches(line[1], "t = \\d+ s of 4 s.* left").empty()) << line[1];
  }
}

TEST(Command, ShowsOnATerminalHowARunGoesOn) {
  const std::string screen = screenOfASlowRun("");
  // Step number, t, next h, failures, wall clock, speed and remaining time (Nicolai's note, sec. 6).
  const std::string line =
      R"(\d+\.\d %  t = \d+ s of 4 s  step \d+ of 1 s.*  0 failures  \S+ \S+ elapsed  \S+ x real time  \S+ \S+ left)";
  const bool shown = !test::matches(screen, line).empty();
  showFigure({"nicolai N7", "progress", "step, t, h, failures, wall clock, speed, remaining time while running"},
             shown ? "all of them" : "not shown", shown);
}

TEST(Command, DrawsAPicture) {
  const Workspace workspace;
  workspace.write("loop.toml", math003());
  ASSERT_EQ(workspace.run({"run", "loop.toml", "--quiet"}).exitCode, 0);
  const Result result = workspace.run({"plot", "loop.run", "--svg", "loop.svg"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  pugi::xml_document picture;
  ASSERT_TRUE(picture.load_file(workspace.path("loop.svg").c_str()));
  EXPECT_STREQ(picture.document_element().name(), "svg");
  EXPECT_TRUE(contains(workspace.read("loop.svg"), "part3.x4"));
}

TEST(Command, DrawsAHistoryOfIterationsOverTheirNumber) {
  const Workspace workspace;
  workspace.write("loop.toml", math003(R"([algorithm]
kind = "iterated-gauss-seidel"
max_iterations = 3
without_convergence = "accept"
[results]
format = "hdf5"
iterations = ["part2.x3"]
)"));
  ASSERT_EQ(workspace.run({"run", "loop.toml", "--quiet"}).exitCode, 0);
  const Result terminal = workspace.run({"plot", "loop.run", "--iterations"});
  ASSERT_EQ(terminal.exitCode, 0) << terminal.all();
  EXPECT_TRUE(contains(terminal.out, "residual")) << terminal.out;
  EXPECT_TRUE(contains(terminal.out, "iteration")) << terminal.out;
  const Result result = workspace.run({"plot", "loop.run", "--iterations", "--svg", "h.svg", "part2.x3", "residual"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  EXPECT_TRUE(contains(workspace.read("h.svg"), "part2.x3"));
  EXPECT_FALSE(contains(workspace.read("h.svg"), "time"));
}

TEST(Command, PassesEveryTypeOn) {
  const Workspace workspace;
  const std::string values =
      R"(realIn = 0.1, discreteIn = -2.5, integerIn = -7, booleanIn = true, stringIn = "say \"ä\", ok", enumerationIn = "violet", "bus.signal[1]" = 1e-300)";
  std::string text =
      "format = 1\nsimulation = { end = 0.5, step = 0.25 }\nresults = { variables = [\"second.*Out\", "
      "\"second.bus*2]\"] }\n" +
      subsystem("first", "FeedThrough", values) + subsystem("second", "FeedThrough") +
      connection("first.bus.signal[2]", "second.bus.signal[1]");
  for (const char* type : {"real", "discrete", "integer", "boolean", "string", "enumeration"})
    text += connection(std::string("first.") + type + "Out", std::string("second.") + type + "In");
  workspace.write("all.toml", text);
  const Result result = workspace.run({"run", "all.toml", "--quiet"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  const std::string csv = workspace.read("all.run/results.csv");
  EXPECT_TRUE(
      csv.starts_with("\"time\",\"second.realOut\",\"second.discreteOut\",\"second.integerOut\",\"second.booleanOut\","
                      "\"second.stringOut\",\"second.enumerationOut\",\"second.bus.signal[2]\"\n"))
      << csv;
  const std::vector<std::string> rows = workspace.rows("all.run/results.csv");
  ASSERT_EQ(rows.size(), 3U);
  const std::string same = R"(,0.1,-2.5,-7,1,"say ""ä"", ok",7,1e-300)";
  EXPECT_EQ(rows, (std::vector<std::string>{"0" + same, "0.25" + same, "0.5" + same}));
}

TEST(Command, SurvivesAnFmuThatLogsInEveryWay) {
  const Workspace workspace;
  workspace.write("wild.toml",
                  "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n" + subsystem("wild", "WildLogger"));
  const Result result = workspace.run({"run", "wild.toml", "--quiet"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  const std::string log = workspace.read("wild.run/run.log");
  for (const char* line :
       {"wild: [logEvents] lines is lines, nobody is #r99#, a hash is #", "wild: [logEvents] text 42 1.500000 100 %",
        "from another thread: 1", "beside another thread: 2"})
    EXPECT_TRUE(contains(log, line)) << line;
  EXPECT_EQ(workspace.rows("wild.run/results.csv").back(), "1,10");
}

/// The lag takes inputs of degree 1, which the log tells for information; that is no mapping.
TEST(Command, ChecksAreToldOfMappingsOnlyWhereThereAreSome) {
  const Workspace workspace;
  workspace.write("p.toml",
                  "format = 1\nsimulation = { end = 1.0, step = 0.1 }\nalgorithm = { kind = \"gauss-seidel\", degree = "
                  "2 }\n" +
                      subsystem("first", "fmus/FirstOrderLag.fmu") + subsystem("second", "fmus/FirstOrderLag.fmu") +
                      "[[connections]]\nfrom = \"first.y\"\nto = \"second.u\"\n");
  EXPECT_EQ(workspace.run({"run", "p.toml"}).exitCode, 0);
  EXPECT_TRUE(contains(core::readWhole(workspace.path("p.run/run.log")), "takes inputs of degree"));
  const Result result = workspace.run({"check", "p.toml"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_FALSE(contains(result.out, "mapping")) << result.out;
}

TEST(Command, WarnsOfOutputsThatAreLateForWantOfASavedState) {
  const Workspace workspace;
  writeGain(workspace.path("Plain.fmu"),
            gainDescriptionWith("canGetAndSetFMUstate=\"true\"", "canGetAndSetFMUstate=\"false\""), gainLibrary());
  workspace.write("p.toml",
                  "format = 1\nsimulation = { end = 1.0, step = 0.1 }\nalgorithm = { kind = \"gauss-seidel\", degree = "
                  "1 }\n" +
                      subsystem("lag", "fmus/FirstOrderLag.fmu") + subsystem("gain", "Plain.fmu") +
                      "[[connections]]\nfrom = \"lag.y\"\nto = \"gain.u\"\n");
  const Result result = workspace.run({"run", "p.toml"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_TRUE(contains(result.err, "gain takes values of inputs only")) << result.err;
  EXPECT_TRUE(contains(result.err, "at the same instant: gain.y. With algorithm.degree = 1")) << result.err;
  const Result plain = workspace.run({"run", "p.toml", "--set", "algorithm.degree=0", "--overwrite"});
  EXPECT_FALSE(contains(plain.err, "takes values of inputs only")) << plain.err;
}

TEST(Command, GivesAnFmuThatAllowsOneInstanceACopyOfItsLibraryForEach) {
  const Workspace workspace;
  workspace.write("two.toml", "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n" +
                                  subsystem("one", "OncePerProcess") + subsystem("two", "OncePerProcess") +
                                  connection("one.y", "two.u"));
  const Result result = workspace.run({"run", "two.toml", "--quiet"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(workspace.leftovers(), std::vector<std::string>{});
}

TEST(Command, FindsFmusBesideTheProjectWhereverItIsStartedFrom) {
  const Workspace workspace;
  workspace.write("mühle & co/p.toml", "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n" +
                                           subsystem("reader", "../fmus/ResourceReader.fmu"));
  const Result result = workspace.run({"run", "mühle & co/p.toml", "--quiet"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  EXPECT_TRUE(workspace.has("mühle & co/p.run/results.csv"));
}

TEST(Command, InspectsAnFmu) {
  const Workspace workspace;
  Result result = workspace.run({"inspect", "fmus/FeedThrough.fmu"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  for (const char* part : {"FMI 2.0 co-simulation", "save and restore", "realIn", "[degC]", "depends on realIn"})
    EXPECT_TRUE(contains(result.out, part)) << part << " in " << result.out;
  result = workspace.run({"inspect", "fmus/FeedThrough.fmu", "--json"});
  const Json document = Json::parse(result.out);
  EXPECT_EQ(document["facts"]["model"], "FeedThrough");
  EXPECT_EQ(document["capabilities"]["save_restore"], true);
  EXPECT_EQ(document["variables"][0]["name"], "realIn");
  EXPECT_EQ(document["warnings"].size(), 0U);
  EXPECT_EQ(workspace.leftovers(), std::vector<std::string>{});
}

TEST(Command, DoesNotLetAnFmuCommandTheTerminal) {
  const Workspace workspace;
  writeGain(workspace.path("red.fmu"), gainDescriptionWith("y = k u + b", "&#27;[31mred&#7;"), gainLibrary());
  const Result result = workspace.run({"inspect", "red.fmu"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_TRUE(contains(result.out, "\\u001b[31mred\\u0007")) << result.out;
}

TEST(Command, WritesJsonWhateverBytesNamesHold) {
  const Workspace workspace;
  workspace.write("\xff.toml", project());
  workspace.write("latin1.csv", "\"time\",\"L\xe4nge\"\n0,1\n1,2\n");
  const Result check = workspace.run({"check", "\xff.toml", "--json"});
  EXPECT_EQ(check.exitCode, 0) << check.all();
  EXPECT_EQ(Json::parse(check.out)["subsystems"], 1);
  const Result comparison = workspace.run({"compare", "latin1.csv", "latin1.csv", "--json"});
  EXPECT_EQ(comparison.exitCode, 0) << comparison.all();
  EXPECT_EQ(Json::parse(comparison.out)["equal"], true);
}

TEST(Command, WarnsOfOptionsWithoutEffectAndRuns) {
  const Workspace workspace;
  workspace.write("p.toml", project("[algorithm]\nmax_iterations = 5\n"));
  const Result result = workspace.run({"run", "p.toml", "--quiet"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_TRUE(contains(result.err, "warning: project: p.toml:9:1: 'max_iterations' in [algorithm] has no effect"))
      << result.err;
  EXPECT_TRUE(contains(workspace.read("p.run/run.log"), "has no effect"));
}

TEST(Command, ExplainsItself) {
  const Workspace workspace;
  for (const char* command : {"", "run", "check", "inspect", "compare", "plot", "new", "version"}) {
    const Result result = *command == '\0' ? workspace.run({"--help"}) : workspace.run({command, "--help"});
    EXPECT_EQ(result.exitCode, 0) << command;
    EXPECT_TRUE(contains(result.out, "Usage: koppla ")) << result.out;
    EXPECT_TRUE(contains(result.out, "Examples:")) << result.out;
    EXPECT_EQ(result.err, "");
  }
  EXPECT_TRUE(contains(workspace.run({"--help"}).out, "Exit codes: 0 ok"));
  EXPECT_TRUE(contains(workspace.run({"--help"}).out, "6 output failed"));
}

TEST(Command, ExplainsAllCommandsAtOnce) {
  const Result result = Workspace().run({"--help-all"});
  EXPECT_EQ(result.exitCode, 0);
  for (const char* part : {"--iterations", "--atol", "--restart", "Exit codes: 0 ok"})
    EXPECT_TRUE(contains(result.out, part)) << part;
}

TEST(Command, KnowsItsVersion) {
  const Workspace workspace;
  const Result result = workspace.run({"version"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_TRUE(result.out.starts_with("koppla ") && result.out.ends_with("\n")) << result.out;
  EXPECT_EQ(workspace.run({"--version"}).out, result.out);
}

}  // namespace
}  // namespace koppla::test::run_test
