#include "koppla/project/reader.hpp"

#include <gtest/gtest.h>

#include "problem_list.hpp"

namespace koppla::project {
namespace {

using test::mistakes;
using test::ProblemList;
using test::warnings;

constexpr std::string_view kLeast = R"(format = 1
[simulation]
end = 10.0
step = 0.1
[[subsystems]]
name = "a"
fmu = "a.fmu"
)";

constexpr std::string_view kFull = R"(format = 1
[simulation]
start = 1
end = 10.0
step = 0.1
explosion_limit = 1e6
on_discard = "shorten"
[algorithm]
kind = "iterated-gauss-seidel"
max_iterations = 7
rtol = 1e-3
atol = 1e-4
norm = "nicolai"
discrete = "ignore"
without_convergence = "accept"
order = ["b", "a"]
[step_control]
kind = "convergence"
min_step = 1e-5
max_step = 0.14
untested_below = 0.005
shrink = 4
grow = 1.5
[[subsystems]]
name = "a"
fmu = "fmus/A.fmu"
logging = true
strict = true
[subsystems.parameters]
k = 3.0
n = 4
on = true
text = "x"
list = [1, 2.5]
bus.signal = 6
"bus.signal[1]" = 7
[[subsystems]]
name = "b"
fmu = "/elsewhere/B.fmu"
[[connections]]
from = "a.y"
to = "b.bus.u"
scale = 2
offset = -1.5
[results]
folder = "out"
interval = 0.5
variables = ["a.*", "b.y"]
)";

std::string leastWith(std::string_view more) {
  return std::string(kLeast) + std::string(more);
}

Reading parseText(std::string_view text) {
  return parse(text, "folder/loop.toml");
}

TEST(Reader, TakesEveryOption) {
  const Reading reading = parseText(kFull);
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(warnings(reading), ProblemList{});
  const Project& project = reading.project;
  const run::Settings& s = project.settings;
  EXPECT_EQ(s.start, 1.0);
  EXPECT_EQ(s.end, 10.0);
  EXPECT_EQ(s.step, 0.1);
  EXPECT_EQ(s.explosionLimit, 1e6);
  EXPECT_EQ(s.onDiscard, run::OnDiscard::shorten);
  EXPECT_EQ(s.algorithm.kind, coupling::AlgorithmKind::iteratedGaussSeidel);
  EXPECT_EQ(s.algorithm.maxIterations, 7U);
  EXPECT_EQ(s.algorithm.rtol, 1e-3);
  EXPECT_EQ(s.algorithm.atol, 1e-4);
  EXPECT_EQ(s.algorithm.norm, coupling::Norm::nicolai);
  EXPECT_EQ(s.algorithm.discrete, coupling::DiscreteTest::ignore);
  EXPECT_EQ(s.algorithm.withoutConvergence, coupling::WithoutConvergence::accept);
  EXPECT_EQ(s.stepControl.kind, stepping::StepControlKind::convergence);
  EXPECT_EQ(s.stepControl.minStep, 1e-5);
  EXPECT_EQ(s.stepControl.maxStep, 0.14);
  EXPECT_EQ(s.stepControl.untestedBelow, 0.005);
  EXPECT_EQ(s.stepControl.shrink, 4.0);
  EXPECT_EQ(s.stepControl.grow, 1.5);
  EXPECT_EQ(s.outputInterval, 0.5);
  EXPECT_EQ(s.variables, (std::vector<std::string>{"a.*", "b.y"}));
  EXPECT_EQ(project.resultsFolder, "folder/out");
  ASSERT_EQ(project.order.size(), 2U);
  EXPECT_EQ(project.order[0].value, "b");

  ASSERT_EQ(project.subsystems.size(), 2U);
  const SubsystemEntry& a = project.subsystems[0];
  EXPECT_EQ(a.fmu.value, "folder/fmus/A.fmu");
  EXPECT_TRUE(a.logging);
  EXPECT_TRUE(a.strict);
  EXPECT_EQ(project.subsystems[1].fmu.value, "/elsewhere/B.fmu");
  EXPECT_FALSE(project.subsystems[1].logging);

  ASSERT_EQ(project.connections.size(), 1U);
  const ConnectionEntry& c = project.connections[0];
  EXPECT_EQ(c.from.subsystem, "a");
  EXPECT_EQ(c.to.subsystem, "b");
  EXPECT_EQ(c.to.port, "bus.u");
  EXPECT_EQ(c.to.place.line, 42U);
  EXPECT_EQ(c.scale->value, 2.0);
  EXPECT_EQ(c.offset->value, -1.5);
}

TEST(Reader, KeepsParametersAsTheyWereWritten) {
  const Reading reading = parseText(leastWith("[subsystems.parameters]\nlist = [1, true]\nbus.signal = \"x\"\n"));
  ASSERT_EQ(mistakes(reading), ProblemList{});
  const std::vector<Parameter>& parameters = reading.project.subsystems[0].parameters;
  ASSERT_EQ(parameters.size(), 2U);
  EXPECT_EQ(parameters[0].values[0].value, RawValue(std::int64_t{1}));
  EXPECT_EQ(parameters[0].values[1].value, RawValue(true));
  EXPECT_EQ(parameters[1].port.value, "bus.signal");
  EXPECT_EQ(parameters[1].port.place.line, 10U);
  EXPECT_EQ(parameters[1].port.place.column, 1U);
  EXPECT_EQ(parameters[1].values[0].place.column, 14U);
}

TEST(Reader, LeavesTheRestToTheSettingsDefaults) {
  const Reading reading = parseText(kLeast);
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(warnings(reading), ProblemList{});
  const run::Settings preset;
  EXPECT_EQ(reading.project.settings.algorithm.kind, preset.algorithm.kind);
  EXPECT_EQ(reading.project.settings.explosionLimit, preset.explosionLimit);
  EXPECT_TRUE(reading.project.settings.variables.empty());
  EXPECT_EQ(reading.project.resultsFolder, "folder/loop.run");
}

TEST(Reader, NamesAllMistakesAtOnceInTheOrderOfLines) {
  EXPECT_EQ(mistakes(parseText(R"(format = 1
[simulation]
ende = 10.0
step = "fast"
[algorithm]
kind = "gaus-seidel"
max_iterations = 0
[[subsystems]]
name = "a.b"
fmu = 3
[[subsystems]]
name = "c"
fmu = "c.fmu"
[[connections]]
from = "c.y"
to = "d.u"
scale = nan
[results]
folder = "out"
rtol = 1e-5
)")),
            (ProblemList{"2:1 There is no 'end' in [simulation]. Write end = 10.0 for a run until 10 s.",
                         "3:1 'ende' is not an option of [simulation]. Did you mean 'end'?",
                         "4:8 'step' in [simulation] is the string 'fast'; expected is a number. Write it without "
                         "quotes, such as 0.1.",
                         "6:8 'gaus-seidel' is no value of 'kind' in [algorithm]. Did you mean 'gauss-seidel'?",
                         "7:18 'max_iterations' in [algorithm] is 0; it must be at least 1.",
                         "10:7 'fmu' in [[subsystems]] is the integer 3; expected is a string. Put it in quotes.",
                         "16:6 There is no subsystem 'd'. Did you mean 'c'?",
                         "17:9 'scale' in [[connections]] is nan; it must be finite.",
                         "20:1 'rtol' is not an option of [results]. It belongs to [algorithm]."}));
}

TEST(Reader, StopsAtASyntaxErrorWithItsPlace) {
  const Reading reading = parseText("format = 1\n[simulation\nend = 1\n");
  ASSERT_EQ(reading.findings.mistakes.size(), 1U);
  EXPECT_EQ(reading.findings.mistakes[0].place.file, "folder/loop.toml");
  EXPECT_EQ(reading.findings.mistakes[0].place.line, 2U);
  EXPECT_EQ(reading.findings.mistakes[0].message.rfind("This is not TOML: ", 0), 0U);
}

TEST(Reader, KnowsOneFormat) {
  EXPECT_EQ(
      mistakes(parseText("")),
      (ProblemList{"folder/loop.toml There is no 'format' in the project file. Write format = 1 in the first line.",
                   "folder/loop.toml There is no 'end' in [simulation]. Write end = 10.0 for a run until 10 s.",
                   "folder/loop.toml There is no 'step' in [simulation]. Write step = 0.1 for a macro step of 0.1 s.",
                   "folder/loop.toml There is nothing to simulate: no [[subsystems]]. Write [[subsystems]] with a "
                   "name and the path of an FMU or the word of a model."}));
  EXPECT_EQ(mistakes(parseText("format = 2\nfuture = true\n")),
            ProblemList{"1:10 The format 2 is newer than this Koppla, which knows format 1. Use a newer Koppla."});
  EXPECT_EQ(mistakes(parseText(leastWith("").replace(9, 1, "0"))),
            ProblemList{"1:10 'format' in the project file is 0; it must be at least 1."});
}

TEST(Reader, SaysWhichBracketsAreMeant) {
  EXPECT_EQ(mistakes(parseText(leastWith("[connections]\nfrom = \"a.y\"\nto = \"a.u\"\n"))),
            ProblemList{"8:1 'connections' in the project file is a table; expected is an array of tables. Write "
                        "[[connections]] on a line of its own for each."});
  EXPECT_EQ(mistakes(parseText(leastWith("[[algorithm]]\nkind = \"jacobi\"\n"))),
            ProblemList{"8:1 'algorithm' in the project file is an array; expected is a table. Write [algorithm] on a "
                        "line of its own."});
}

TEST(Reader, ChecksNamesOfSubsystems) {
  EXPECT_EQ(mistakes(parseText(R"(format = 1
simulation = { end = 1, step = 1 }
[[subsystems]]
name = "a"
fmu = "a.fmu"
[[subsystems]]
name = "a"
fmu = "a.fmu"
[[subsystems]]
name = "two words"
fmu = "a.fmu"
[[subsystems]]
name = ""
fmu = ""
[[subsystems]]
logging = 1
)")),
            (ProblemList{"7:8 The name 'a' is used already in line 4. Give every subsystem a name of its own.",
                         "10:8 'two words' cannot be the name of a subsystem. Use a name without dots and blanks; "
                         "\"name.port\" names a port.",
                         "13:8 A subsystem has no name. Write name = \"...\", without dots and blanks.",
                         "14:7 A subsystem has neither FMU nor model nor program. Write fmu = "
                         "\"path/to/model.fmu\", model = \"...\" for a native model, or program = \"...\", a command.",
                         "15:1 A subsystem has neither FMU nor model nor program. Write fmu = "
                         "\"path/to/model.fmu\", model = \"...\" for a native model, or program = \"...\", a command.",
                         "15:1 A subsystem has no name. Write name = \"...\", without dots and blanks.",
                         "16:11 'logging' in [[subsystems]] is the integer 1; expected is true or false. Write true or "
                         "false, without quotes."}));
}

/// Whatever names a subsystem that is not there may name this one.
TEST(Reader, ASubsystemWithoutANameIsTheOnlyMistake) {
  for (const std::string name : {"", "name = 3\n"}) {
    const std::vector<Override> overrides{parseOverride("a.c=2")};
    const Reading reading = parse("format = 1\nsimulation = { end = 1.0, step = 0.1 }\n[[subsystems]]\n" + name +
                                      "model = \"oscillator-body\"\n[[subsystems]]\nname = \"b\"\n"
                                      "model = \"oscillator-body\"\n[[connections]]\nfrom = \"a.x\"\nto = "
                                      "\"b.f\"\n[results]\nvariables = [\"a.x\"]\n",
                                  "folder/loop.toml", overrides);
    ASSERT_EQ(reading.findings.mistakes.size(), 1U) << mistakes(reading).at(1);
    EXPECT_TRUE(mistakes(reading)[0].find(name.empty() ? "A subsystem has no name." : "'name' in [[subsystems]] is") !=
                std::string::npos)
        << mistakes(reading)[0];
  }
}

TEST(Reader, ASubsystemWithAMistakeIsStillThereForOthers) {
  EXPECT_EQ(mistakes(parseText(leastWith("[[subsystems]]\nname = \"d\"\nfmu = 3\n[[connections]]\nfrom = \"d.y\"\nto = "
                                         "\"e.u\"\n")))
                .size(),
            2U);  // 3 is no path, and nobody is called e
}

TEST(Reader, ChecksTheEndsOfConnections) {
  EXPECT_EQ(mistakes(parseText(leastWith(R"([[connections]]
from = "a"
to = "a.u"
[[connections]]
from = "a.y"
to = "a.u"
[[connections]]
to = ".u"
from = 1
)"))),
            (ProblemList{"9:8 'a' names no port. Write \"subsystem.port\".",
                         "13:6 The input 'a.u' is connected already in line 10. Remove one of the two connections.",
                         "16:8 'from' in [[connections]] is the integer 1; expected is a string. Put it in quotes."}));
  EXPECT_EQ(
      mistakes(parseText(leastWith(R"([[connections]]
from = "a.y[1]"
to = "a.u[1]"
[[connections]]
from = "a.y"
to = "a.u"
[[connections]]
from = "a.y"
to = "a.u[2]"
)"))),
      (ProblemList{"13:6 The input 'a.u' is connected already in line 10. Remove one of the two connections.",
                   "16:6 The input 'a.u[2]' is connected already in line 13. Remove one of the two connections."}));
  EXPECT_EQ(mistakes(parseText(leastWith("[[connections]]\nfrom = \"a.y\"\n"))),
            ProblemList{"8:1 There is no 'to' in [[connections]]. Write to = \"subsystem.port\"."});
}

TEST(Reader, WantsEverySubsystemInTheOrderOnce) {
  EXPECT_EQ(
      mistakes(parseText(leastWith(R"([[subsystems]]
name = "b"
fmu = "b.fmu"
[algorithm]
order = ["a",
         "a", "c"]
)"))),
      (ProblemList{"12:10 The order does not say when 'b' is evaluated. Name every subsystem, or leave 'order' out.",
                   "13:10 'a' stands twice in the order. Remove one of the two.",
                   "13:15 There is no subsystem 'c' to be put in order. Did you mean 'a'?"}));
}

TEST(Reader, RefusesParametersThatAreNoValues) {
  EXPECT_EQ(
      mistakes(parseText(leastWith("[subsystems.parameters]\na.b = 1\n\"a.b\" = 2\nday = 2020-01-01\nl = [[1]]\n"))),
      (ProblemList{"10:1 The parameter 'a.b' is set already in line 9.",
                   "11:7 The parameter 'day' holds a date or a time; expected is a number, a boolean, a string or a "
                   "flat array of them.",
                   "12:6 The parameter 'l' holds an array; expected is a number, a boolean, a string or a flat array "
                   "of them."}));
}

/// Whatever is lost of a file, the rest is read or refused with a place in that file.
TEST(Reader, SurvivesDamage) {
  for (std::size_t length = 0; length < kFull.size(); ++length) {
    const Reading reading = parseText(kFull.substr(0, length));
    for (const core::Problem& problem : reading.findings.mistakes) EXPECT_EQ(problem.place.file, "folder/loop.toml");
  }
  for (std::size_t begin = 0; begin < kFull.size(); begin = kFull.find('\n', begin) + 1) {
    std::string text(kFull);
    text.erase(begin, kFull.find('\n', begin) + 1 - begin);
    const Reading reading = parseText(text);
    for (const core::Problem& problem : reading.findings.mistakes) EXPECT_EQ(problem.place.file, "folder/loop.toml");
  }
}

TEST(Reader, ResultsHaveOneFormatOrSeveral) {
  using results::Format;
  const auto formats = [](std::string_view option) {
    const Reading reading = parseText(leastWith("[results]\n" + std::string(option)));
    EXPECT_EQ(mistakes(reading), ProblemList{});
    return reading.project.resultsFormats;
  };
  EXPECT_EQ(formats(""), std::vector{Format::csv});
  EXPECT_EQ(formats("format = \"hdf5\""), std::vector{Format::hdf5});
  EXPECT_EQ(formats("format = [\"hdf5\", \"csv\", \"hdf5\"]"), (std::vector{Format::hdf5, Format::csv}));
  for (const char* wrong : {"format = \"xml\"", "format = []", "format = [\"csv\", \"xml\"]", "format = 3"})
    EXPECT_EQ(mistakes(parseText(leastWith("[results]\n" + std::string(wrong)))).size(), 1U) << wrong;
}

}  // namespace
}  // namespace koppla::project
