// Connections between ports on different meshes.

#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/project/project.hpp"
#include "koppla/project/reader.hpp"
#include "koppla/results/memory_recorder.hpp"

#include "problem_list.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::project::mapped_connections_test {
namespace {

using test::mistakes;
using test::ProblemList;
using test::problemsOf;
using test::showAtMost;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

struct Node {
  int id;
  double x;
};

// Neither in the order of their ids nor of their places.
const std::vector<Node> kCoarse{{40, 1.0}, {7, 0.0}, {12, 0.3}, {5, 0.65}};
const std::vector<Node> kFine{{3, 0.85}, {1, 0.1}, {9, 0.5}, {2, 0.0}, {8, 1.0}, {4, 0.6}, {6, 0.2}};

std::string idsOf(const std::vector<Node>& nodes) {
  std::vector<int> ids;
  for (const Node& node : nodes) ids.push_back(node.id);
  return fmt::format("[{}]", fmt::join(ids, ", "));
}

class MappedConnections : public testing::Test {
 protected:
  MappedConnections() {
    // In the order of places: it is the ids that say which value belongs where.
    writePoints("coarse.csv", kCoarse);
    writePoints("fine.csv", kFine);
  }

  void write(const std::string& name, std::string_view text) { core::writeWhole(folder_.path() / name, text); }

  void writePoints(const std::string& name, std::vector<Node> nodes) {
    std::ranges::sort(nodes, {}, &Node::x);
    std::string text = "id,x\n";
    for (const Node& node : nodes) text += fmt::format("{},{}\n", node.id, node.x);
    write(name, text);
  }

  Reading read(const std::string& lines) { return parse("format = 1\n" + lines, folder_.path() / "loop.toml"); }

  /// A program that tells f(x) at the nodes, and one that hands on what it is given there.
  Reading oneWay(const std::vector<Node>& from, const std::vector<Node>& to, const std::string& mapping,
                 const std::function<double(double)>& f, int components = 1) {
    std::string values;
    for (const Node& node : from) {
      values += std::to_string(node.id);
      for (int c = 0; c < components; ++c) values += fmt::format(",{}", (c + 1) * f(node.x));
      values += "\n";
    }
    write("values", values);
    return read(fmt::format(R"(simulation = {{ end = 1.0, step = 1.0 }}
results.variables = ["*"]
[[subsystems]]
name = "a"
program = "cp values told.csv"
include = ["values"]
outputs.T = {{ ids = {}, components = {}, file = "told.csv" }}
[[subsystems]]
name = "b"
program = "cp q.csv y.csv"
inputs.q = {{ ids = {}, components = {}, file = "q.csv" }}
outputs.y = {{ ids = {}, components = {}, file = "y.csv" }}
[[connections]]
from = "a.T"
to = "b.q"
mapping = {{ {} }}
)",
                            idsOf(from), components, idsOf(to), components, idsOf(to), components, mapping));
  }

  /// The last row of a run.
  std::map<std::string, double> lastRow(const Reading& reading) {
    EXPECT_EQ(mistakes(reading), ProblemList{});
    core::Log log;
    log.addSink([this](core::Severity, std::string_view, std::string_view message) { told_.emplace_back(message); });
    results::MemoryRecorder recorder;
    run::Run run = makeRun(reading.project, log, &recorder);
    EXPECT_TRUE(run.initialise().ok());
    EXPECT_TRUE(run.simulate().ok());
    run.end();
    statistics_ = run.statistics();
    std::map<std::string, double> row;
    const results::Table& table = recorder.table();
    for (const results::Series& series : table.series) row[series.name] = series.numbers.back();
    return row;
  }

  core::TemporaryFolder folder_{"mapped"};
  std::vector<std::string> told_;
  run::Statistics statistics_;
};

std::vector<double> vectorOf(const std::map<std::string, double>& row, const std::string& port, std::size_t size) {
  std::vector<double> values;
  for (std::size_t i = 1; i <= size; ++i) values.push_back(row.at(fmt::format("{}[{}]", port, i)));
  return values;
}

const std::string kConsistent = R"(form = "consistent", from = "coarse.csv", to = "fine.csv")";

TEST_F(MappedConnections, ConstantsStayAndLinearFieldsAreExact) {
  const auto constant = [](double) { return 293.0; };
  const auto linear = [](double x) { return 300.0 - 40.0 * x; };
  for (const auto& [kind, field] :
       std::initializer_list<std::pair<const char*, std::function<double(double)>>>{{"nearest", constant},
                                                                                    {"linear", constant},
                                                                                    {"linear", linear},
                                                                                    {"radial-basis", constant},
                                                                                    {"radial-basis", linear}}) {
    SCOPED_TRACE(kind);
    const auto row = lastRow(oneWay(kCoarse, kFine, fmt::format("kind = \"{}\", {}", kind, kConsistent), field));
    const std::vector<double> arrived = vectorOf(row, "b.y", kFine.size());
    test::Largest error;
    for (std::size_t i = 0; i < kFine.size(); ++i) error.see(std::fabs(arrived[i] - field(kFine[i].x)));
    const std::string figure = fmt::format("{}-field-by-{}", field(0.0) == field(1.0) ? "constant" : "linear", kind);
    showAtMost({"jung 9", figure, "exact to 1e-9 of 300 K"}, error, 1e-9);
    // What is recorded of the input is what the target was given.
    EXPECT_EQ(vectorOf(row, "b.q", kFine.size()), arrived);
    EXPECT_EQ(vectorOf(row, "a.T", kCoarse.size()).size(), kCoarse.size());
  }
}

TEST_F(MappedConnections, ConservativeOnesKeepTheTotalOfEveryComponent) {
  test::Largest largest;
  for (const char* kind : {"nearest", "linear", "radial-basis"}) {
    SCOPED_TRACE(kind);
    const auto row = lastRow(oneWay(
        kFine, kCoarse,
        fmt::format(R"(kind = "{}", form = "conservative", from = "fine.csv", to = "coarse.csv")", kind),
        [](double x) { return 1.0 + x * x; }, 2));
    for (std::size_t c = 0; c < 2; ++c) {
      double sent = 0.0;
      double arrived = 0.0;
      for (std::size_t i = 0; i < kFine.size(); ++i) sent += row.at(fmt::format("a.T[{}]", 2 * i + c + 1));
      for (std::size_t i = 0; i < kCoarse.size(); ++i) arrived += row.at(fmt::format("b.y[{}]", 2 * i + c + 1));
      EXPECT_GT(sent, 7.0);
      largest.see(std::fabs(arrived - sent) / sent);
    }
  }
  showAtMost({"jung 9", "conserved-sum", "totals equal to 1e-12, all methods"}, largest, 1e-12);
}

TEST_F(MappedConnections, ScaleAndOffsetFollowTheMapping) {
  Reading reading =
      oneWay(kCoarse, kFine, "kind = \"linear\", " + kConsistent, [](double x) { return 300.0 - 40.0 * x; });
  reading.project.connections.at(0).scale = Placed<double>{2.0, {}};
  reading.project.connections.at(0).offset = Placed<double>{-273.0, {}};
  const std::vector<double> arrived = vectorOf(lastRow(reading), "b.y", kFine.size());
  for (std::size_t i = 0; i < kFine.size(); ++i) EXPECT_NEAR(arrived[i], 327.0 - 80.0 * kFine[i].x, 1e-9);
}

TEST_F(MappedConnections, TheFitOfTheMeshesIsLoggedAndPointsOutsideAreAWarning) {
  lastRow(oneWay(kCoarse, kFine, "kind = \"linear\", " + kConsistent, [](double) { return 1.0; }));
  EXPECT_THAT(told_, Contains(AllOf(HasSubstr("a.T -> b.q: linear, consistent, from 4 to 7 points"),
                                    HasSubstr("0 outside, 0 unused"))));
  EXPECT_THAT(told_, Not(Contains(HasSubstr("outside the other mesh"))));
  write("fine.csv", "id,x\n2,0\n1,100\n6,200\n9,500\n4,600\n3,850\n8,1000\n");  // mm
  lastRow(oneWay(kCoarse, kFine, "kind = \"linear\", " + kConsistent, [](double) { return 1.0; }));
  EXPECT_THAT(told_, Contains(AllOf(HasSubstr("loop.toml:"), HasSubstr("6 of 7 points of 'b.q' lie outside"),
                                    HasSubstr("999 away (point 8)"))));
}

/// Flow and wall of an elastic tube; the lines end its two connections.
std::string tube(const std::string& algorithm, unsigned flowNodes, unsigned wallNodes, const std::string& pressures,
                 const std::string& areas) {
  return fmt::format(R"(simulation = {{ end = 0.03, step = 0.01 }}
results.variables = ["*"]
[algorithm]
{}
rtol = 1e-9
atol = 1e-9
order = ["flow", "wall"]
[[subsystems]]
name = "flow"
model = "tube-flow"
nodes = {}
[[subsystems]]
name = "wall"
model = "tube-wall"
nodes = {}
[[connections]]
from = "flow.p"
to = "wall.p"
{}
[[connections]]
from = "wall.a"
to = "flow.a"
{}
)",
                     algorithm, flowNodes, wallNodes, pressures, areas);
}

std::string pointsOfTube(unsigned nodes) {
  std::string text = "x\n";
  for (unsigned i = 0; i < nodes; ++i) text += fmt::format("{}\n", static_cast<double>(i) / (nodes - 1));
  return text;
}

TEST_F(MappedConnections, TheIdentityChangesNoIterationAndNoDigit) {
  write("tube.csv", pointsOfTube(11));
  const std::string same = R"(mapping = { kind = "linear", form = "consistent", from = "tube.csv", to = "tube.csv" })";
  const std::string linear = "scale = 1.01\noffset = -0.01\n";  // an area of 1 stays
  for (const char* algorithm :
       {"kind = \"iterated-gauss-seidel\"", "kind = \"iterated-jacobi\"\nmax_iterations = 1000",
        "kind = \"iterated-gauss-seidel\"\ndegree = 2", "kind = \"newton\"", "kind = \"semi-implicit\"\niterate = true",
        "kind = \"semi-implicit\"\niterate = true\nprobes = \"parallel\""}) {
    SCOPED_TRACE(algorithm);
    const auto plain = lastRow(read(tube(algorithm, 11, 11, "", linear)));
    const std::uint64_t evaluations = statistics_.cycles.at(0).evaluations;
    EXPECT_EQ(lastRow(read(tube(algorithm, 11, 11, same, linear + same))), plain);
    EXPECT_EQ(statistics_.cycles.at(0).evaluations, evaluations);
    EXPECT_GT(evaluations, 3U);
  }
}

TEST_F(MappedConnections, DerivativesGoThroughTheMapping) {
  write("flow.csv", pointsOfTube(11));
  write("wall.csv", pointsOfTube(16));
  const std::string pressures =
      R"(mapping = { kind = "linear", form = "consistent", from = "flow.csv", to = "wall.csv" })";
  const std::string areas =
      R"(mapping = { kind = "radial-basis", form = "consistent", from = "wall.csv", to = "flow.csv", degree = 1 })";
  const auto run = [&](const std::string& algorithm) {
    return lastRow(read(tube("kind = " + algorithm, 11, 16, pressures, areas)));
  };
  const auto iterated = run("\"iterated-gauss-seidel\"");
  for (const char* algorithm : {"\"newton\"", "\"semi-implicit\"\niterate = true",
                                "\"semi-implicit\"\niterate = true\nprobes = \"parallel\""}) {
    SCOPED_TRACE(algorithm);
    lastRow(read(tube(std::string("kind = ") + algorithm, 11, 11, "", "")));
    const std::uint64_t ofEqualMeshes = statistics_.cycles.at(0).evaluations;
    const auto row = run(algorithm);
    // Convergence is as fast as without a mapping only with the true derivatives.
    EXPECT_LE(statistics_.cycles.at(0).evaluations, ofEqualMeshes + 2);
    ASSERT_EQ(row.size(), iterated.size());
    for (const auto& [name, value] : iterated)
      EXPECT_NEAR(row.at(name), value, 1e-6 * std::fmax(1.0, std::fabs(value))) << name;
  }
}

TEST_F(MappedConnections, MistakesAreNamedWithTheirPlaces) {
  write("plane.csv", "id,x,y\n40,0,0\n7,1,0\n12,0,1\n5,1,1\n");
  struct Case {
    std::string mapping;
    std::string told;
  };
  const std::string ends = R"(from = "coarse.csv", to = "fine.csv")";
  for (const auto& [mapping, told] : std::initializer_list<Case>{
           {"form = \"consistent\", " + ends, "Write kind ="},
           {"kind = \"linear\", " + ends, "Write form = \"consistent\" for values"},
           {"kind = \"cubic\", form = \"consistent\", " + ends, "'cubic'"},
           {"kind = \"linear\", form = \"sum\", " + ends, "'sum'"},
           {"kind = \"linear\", form = \"consistent\", from = \"coarse.csv\"", "Write to ="},
           {"kind = \"linear\", radius = 2, " + kConsistent, "'radius'"},
           {"kind = \"radial-basis\", degree = 3, " + kConsistent, "degree"},
           {"kind = \"radial-basis\", patch_points = 23, " + kConsistent, "patch_points"},
           {"kind = \"radial-basis\", support = 0.5, " + kConsistent, "17:11 'a.T' cannot be mapped to 'b.q'"},
           {R"(kind = "linear", form = "consistent", from = "no.csv", to = "fine.csv")",
            "17:58 The points cannot be used"},
           {R"(kind = "linear", form = "consistent", from = "coarse.csv", from_part = "wet", to = "fine.csv")",
            "has no part 'wet'"},
           {R"(kind = "linear", form = "consistent", from = "fine.csv", to = "fine.csv")",
            "17:58 The points of 'a.T' are not all in"},
           {R"(kind = "linear", form = "consistent", from = "fine.csv", to = "fine.csv")",
            "no point with the id 40, nor with 3 others"},
           {R"(kind = "linear", form = "consistent", from = "plane.csv", to = "fine.csv")",
            "Linear mapping needs a mesh"},
           {"kind = \"linear\", components = 3, " + kConsistent, "'a.T' has 1 values a point, not 3."}}) {
    SCOPED_TRACE(mapping);
    const Reading reading = oneWay(kCoarse, kFine, mapping, [](double) { return 1.0; });
    core::Log log;
    const ProblemList found =
        reading.findings.mistakes.empty() ? problemsOf([&] { build(reading.project, log); }) : mistakes(reading);
    EXPECT_THAT(found, ElementsAre(HasSubstr(told)));
  }
}

TEST_F(MappedConnections, PortsWithoutIdsTakeThePointsInTheOrderOfTheFile) {
  write("flow.csv", pointsOfTube(11));
  write("wall.csv", pointsOfTube(16));
  const auto problems = [&](const std::string& pressures, const std::string& areas, const std::string& algorithm) {
    const Reading reading = read(tube(algorithm, 11, 16, pressures, areas));
    EXPECT_EQ(mistakes(reading), ProblemList{});
    core::Log log;
    return problemsOf([&] { build(reading.project, log); });
  };
  const std::string implicit = "kind = \"newton\"";
  const std::string right = R"(mapping = { kind = "linear", form = "consistent", from = "flow.csv", to = "wall.csv" })";
  const std::string back = R"(mapping = { kind = "linear", form = "consistent", from = "wall.csv", to = "flow.csv" })";
  EXPECT_THAT(problems(right, "", implicit), ElementsAre(AllOf(HasSubstr("different sizes: 16 and 11"),
                                                               HasSubstr("give a mapping between their meshes"))));
  EXPECT_THAT(problems(right, right, implicit),
              ElementsAre(HasSubstr("'wall.a' has 16 values, but"), HasSubstr("'flow.a' has 11 values, but")));
  Reading element = read(tube(implicit, 11, 16, right, back));
  element.project.connections.at(0).to.port = "p[2]";
  core::Log log;
  EXPECT_THAT(problemsOf([&] { build(element.project, log); }),
              Contains(HasSubstr("'wall.p[2]' is one element; a mapping takes whole ports.")));
}

/// Two masses with a marker each.
std::string masses(const std::string& more) {
  std::string text = "simulation = { end = 1.0, step = 0.1 }\n";
  for (const char* name : {"a", "b"})
    text += fmt::format(R"([[subsystems]]
name = "{}"
model = "expressions"
inputs = {{ F = 0.0 }}
states = {{ x = 1.0, v = 0.0 }}
derivatives = {{ x = "v", v = "F - x" }}
outputs = {{ x = "x", v = "v" }}
markers.m = {{ position = "x", velocity = "v", force = "F" }}
)",
                        name);
  return text + R"([[connections]]
from = "b.x"
to = "a.F"
mapping = { kind = "nearest", form = "consistent", from = "one.csv", to = "one.csv" }
)" + more;
}

TEST_F(MappedConnections, AreRefusedWhereTheyCannotBe) {
  write("one.csv", "id,x\n1,0\n");
  const auto problems = [&](const std::string& more) {
    const Reading reading = read(masses(more));
    EXPECT_EQ(mistakes(reading), ProblemList{});
    core::Log log;
    return problemsOf([&] { build(reading.project, log); });
  };
  EXPECT_EQ(problems(""), ProblemList{"no error"});
  EXPECT_THAT(problems("[algorithm]\nkind = \"model-coupling\"\n"),
              ElementsAre(HasSubstr("One integrator solves 'b' and 'a'; mappings are between coupled subsystems.")));
  EXPECT_THAT(problems("[[conditions]]\nname = \"s\"\nkind = \"spring-damper\"\nstiffness = 1.0\nbetween = [\"b.m\", "
                       "\"a.m\"]\ndecomposition = \"displacement-force\"\n"),
              ElementsAre(HasSubstr("'a.F' is fed by a mapping and by a coupling condition as well.")));
}

/// Values of a program count from 1, and so do these points, in another order.
TEST_F(MappedConnections, PointsThatCountAsThePortDoesAreFoundByTheirIds) {
  write("from.csv", "id,x\n3,0.9\n1,0.1\n2,0.5\n");
  write("to.csv", "id,x\n2,0.88\n1,0.12\n");
  write("values", "1,10\n2,20\n3,30\n");
  const auto row = lastRow(read(R"(simulation = { end = 1.0, step = 1.0 }
results.variables = ["*"]
[[subsystems]]
name = "a"
program = "cp values told.csv"
include = ["values"]
outputs.T = { size = 3, file = "told.csv" }
[[subsystems]]
name = "b"
program = "cp q.csv y.csv"
inputs.q = { size = 2, file = "q.csv" }
outputs.y = { size = 2, file = "y.csv" }
[[connections]]
from = "a.T"
to = "b.q"
mapping = { kind = "nearest", form = "consistent", from = "from.csv", to = "to.csv" }
)"));
  EXPECT_THAT(vectorOf(row, "b.y", 2), ElementsAre(10.0, 30.0));
}

/// Five fields of 1001 values each: Newton's method would need a matrix of all of them.
TEST_F(MappedConnections, LargeLoopsAreNotSolvedAtTheStart) {
  std::string text = "simulation = { end = 1.0, step = 1.0 }\n";
  for (const char* part : {"flow", "walls"})
    text += fmt::format("[[subsystems]]\nname = \"{0}\"\nmodel = \"heat-exchanger-{0}\"\naxial_cells = 1001\n", part);
  for (const char* field : {"T_inside", "T_outside", "T_at_shell"})
    text += fmt::format("[[connections]]\nfrom = \"flow.{0}\"\nto = \"walls.{0}\"\n", field);
  for (const char* field : {"T_tube", "T_shell"})
    text += fmt::format("[[connections]]\nfrom = \"walls.{0}\"\nto = \"flow.{0}\"\n", field);
  const Reading reading = read(text);
  ASSERT_EQ(mistakes(reading), ProblemList{});
  core::Log log;
  run::Run run = makeRun(reading.project, log);
  const run::Outcome outcome = run.initialise();
  EXPECT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.message, AllOf(HasSubstr("has 5005 unknowns"), HasSubstr("\"start-values\"")));
}

}  // namespace
}  // namespace koppla::project::mapped_connections_test
