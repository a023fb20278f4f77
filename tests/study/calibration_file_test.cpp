// What a file of a calibration says, and what is said of mistakes in it.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/study/calibration.hpp"

namespace koppla::study::calibration_file_test {
namespace {

using coupling::Steering;
using Texts = std::vector<std::string>;

/// Lines 1 to 4; `rest` begins in line 5.
const std::string kHead = "format = 1\n[study]\nkind = \"calibration\"\nalgorithm = \"L/NL\"\n";

Calibration parsed(const std::string& rest) {
  return parseCalibration(kHead + rest, "folder/t.toml");
}

/// "line:column message remedy" of all mistakes; 0:0 is the whole file.
Texts mistakesIn(const std::string& text) {
  Texts result;
  try {
    parseCalibration(text, "folder/t.toml");
  } catch (const core::InputError& error) {
    for (const core::Problem& problem : error.problems()) {
      EXPECT_EQ(problem.place.file, "folder/t.toml") << problem.message;
      result.push_back(fmt::format("{}:{} {}", problem.place.line, problem.place.column,
                                   core::text({{}, problem.message, problem.remedy})));
    }
  }
  return result;
}

Texts mistakes(const std::string& rest) {
  return mistakesIn(kHead + rest);
}

Texts namesOf(const std::vector<coupling::AdaptiveSet>& sets) {
  Texts names;
  for (const coupling::AdaptiveSet& set : sets) names.emplace_back(set.name);
  return names;
}

Texts namesOf(const std::vector<CalibrationModel>& models) {
  Texts names;
  for (const CalibrationModel& model : models) names.push_back(model.name);
  return names;
}

TEST(CalibrationFileOptions, AreRead) {
  const Calibration calibration = parseCalibration(R"toml(format = 1
[study]
kind = "calibration"
algorithm = "NL"
values = "all"
first = 0.9
margin = 0.05
rtol = 1e-4
max_iterations = 77
passes = 3
best = 5
field = "models"
sets = ["NL(0.7,b)", "L(1,a)"]
models = ["lin 5", "FSI-h 70"]
[[vary]]
name = "gain"
values = [4, 1, 2.5]
[[vary]]
names = ["upper", "lower"]
from = 0.5
to = 1.0
count = 3
)toml",
                                                   "folder/t.toml");
  EXPECT_EQ(calibration.common.steering, Steering::nonLinear);
  EXPECT_EQ(calibration.common.first, 0.9);
  EXPECT_EQ(calibration.common.margin, 0.05);
  EXPECT_EQ(calibration.iteration.values, coupling::Accelerated::all);
  EXPECT_EQ(calibration.iteration.rtol, 1e-4);
  EXPECT_EQ(calibration.iteration.most, 77U);
  EXPECT_EQ(calibration.passes, 3U);
  EXPECT_EQ(calibration.best, 5U);
  EXPECT_EQ(calibration.field, WrittenField::models);
  EXPECT_EQ(namesOf(calibration.sets), (Texts{"L(1,a)", "NL(0.7,b)"})) << "in the order of Jung's table";
  EXPECT_EQ(namesOf(calibration.models), (Texts{"lin 5", "FSI-h 70"}));
  EXPECT_EQ(calibration.folder(), "folder/t.study");
  // Jung's values where none are given.
  EXPECT_EQ(calibration.sizes(), (std::vector<std::size_t>{17, 3, 3, 3, 10, 6}));
  EXPECT_EQ(calibration.axes[1].values, (std::vector<double>{0.5, 0.75, 1.0}));
  EXPECT_EQ(calibration.axes[2].values, (std::vector<double>{0.5, 0.75, 1.0}));
  EXPECT_EQ(calibration.axes[3].values, (std::vector<double>{4.0, 1.0, 2.5}));
}

TEST(CalibrationFileOptions, HaveDefaults) {
  const Calibration calibration = parsed("");
  EXPECT_EQ(calibration.common.steering, Steering::mixed);
  EXPECT_EQ(calibration.common.first, 1.0);
  EXPECT_EQ(calibration.iteration.values, coupling::Accelerated::cut);
  EXPECT_EQ(calibration.iteration.rtol, 1e-3);
  EXPECT_EQ(calibration.iteration.most, 2000U);
  EXPECT_EQ(calibration.passes, 2U);
  EXPECT_EQ(calibration.best, 20U);
  EXPECT_EQ(calibration.field, WrittenField::none);
  EXPECT_EQ(namesOf(calibration.models), namesOf(jungModels()));
}

TEST(CalibrationFileOptions, MayBeAsSmallAsTheyHaveASense) {
  const Calibration calibration =
      parsed("max_iterations = 1\npasses = 0\nbest = 1\nfield = \"objective\"\nvalues = \"cut\"\n");
  EXPECT_EQ(calibration.iteration.most, 1U);
  EXPECT_EQ(calibration.passes, 0U);
  EXPECT_EQ(calibration.best, 1U);
  EXPECT_EQ(calibration.field, WrittenField::objective);
  EXPECT_EQ(
      mistakes("max_iterations = 0\npasses = -1\nbest = 0\nrtol = 0\nfirst = 0\nmargin = 0\n"),
      (Texts{"5:18 'max_iterations' in [study] is 0; it must be at least 1.",
             "6:10 'passes' in [study] is -1; it must be at least 0.",
             "7:8 'best' in [study] is 0; it must be at least 1.", "8:8 'rtol' in [study] is 0; it must be above 0.",
             "9:9 'first' in [study] is 0; it must be above 0.",
             "10:10 'margin' in [study] is 0; it must be above 0."}));
}

TEST(CalibrationFileSets, AreThoseOfTheAlgorithmWithTheMarginOfTheStudy) {
  for (const auto& [word, names] : {std::pair{"L", Texts{"L(1,a)", "L(1,b)", "L(0.7,a)", "L(0.7,b)"}},
                                    std::pair{"NL", Texts{"NL(1,a)", "NL(1,b)", "NL(0.7,a)", "NL(0.7,b)"}},
                                    std::pair{"L/NL", Texts{"L/NL(1,a)", "L/NL(1,b)", "L/NL(0.7,a)", "L/NL(0.7,b)"}}}) {
    const Calibration calibration = parseCalibration(
        fmt::format("format = 1\n[study]\nkind = \"calibration\"\nalgorithm = \"{}\"\nmargin = 0.125\n", word),
        "t.toml");
    EXPECT_EQ(namesOf(calibration.sets), names);
    for (const coupling::AdaptiveSet& set : calibration.sets) EXPECT_EQ(set.parameters.margin, 0.125) << set.name;
  }
  EXPECT_TRUE(parsed("sets = []\n").sets.empty());
}

TEST(CalibrationFileMistakes, AreToldInTheOrderOfLines) {
  // Sets are read before models.
  EXPECT_EQ(mistakes("models = [\"lin5\"]\nsets = [\"L/NL(1,c)\", \"L(1,a)\"]\nbst = 3\n"),
            (Texts{"5:11 There is no model 'lin5'. Did you mean 'lin'? A number may follow: \"lin 6.5\", W/(m.K); "
                   "\"FSI-v 140\", kg/m3.",
                   "6:9 There is no set 'L/NL(1,c)'. Did you mean 'L/NL(1,a)'?",
                   "7:1 'bst' is not an option of [study]. Did you mean 'best'?"}));
}

TEST(CalibrationFileMistakes, InAFileThatHasNothingBelongToTheWholeFile) {
  EXPECT_EQ(mistakesIn(""),
            (Texts{"0:0 There is no 'format' in the study file. Write format = 1 in the first line.",
                   "0:0 There is no 'algorithm' in [study]. Write algorithm = \"L\", \"NL\" or \"L/NL\"."}));
  EXPECT_EQ(mistakesIn("format = 2\n[study]\nkind = \"calibration\"\n"),
            Texts{"1:10 The format 2 is newer than this Koppla, which knows format 1. Use a newer Koppla."});
}

TEST(CalibrationFileMistakes, AFirstFactorBeyondItsLimitsIsOne) {
  EXPECT_EQ(
      mistakes("first = 2.5\n"),
      Texts{"5:9 The adaptive relaxation has a first factor = 2.5. It must lie between 1 - lower and 1 + upper, and "
            "not nearer to them than `margin`."});
  EXPECT_EQ(mistakes("first = 2.5\nmargin = 0.5\n"), Texts{"6:10 'margin' is 0.5; it must be at most 0.2."})
      << "what it should have kept is not known";
}

TEST(CalibrationFileModels, MustBeThere) {
  const std::string none = "There are no models. Name some, or remove 'models' for the 25 of Jung's study.";
  EXPECT_EQ(mistakes("models = []\n"), Texts{"5:10 " + none});
  EXPECT_EQ(mistakes("models = 3\n"),
            Texts{"5:10 'models' in [study] is the integer 3; expected is an array of strings. Write [\"...\", "
                  "\"...\"]."});
}

const std::string kLoop =
    "[[model]]\nname = \"mine\"\nfirst = { model = \"expressions\", inputs = { y = 0.0 }, outputs = { x = \"0.5*y + "
    "1\" } }\n"
    "second = { model = \"expressions\", inputs = { x = 0.0 }, outputs = { y = \"x\" } }\n";

TEST(CalibrationFileModels, OfTheUserComeAfterThoseThatAreNamed) {
  EXPECT_EQ(namesOf(parsed(kLoop).models), Texts{"mine"}) << "and Jung's are not meant";
  EXPECT_EQ(namesOf(parsed("models = []\n" + kLoop).models), Texts{"mine"});
  EXPECT_EQ(namesOf(parsed("models = [\"lin 5\"]\n" + kLoop).models), (Texts{"lin 5", "mine"}));
}

TEST(CalibrationFileModels, ThatAreThereTwiceAreToldEachTime) {
  const std::string twice =
      "5:10 The model 'lin 5' is there twice. It would count twice in the objective: remove one, or "
      "rename it.";
  EXPECT_EQ(mistakes("models = [\"lin 5\", \"A 5\", \"lin 5\"]\n"), Texts{twice});
  EXPECT_EQ(mistakes("models = [\"A 5\", \"lin\", \"lin 5\", \"B\"]\n"), Texts{twice});
}

std::string vary(const std::string& name, const std::string& values) {
  return "[[vary]]\nname = \"" + name + "\"\n" + values + "\n";
}

TEST(CalibrationFileGrid, NamesParametersOfTheAlgorithm) {
  EXPECT_EQ(mistakes(vary("gian", "values = [1, 2]")),
            Texts{"7:11 L/NL has no parameter 'gian'. Did you mean 'gain'?"});
  EXPECT_EQ(mistakes(vary("zzz", "values = [1, 2]")),
            Texts{"7:11 L/NL has no parameter 'zzz'. Known here: influence, lower, upper, gain, slope, mass."});
  EXPECT_EQ(
      mistakesIn("format = 1\n[study]\nkind = \"calibration\"\nalgorithm = \"L\"\n" + vary("zzz", "values = [1, 2]")),
      Texts{"7:11 L has no parameter 'zzz'. Known here: influence, lower, upper, gain, mass."});
}

TEST(CalibrationFileGrid, HasNumbersThatTheRelaxationTakes) {
  EXPECT_EQ(mistakes(vary("gain", "values = [1, \"two\"]")),
            Texts{"7:11 The values of 'gain' are not all numbers. Write values = [...] or from, to and count."});
  EXPECT_EQ(
      mistakes(vary("gain", "values = [1, 2, 1]")),
      Texts{"7:17 The value 1 of 'gain' is there twice. It would be its own neighbour in the filter: remove one."});
  EXPECT_EQ(mistakes(vary("lower", "values = [0.5, 1.25, 1.5]")),
            Texts{"7:16 The adaptive relaxation has lower = 1.25. It must lie in ]0, 1]."})
      << "one mistake of a parameter is enough";
  EXPECT_EQ(parsed(vary("mass", "values = [0, 1]")).sizes(), (std::vector<std::size_t>{17, 9, 9, 10, 10, 2}));
}

/// Six parameters with so many values each.
std::string gridOf(const std::vector<int>& counts) {
  const Texts names{"influence", "lower", "upper", "gain", "slope", "mass"};
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i)
    text += vary(names[i], fmt::format("from = 0.5\nto = 1.0\ncount = {}", counts[i]));
  return text;
}

TEST(CalibrationFileGrid, HasTenMillionSetsAtMost) {
  EXPECT_EQ(parsed(gridOf({10, 10, 10, 10, 10, 100})).size(), 10'000'000U);
  EXPECT_EQ(mistakes(gridOf({10, 10, 10, 10, 10, 101})),
            (Texts{"5:1 The grid has 10100000 runs; at most 10000000 are accepted. Vary less in one study.",
                   "5:1 The grid has 10100000 sets; at most 10000000 are accepted. Take fewer points."}));
  // The others have Jung's values: 17 x 9 x 9 x 10 x 10.
  EXPECT_EQ(mistakes(vary("mass", "from = 0\nto = 1\ncount = 73")),
            Texts{"5:1 The grid has 10052100 sets; at most 10000000 are accepted. Take fewer points."});
}

/// A [[model]] from line 5 on: its programs are written in lines 7 and 8.
Texts mistakesOf(const std::string& first, const std::string& second, const std::string& head = "name = \"mine\"") {
  return mistakes("[[model]]\n" + head + "\nfirst = " + first + "\nsecond = " + second + "\n");
}

const std::string kSame = R"({ model = "expressions", inputs = { x = 0.0 }, outputs = { y = "x" } })";
const std::string kOneToOne =
    " does not map one number to another at an instant. A program of a calibration has one input, one output and no "
    "states.";

TEST(CalibrationFileLoops, NeedNameAndModels) {
  EXPECT_EQ(mistakesOf("{}", kSame),
            Texts{"7:9 There is no 'model' in [first]. Write model = \"expressions\" or another native model, as in a "
                  "project."});
  EXPECT_EQ(
      mistakesOf(kSame, "{}"),
      Texts{"8:10 There is no 'model' in [second]. Write model = \"expressions\" or another native model, as in a "
            "project."});
  EXPECT_EQ(mistakesOf(kSame, kSame, "start = 1"),
            Texts{"5:1 There is no 'name' in [[model]]. Write name = \"...\", for tables and pictures."});
  EXPECT_EQ(mistakesOf(kSame, kSame, "name = \"mine\", start = \"cold\"").size(), 1U);
  EXPECT_EQ(mistakesOf("{ model = 3 }", kSame),
            Texts{"7:19 'model' in [first] is the integer 3; expected is a string. Put it in quotes."});
  EXPECT_EQ(mistakesOf(R"({ model = "wall-conducton" })", kSame),
            Texts{"7:19 There is no model 'wall-conducton'. Did you mean 'wall-conduction'?"});
}

TEST(CalibrationFileLoops, HaveProgramsThatMapOneNumberToAnother) {
  const auto expressions = [](const std::string& rest) { return "{ model = \"expressions\", " + rest + " }"; };
  const std::string refused = "7:19 'expressions'" + kOneToOne;
  EXPECT_EQ(mistakesOf(expressions("inputs = { a = 0.0 }, outputs = { x = \"a\" }"), kSame), Texts{});
  EXPECT_EQ(mistakesOf(expressions("inputs = { a = 0.0, b = 0.0 }, outputs = { x = \"a + b\" }"), kSame),
            Texts{refused});
  EXPECT_EQ(mistakesOf(expressions("outputs = { x = \"1\" }"), kSame), Texts{refused});
  EXPECT_EQ(mistakesOf(expressions("inputs = { a = 0.0 }, outputs = { x = \"a\", z = \"a\" }"), kSame), Texts{refused});
  EXPECT_EQ(mistakesOf(expressions("inputs = { a = 0.0 }, states = { s = 0.0 }, derivatives = { s = \"a\" }, outputs = "
                                   "{ x = \"s\" }"),
                       kSame),
            Texts{refused});
  EXPECT_EQ(mistakesOf(kSame, R"({ model = "rotor" })"), Texts{"8:20 'rotor'" + kOneToOne});
  EXPECT_EQ(mistakesOf(R"({ model = "tube-flow" })", kSame), Texts{"7:19 'tube-flow'" + kOneToOne})
      << "it brings a solver of its own";
}

TEST(CalibrationFileLoops, HaveParametersOfTheirModels) {
  EXPECT_EQ(mistakesOf(R"({ model = "wall-conduction", parameters = { lamda = 2.0 } })", kSame),
            Texts{"7:53 'wall-conduction' has no parameter 'lamda'. Did you mean 'lambda'?"});
  const std::string output =
      R"({ model = "expressions", inputs = { a = 0.0 }, parameters = { g = 0.5 }, outputs = { x = "g*a" } })";
  EXPECT_EQ(mistakesOf(output, kSame), Texts{});
  // Inputs and outputs are no parameters.
  EXPECT_EQ(mistakesOf(R"({ model = "radiating-face", parameters = { T1 = 2.0, q = 1.0, eps = 0.5 } })", kSame),
            (Texts{"7:52 'radiating-face' has no parameter 'T1'. Known here: eps, T_U.",
                   "7:62 'radiating-face' has no parameter 'q'. Known here: eps, T_U."}));
  EXPECT_EQ(mistakesOf(R"({ model = "rotor", parameters = { c = 2020-01-01 } })", kSame).size(), 1U)
      << "a model that cannot be made is not judged";
}

TEST(CalibrationFileLoops, AreRefusedByTheirEquations) {
  const Texts said = mistakesOf(R"({ model = "expressions", inputs = { a = 0.0 }, outputs = { x = "a +" } })", kSame);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said.front().starts_with("7:19 ")) << said.front();
}

TEST(CalibrationFileLoops, BothProgramsAreJudged) {
  const Texts said = mistakesOf(R"({ model = "rotor" })", R"({ model = "rotor", colour = "red" })");
  ASSERT_EQ(said.size(), 3U);
  EXPECT_EQ(said[0], "7:19 'rotor'" + kOneToOne);
  EXPECT_EQ(said[1], "8:20 'rotor'" + kOneToOne);
  EXPECT_TRUE(said[2].starts_with("8:29 'colour' is not an option of [second]. Known here: model, parameters, "))
      << said[2];
}

TEST(CalibrationFileLoops, BeginWithTheirStart) {
  const Calibration calibration =
      parsed("[[model]]\nname = \"mine\"\nstart = -2.5\nfirst = " + kSame + "\nsecond = " + kSame +
             "\n[[model]]\nname = \"other\"\nfirst = " + kSame + "\nsecond = " + kSame + "\n");
  ASSERT_EQ(calibration.models.size(), 2U);
  EXPECT_EQ(calibration.models[0].start, -2.5);
  EXPECT_EQ(calibration.models[1].start, 0.0);
}

TEST(CalibrationFileLoops, HandTheResultOfTheFirstProgramToTheSecond) {
  const std::string half =
      R"({ model = "expressions", inputs = { a = 0.0 }, parameters = { g = 0.5 }, outputs = { x = "g*a" } })";
  const std::string plus = R"({ model = "expressions", inputs = { a = 0.0 }, outputs = { x = "a + 3" } })";
  const auto count = [](const Calibration& calibration) { return unrelaxedIterations(calibration).at(0); };
  const std::string head = "rtol = 0.2\n[[model]]\nname = \"mine\"\nstart = 1.0\n";
  const Calibration forward = parsed(head + "first = " + half + "\nsecond = " + plus + "\n");
  const Calibration backward = parsed(head + "first = " + plus + "\nsecond = " + half + "\n");
  // second(first(y)) is y/2 + 3 or (y + 3)/2.
  const auto from = [](double a, double b) {
    double y = 1.0;
    for (unsigned n = 1;; ++n) {
      const double raw = a * y + b;
      if (std::fabs(raw - y) <= 0.2 * std::fabs(raw)) return n;
      y = raw;
    }
  };
  EXPECT_EQ(count(forward), from(0.5, 3.0));
  EXPECT_EQ(count(backward), from(0.5, 1.5));
  EXPECT_NE(from(0.5, 3.0), from(0.5, 1.5));
}

}  // namespace
}  // namespace koppla::study::calibration_file_test
