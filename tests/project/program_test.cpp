// Programs behind files in project files.

#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/project/project.hpp"
#include "koppla/project/reader.hpp"

#include "problem_list.hpp"
#include "support/figure.hpp"

namespace koppla::project::program_test {
namespace {

namespace fs = std::filesystem;
using test::mistakes;
using test::ProblemList;
using test::problemsOf;
using test::showWithin;
using test::warnings;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// A project in a folder of its own.
class Programs : public testing::Test {
 protected:
  /// The subsystem 'a' has these lines, the first of them in line 5.
  Reading parseLines(const std::string& lines, std::initializer_list<std::string_view> settings = {}) {
    std::vector<Override> overrides;
    for (const std::string_view setting : settings) overrides.push_back(parseOverride(setting));
    return parse("format = 1\nsimulation = { end = 1.0, step = 0.5 }\n[[subsystems]]\nname = \"a\"\n" + lines,
                 folder_.path() / "loop.toml", overrides);
  }
  ProblemList problemsOfBuilding(const std::string& lines) {
    const Reading reading = parseLines(lines);
    if (!reading.findings.mistakes.empty()) return mistakes(reading);
    core::Log log;
    return problemsOf([&] { build(reading.project, log); });
  }
  void write(const char* name, std::string_view text) { core::writeWhole(folder_.path() / name, text); }

  /// The value of a variable at the end of the run.
  static double valueAtEnd(const Reading& reading, std::string_view variable) {
    EXPECT_EQ(mistakes(reading), ProblemList{});
    core::Log log;
    run::Run run = makeRun(reading.project, log);
    EXPECT_TRUE(run.initialise().ok());
    EXPECT_TRUE(run.simulate().ok());
    return std::get<double>(run.value(variable));
  }

  core::TemporaryFolder folder_{"programs"};
};

const std::string kDouble = R"(program = "awk '{ print $1, \",\", 2 * $3 }' x.csv > y.csv"
inputs.x = { start = 21.0, file = "x.csv" }
outputs.y = { file = "y.csv", unit = "m" }
)";

TEST_F(Programs, RunInAProjectThatIsNamedWithoutItsFolder) {
  const Reading reading = parse(
      "format = 1\nsimulation = { end = 1.0, step = 0.5 }\n[[subsystems]]\nname = \"a\"\n" + kDouble, "loop.toml", {});
  EXPECT_EQ(valueAtEnd(reading, "a.y"), 42.0);
}

TEST_F(Programs, ReadersKnowTheUnitOfTheirPort) {
  const Reading reading = parseLines(kDouble);
  EXPECT_EQ(reading.project.subsystems.front().program->settings.outputs.front().reading.unit, "m");
}

TEST_F(Programs, EveryOptionIsTaken) {
  fs::create_directory(folder_.path() / "model");
  for (const char* file : {"script", "deck.template", "begin", "nodes"}) write(file, "");
  write("nodes", "# nodes of the face\n7 , 0.1\n3\n");
  const Reading reading = parseLines(R"(program = ["awk", "-f", "script"]
before = "true"
after = ["true"]
folder = "model"
link = true
include = ["script"]
deck = { "deck.inp" = "deck.template" }
transient = true
restart_files = [{ write = "new", read = "old", start = "begin" }]
service = true
time_limit = 2.5
memory_limit = 100
file_size_limit = 0.5
retries = 2
ok_status = [0, 3]
failure_patterns = ["ERROR"]
failure_files = ["run.log"]
keep = "failed"
parameters = { k = 2.0, v = [1, 2.5] }
[subsystems.inputs]
x = { ids = "nodes", components = 2, start = 1.5, unit = "N", nominal = 10.0, file = "x.csv", description = "load" }
[subsystems.outputs]
a = { size = 3, start = [1, 2, 3], file = "a.txt", reader = "columns", columns = ["u"], id_column = "node", separator = ";" }
b = { file = "b.txt", reader = "key-value", key = "T1", take = "first", open_end = true }
c = { ids = [5, 4], file = "c.txt", reader = "block", begin = "^T", end = "^-", columns = [2], id_column = 1 }
d = { components = 3, file = "d.dat", reader = "calculix-dat", quantity = "stresses", set = "E", take = "time", point = 2 }
)");
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(warnings(reading), ProblemList{});
  const program::ProgramSettings& settings = reading.project.subsystems.at(0).program->settings;
  EXPECT_EQ(settings.name, "a");
  EXPECT_EQ(settings.command, program::Command(std::vector<std::string>{"awk", "-f", "script"}));
  EXPECT_EQ(settings.before, program::Command(std::string("true")));
  EXPECT_EQ(settings.folder, folder_.path() / "model");
  EXPECT_TRUE(settings.link);
  EXPECT_THAT(settings.include, ElementsAre(folder_.path() / "script"));
  EXPECT_EQ(settings.deck.at(0).name, "deck.inp");
  EXPECT_TRUE(settings.isTransient);
  EXPECT_EQ(settings.restart.at(0).read, "old");
  EXPECT_EQ(settings.restart.at(0).start, folder_.path() / "begin");
  EXPECT_TRUE(settings.service);
  EXPECT_EQ(settings.limits.seconds, 2.5);
  EXPECT_EQ(settings.limits.memoryBytes, 100'000'000U);
  EXPECT_EQ(settings.limits.fileBytes, 500'000U);
  EXPECT_EQ(settings.retries, 2U);
  EXPECT_THAT(settings.okStatus, ElementsAre(0, 3));
  EXPECT_THAT(settings.failurePatterns, ElementsAre("ERROR"));
  EXPECT_EQ(settings.keep, program::Keep::failed);
  EXPECT_THAT(settings.parameters.at(1).start, ElementsAre(1.0, 2.5));
  EXPECT_THAT(settings.inputs.at(0).field.ids, ElementsAre(7, 3));
  EXPECT_EQ(settings.inputs.at(0).field.size(), 4U);
  EXPECT_EQ(settings.inputs.at(0).file, "x.csv");
  EXPECT_EQ(settings.outputs.at(0).reading.separator, ';');
  EXPECT_EQ(settings.outputs.at(1).reading.key, "T1");
  EXPECT_TRUE(settings.outputs.at(1).reading.openEnd);
  EXPECT_EQ(settings.outputs.at(2).reading.end, "^-");
  EXPECT_EQ(settings.outputs.at(3).reading.take, program::Take::atTime);
  EXPECT_EQ(settings.outputs.at(3).reading.point, 2U);
}

TEST(ProgramsInThePresentFolder, NeedNoPathToTheirProject) {
  core::Log log;
  const Reading reading = parse(
      "format = 1\nsimulation = { end = 1.0, step = 1.0 }\n[[subsystems]]\nname = \"a\"\n" + kDouble, "loop.toml");
  ASSERT_EQ(mistakes(reading), ProblemList{});
  run::Run run = makeRun(reading.project, log);
  EXPECT_TRUE(run.initialise().ok());
}

TEST_F(Programs, AreSubsystemsLikeOthers) {
  const Reading reading = parseLines(kDouble + R"([[subsystems]]
name = "b"
model = "expressions"
inputs = { u = 0.0 }
outputs = { z = "u + 1" }
[[connections]]
from = "a.y"
to = "b.u"
)",
                                     {"a.x=5", "a.time_limit=9"});
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(reading.project.subsystems.at(0).program->settings.limits.seconds, 9.0);
  core::Log log;
  run::Run run = makeRun(reading.project, log);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  EXPECT_EQ(std::get<double>(run.value("a.y")), 10.0);
  EXPECT_EQ(std::get<double>(run.value("b.z")), 11.0);
}

/// Each makes half of what it gets and adds 1, so all values of a ring settle at 2.
constexpr const char* kHalves = R"(
program = "awk '{ printf \"1 , %.17g\\n\", 0.5 * $3 + 1 }' x.csv > y.csv"
inputs.x = { file = "x.csv" }
outputs.y = { file = "y.csv" }
)";

/// A static analysis, iterated sharply.
const std::initializer_list<std::string_view> kIterated{"algorithm.kind=iterated-gauss-seidel", "algorithm.rtol=1e-10",
                                                        "simulation.initialisation=start-values",
                                                        "simulation.step=1.0"};

TEST_F(Programs, SeveralMakeOneLoop) {
  const std::string again = "[[subsystems]]\nname = ";
  const Reading reading = parseLines(kHalves + again + "\"b\"" + kHalves + again + "\"c\"" + kHalves + R"(
[[connections]]
from = "a.y"
to = "b.x"
[[connections]]
from = "b.y"
to = "c.x"
[[connections]]
from = "c.y"
to = "a.x"
)",
                                     kIterated);
  showWithin({"jung 8", "three-programs", "2, the fixed point, to 1e-8"}, valueAtEnd(reading, "c.y"), 2.0, 1e-8);
}

TEST_F(Programs, SitInOneLoopWithModelsInProcess) {
  const Reading reading = parseLines(std::string(kHalves) + R"([[subsystems]]
name = "b"
model = "expressions"
inputs = { u = 0.0 }
outputs = { z = "0.5 * u + 1" }
[[connections]]
from = "a.y"
to = "b.u"
[[connections]]
from = "b.z"
to = "a.x"
)",
                                     kIterated);
  showWithin({"jung 11", "mixed-loop", "2, the fixed point, to 1e-8"}, valueAtEnd(reading, "a.y"), 2.0, 1e-8);
}

/// Leaves a mark in its first call of the step and waits for that of its partner: alone it fails. Whether later calls
/// are made at the same time depends on how long they took.
std::string meeting(const std::string& own, const std::string& partner) {
  return "\nprogram = '''\nm=$KOPPLA_PROJECT/mark-\nif [ $KOPPLA_STEP.$KOPPLA_ITERATION = 1.1 ]; then\n  touch $m" +
         own + "\n  n=0\n  while [ ! -e $m" + partner +
         " ]; do sleep 0.01; n=$((n + 1)); [ $n -gt 2000 ] && exit 1; done\nfi\n"
         "awk '{ printf \"1 , %.17g\\n\", 0.5 * $3 + 1 }' x.csv > y.csv\n'''\n"
         "inputs.x = { file = \"x.csv\" }\noutputs.y = { file = \"y.csv\" }\n";
}

TEST_F(Programs, RunAtTheSameTimeUnderJacobiWithoutAnySetting) {
  const Reading reading = parseLines(meeting("a", "b") + "[[subsystems]]\nname = \"b\"" + meeting("b", "a") + R"(
[[connections]]
from = "a.y"
to = "b.x"
[[connections]]
from = "b.y"
to = "a.x"
)",
                                     {"algorithm.kind=iterated-jacobi", "acceleration.kind=none",
                                      "simulation.initialisation=start-values", "simulation.step=1.0"});
  EXPECT_NEAR(valueAtEnd(reading, "a.y"), 2.0, 1e-3);
}

TEST_F(Programs, CanBeInsideAnIntegrator) {
  // x' = -y with y = 2 x from the program.
  const Reading reading = parseLines(kDouble + R"(inside = "b"
[[subsystems]]
name = "b"
model = "expressions"
integrator = "ode4"
micro_step = 0.25
inputs = { u = 0.0 }
states = { x = 1.0 }
derivatives = { x = "-u" }
outputs = { z = "x" }
[[connections]]
from = "a.y"
to = "b.u"
[[connections]]
from = "b.z"
to = "a.x"
)");
  EXPECT_NEAR(valueAtEnd(reading, "b.z"), std::exp(-2.0), 1e-3);
}

/// One for its value and one for each of its probes, up to as many as are allowed.
TEST_F(Programs, InsideAnIntegratorHaveInstancesForTheirProbes) {
  const auto instances = [this](const std::string& options, const std::vector<std::string>& inputs) {
    std::string lines = R"(program = "echo '1 , 0' > y.csv"
inputs.x = { size = 2, file = "x.csv" }
inputs.w = { file = "w.csv" }
inputs.v = { size = 20, file = "v.csv" }
outputs.y = { file = "y.csv" }
inside = "b"
)" + options + R"([[subsystems]]
name = "b"
model = "expressions"
integrator = "ode1"
inputs = { u = 0.0 }
states = { x = 1.0 }
derivatives = { x = "-u" }
outputs = { z = "x" }
[[connections]]
from = "a.y"
to = "b.u"
)";
    for (const std::string& input : inputs) lines += "[[connections]]\nfrom = \"b.z\"\nto = \"a." + input + "\"\n";
    Reading reading = parseLines(lines);
    EXPECT_EQ(mistakes(reading), ProblemList{});
    reading.project.programsFolder = folder_.path() / "called";
    fs::remove_all(reading.project.programsFolder);
    core::Log log;
    run::Run run = makeRun(reading.project, log);
    EXPECT_TRUE(run.initialise().ok());
    return std::distance(fs::directory_iterator(reading.project.programsFolder), fs::directory_iterator());
  };
  EXPECT_EQ(instances("", {"w"}), 2);
  EXPECT_EQ(instances("", {"x[1]", "x[2]"}), 3);
  EXPECT_EQ(instances("", {"x[1]", "x[2]", "w"}), 4);
  EXPECT_EQ(instances("instances = 1\n", {"x[1]", "x[2]", "w"}), 1);
  EXPECT_EQ(instances("instances = 3\n", {"x[1]", "x[2]", "w"}), 3);
  EXPECT_EQ(instances("instances = 9\n", {"w"}), 2);
  std::vector<std::string> twenty;
  for (int i = 1; i <= 20; ++i) twenty.push_back(fmt::format("v[{}]", i));
  EXPECT_EQ(instances("", twenty), 16) << "unless more are asked for";
  EXPECT_EQ(instances("instances = 20\n", twenty), 20);
}

TEST_F(Programs, TransientOnesCannotBeInsideAnIntegrator) {
  EXPECT_THAT(
      problemsOfBuilding("transient = true\ninside = \"b\"\n" + kDouble + R"([[subsystems]]
name = "b"
model = "expressions"
states = { x = 1.0 }
derivatives = { x = "-x" }
)"),
      Contains(HasSubstr("'a' cannot be solved by the integrator of 'b': the program takes steps of its own.")));
}

TEST_F(Programs, MistakesHaveTheirLine) {
  const ProblemList all = mistakes(parseLines(R"(program = ["true"]
include = ["nothing"]
deck = { "x" = "none" }
folder = "nowhere"
time_limit = 0
ok_status = [300]
keep = "some"
restart_files = [{ read = "old" }]
tmie_limit = 3.0
[subsystems.inputs]
x = { size = 2, ids = [1, 2.5] }
[subsystems.outputs]
y = { reader = "colums" }
z = { file = "z", reader = "block" }
w = { file = "w", reader = "csv", take = "time", separator = "ab", columns = [0] }
)"));
  EXPECT_THAT(all, Contains(HasSubstr("6:11 There is no file ")));
  EXPECT_THAT(all, Contains(HasSubstr("7:8 There is no file ")));
  EXPECT_THAT(all, Contains(HasSubstr("8:10 There is no folder ")));
  EXPECT_THAT(all, Contains(HasSubstr("9:14 'time_limit' in [[subsystems]] is 0; it must be above 0.")));
  EXPECT_THAT(all, Contains(HasSubstr("10:13 An exit status is the integer 300.")));
  EXPECT_THAT(all, Contains(HasSubstr("11:8 'some' is no value of 'keep'")));
  EXPECT_THAT(all, Contains(HasSubstr("12:18 There is no 'write' in [[restart_files]].")));
  EXPECT_THAT(all, Contains(HasSubstr("12:17 A static program has no steps")));
  EXPECT_THAT(all,
              Contains(HasSubstr("13:1 'tmie_limit' is not an option of [[subsystems]]. Did you mean 'time_limit'?")));
  EXPECT_THAT(all, Contains(HasSubstr("15:14 'size' and 'ids' exclude each other.")));
  EXPECT_THAT(all, Contains(HasSubstr("15:23 An id is the real 2.5; expected is a whole number.")));
  EXPECT_THAT(all, Contains(HasSubstr("17:1 There is no 'file' in y.")));
  EXPECT_THAT(all, Contains(HasSubstr("17:16 'colums' is no value of 'reader' in y. Did you mean 'columns'?")));
  EXPECT_THAT(all, Contains(HasSubstr("18:1 There is no 'begin' in z.")));
  EXPECT_THAT(all, Contains(HasSubstr("19:42 Only tables of CalculiX tell their time.")));
  EXPECT_THAT(all, Contains(HasSubstr("'ab' is no separator of columns.")));
  EXPECT_THAT(all, Contains(HasSubstr("A column is the integer 0.")));
}

TEST_F(Programs, MistakesInTemplatesAreFoundBeforeTheRun) {
  write("deck.template", "first\n{{load}}\n");
  const ProblemList all = problemsOfBuilding(
      "program = [\"no-such-program\"]\ndeck = { \"deck.inp\" = \"deck.template\" }\n"
      "outputs.y = { file = \"deck.inp\" }\n");
  EXPECT_THAT(all,
              Contains(HasSubstr("5:11 The program of 'a' cannot be used: There is no program 'no-such-program'")));
  EXPECT_THAT(all,
              Contains(HasSubstr("deck.template:2: There is no input or parameter 'load' for the mark {{load}}.")));
  EXPECT_THAT(all, Contains(HasSubstr("The output 'y' is read from deck.inp, which is an input file.")));
}

TEST_F(Programs, ASubsystemIsOneKindOfThing) {
  EXPECT_THAT(
      mistakes(parseLines("model = \"rod\"\nprogram = \"true\"\n")),
      Contains("6:11 A subsystem is either an FMU or a native model or a program. Remove 'model' or 'program'."));
}

TEST_F(Programs, OptionsOfOtherReadersAreWarnedOf) {
  const Reading reading = parseLines(kDouble + "outputs.z = { file = \"z\", key = \"T\" }\n");
  EXPECT_THAT(warnings(reading), Contains(HasSubstr("'key' in z has no effect: the reader 'csv' does not use it.")));
}

}  // namespace
}  // namespace koppla::project::program_test
