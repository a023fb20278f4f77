#include "koppla/study/study_reader.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace koppla::study::study_reader_test {
namespace {

const std::string kHead = "format = 1\n[study]\nproject = \"p.toml\"\n";                           // lines 1 to 3
const std::string kVary = "[[vary]]\nname = \"simulation.step\"\nvalues = [0.1, 0.05]\n";          // 4 to 6
const std::string kReference = "[reference]\nkind = \"run\"\nset = [\"simulation.step=1e-3\"]\n";  // 7 to 9
const std::string kErrors = "[errors]\nvariables = [\"mass.x\"]\n";                                // 10, 11
const std::string kSound = kHead + kVary + kReference + kErrors;

/// "line:column message remedy" of the mistakes in a study.
std::vector<std::string> mistakes(const std::string& text) {
  std::vector<std::string> result;
  try {
    parse(text, "s.toml");
  } catch (const core::InputError& error) {
    for (const core::Problem& problem : error.problems())
      result.push_back((problem.place.line == 0
                            ? std::string("file")
                            : std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column)) +
                       " " + core::text({{}, problem.message, problem.remedy}));
  }
  return result;
}

using Texts = std::vector<std::string>;

TEST(StudyFile, ASmallOneHasTheDefaults) {
  const Study study = parse(kSound, "folder/s.toml");
  EXPECT_EQ(study.project, "folder/p.toml");
  EXPECT_EQ(study.folder(), "folder/s.study");
  EXPECT_EQ(study.errors.measure, Measure::nrmse);
  EXPECT_EQ(study.errors.skip, 0U);
  EXPECT_EQ(study.errors.unstableAbove, 10.0);
  EXPECT_EQ(study.reference.betweenRows, BetweenRows::cubic);
  EXPECT_FALSE(study.fit.has_value());
  ASSERT_EQ(study.grid.size(), 2U);
  EXPECT_EQ(study.grid.value(1, 0).text, "0.05");
  EXPECT_EQ(study.grid.value(1, 0).place.line, 6U);
}

TEST(StudyFile, AnExactReferenceNeedsNoSettings) {
  const std::string exact = "[reference]\nkind = \"exact\"\n";
  const Study study = parse(kHead + kVary + exact + kErrors + "reference = \"local\"\n", "s.toml");
  EXPECT_EQ(study.reference.kind, ReferenceKind::exact);
  EXPECT_EQ(study.errors.reference, ErrorReference::local);
  EXPECT_EQ(mistakes(kHead + kVary + exact + "set = []\n" + kErrors),
            Texts{"9:7 A reference of kind \"exact\" has no 'set'. Remove it."});
  EXPECT_EQ(mistakes(kSound + "reference = \"local\"\n"),
            Texts{"12:13 Local errors need an exact solution that can start anew at every step. Write kind = "
                  "\"exact\" in [reference]."});
}

TEST(StudyFile, SettingsThatChangeTogetherMayHaveValuesOfTheirOwn) {
  const Study study = parse(kHead +
                                "[[vary]]\nnames = [\"a.b\", \"algorithm.kind\"]\n"
                                "values = [[1e-3, \"jacobi\"], [2, \"newton\"]]\n" +
                                kReference + kErrors,
                            "s.toml");
  ASSERT_EQ(study.grid.size(), 2U);
  const std::vector<project::Override> second = study.grid.overrides(1);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(second[0].name + "=" + second[0].value, "a.b=2");
  EXPECT_EQ(second[1].name + "=" + second[1].value, "algorithm.kind=newton");
  const Axis& axis = study.grid.axes()[0];
  EXPECT_EQ(axis.nameWith(axis.values[0]), "a.b, algorithm.kind = 0.001, jacobi");
}

TEST(StudyFile, LabelsStandForRowsOfValues) {
  const Study study = parse(kHead +
                                "[[vary]]\nnames = [\"a.b\", \"a.c\"]\nvalues = [[1, 2], [3, 4]]\n"
                                "labels = [\"soft\", \"stiff\"]\n" +
                                kReference + kErrors,
                            "s.toml");
  const Axis& axis = study.grid.axes()[0];
  EXPECT_EQ(axis.nameWith(axis.values[1]), "stiff");
  EXPECT_EQ(study.grid.overrides(1)[1].value, "4");
}

TEST(StudyFile, EveryOptionIsRead) {
  const Study study = parse(R"(format = 1
[study]
project = "p.toml"
set = ["simulation.end=2"]
[[vary]]
names = ["a.h", "b.h"]
from = 1e-3
to = 1e-4
per_decade = 2
[[vary]]
name = "algorithm.kind"
values = ["jacobi", "newton"]
[[vary]]
name = "algorithm.degree"
from = 0
to = 2
count = 3
[reference]
kind = "run"
set = ["simulation.step=1e-6"]
check_set = ["simulation.step=2e-6"]
follows = ["algorithm.kind"]
between_rows = "skip"
[errors]
variables = ["mass.x", "mass.v"]
measure = "wrmse-sum"
skip = 20
unstable_above = 5
[fit]
over = "b.h"
from = 1e-4
to = 1e-3
)",
                            "s.toml");
  EXPECT_EQ(study.set.at(0).name, "simulation.end");
  EXPECT_EQ(study.set.at(0).place.line, 4U);
  EXPECT_EQ(study.grid.size(), 3U * 2U * 3U);
  EXPECT_EQ(study.grid.axes().at(0).values.at(1).number, std::pow(10.0, -3.5));
  EXPECT_EQ(study.grid.axes().at(2).values.at(2).text, "2") << "a whole number, not 2.0";
  EXPECT_EQ(study.reference.checkSet.at(0).value, "2e-6");
  EXPECT_EQ(study.reference.betweenRows, BetweenRows::skip);
  EXPECT_EQ(followedGrid(study).size(), 2U);
  EXPECT_EQ(study.errors.measure, Measure::wrmseSum);
  EXPECT_EQ(study.errors.skip, 20U);
  EXPECT_EQ(study.errors.unstableAbove, 5.0);
  ASSERT_TRUE(study.fit.has_value());
  EXPECT_EQ(study.fit->axis, 0U);
}

TEST(StudyFile, ReferenceRunsTakeTheirSettingsInOrder) {
  const Study study = parse(kHead + kVary + "[[vary]]\nname = \"a.c\"\nvalues = [1, 2]\n" + kReference +
                                "check_set = [\"simulation.step=2e-3\"]\nfollows = [\"a.c\"]\n" + kErrors,
                            "s.toml");
  Texts all;
  for (const auto& settings : referenceSettings(study)) {
    std::string line;
    for (const project::Override& change : settings) line += change.name + "=" + change.value + " ";
    all.push_back(line);
  }
  EXPECT_EQ(all, (Texts{"a.c=1 simulation.step=1e-3 ", "a.c=1 simulation.step=1e-3 simulation.step=2e-3 ",
                        "a.c=2 simulation.step=1e-3 ", "a.c=2 simulation.step=1e-3 simulation.step=2e-3 "}));
}

struct Mistaken {
  std::string name;
  std::string text;
  Texts says;
};

void PrintTo(const Mistaken& mistaken, std::ostream* out) {
  *out << mistaken.name;
}

std::string nameOf(const ::testing::TestParamInfo<Mistaken>& info) {
  return info.param.name;
}

class StudyMistakes : public ::testing::TestWithParam<Mistaken> {};

TEST_P(StudyMistakes, AreToldWithTheirPlaceAndRemedy) {
  EXPECT_EQ(mistakes(GetParam().text), GetParam().says);
}

std::string vary(const std::string& lines) {
  return kHead + "[[vary]]\n" + lines + kReference + kErrors;
}

INSTANTIATE_TEST_SUITE_P(
    All, StudyMistakes,
    ::testing::Values(
        Mistaken{
            "Empty",
            "",
            {"file There is no 'format' in the study file. Write format = 1 in the first line.",
             "file There is no 'project' in [study]. Write project = \"project.toml\", relative to this file.",
             "file Nothing is varied: no [[vary]]. Write [[vary]] with name = \"simulation.step\" and values = [...].",
             "file There is no 'kind' in [reference]. Write [reference] with kind = \"run\" and set = [...], kind = "
             "\"file\", or kind = \"exact\".",
             "file No variables are given whose errors are measured. Write variables = [\"subsystem.port\"] in "
             "[errors]."}},
        Mistaken{"LaterFormat",
                 "format = 2\nnew = 1\n",
                 {"1:10 The format 2 is newer than this Koppla, which knows format 1. Use a newer Koppla."}},
        Mistaken{
            "UnknownKey", kSound + "skpi = 3\n", {"12:1 'skpi' is not an option of [errors]. Did you mean 'skip'?"}},
        Mistaken{"NoSetting",
                 kHead + "set = [\"simulation.end\"]\n" + kVary + kReference + kErrors,
                 {"4:8 'simulation.end' is no setting. Write name=value, such as simulation.end=5."}},
        Mistaken{"NoName",
                 vary("values = [1]\n"),
                 {"4:1 A [[vary]] has either 'name' or 'names'. Write name = \"simulation.step\", or names = [...] for "
                  "settings of equal value."}},
        Mistaken{"NoValues",
                 vary("name = \"a.b\"\n"),
                 {"4:1 There is no 'from' in [[vary]]. Write values = [...], or from and to with per_decade or count.",
                  "4:1 There is no 'to' in [[vary]]. Write values = [...], or from and to with per_decade or count."}},
        Mistaken{"EmptyValues", vary("name = \"a.b\"\nvalues = []\n"), {"6:10 'values' is empty. Write some."}},
        Mistaken{"NestedValues",
                 vary("name = \"a.b\"\nvalues = [[1]]\n"),
                 {"6:11 an array is no value of a setting. Write numbers, words in quotes, true or false."}},
        Mistaken{"TooFewLabels",
                 vary("names = [\"a.b\", \"a.c\"]\nvalues = [[1, 2], [3, 4]]\nlabels = [\"one\"]\n"),
                 {"7:10 There are 1 labels for 2 values. Write one for each."}},
        Mistaken{"LabelsOfPlainValues",
                 vary("name = \"a.b\"\nvalues = [1]\nlabels = [\"one\"]\n"),
                 {"7:10 'labels' are for values that are arrays, with 'names'. Remove it."}},
        Mistaken{"LabelsOfARange",
                 vary("name = \"a.b\"\nfrom = 1\nto = 2\ncount = 2\nlabels = [\"one\", \"two\"]\n"),
                 {"9:10 'labels' are for values that are arrays, with 'names'. Remove it."}},
        Mistaken{"TooFewInARow",
                 vary("names = [\"a.b\", \"a.c\"]\nvalues = [[1, 2], [3]]\n"),
                 {"6:19 This is not one value for each of 2 settings. Write a number, a word in quotes, true or false "
                  "for each of 'names'."}},
        Mistaken{"NoValueInARow",
                 vary("names = [\"a.b\", \"a.c\"]\nvalues = [[1, [2]]]\n"),
                 {"6:11 This is not one value for each of 2 settings. Write a number, a word in quotes, true or false "
                  "for each of 'names'."}},
        Mistaken{"RowsAndValues",
                 vary("names = [\"a.b\", \"a.c\"]\nvalues = [1, [2, 3]]\n"),
                 {"6:14 an array is no value of a setting. Write numbers, words in quotes, true or false."}},
        Mistaken{"ValuesAndRange",
                 vary("name = \"a.b\"\nvalues = [1]\nfrom = 2\n"),
                 {"7:8 'values' and 'from' exclude each other. Remove one of them."}},
        Mistaken{
            "RangeWithoutStep",
            vary("name = \"a.b\"\nfrom = 1\nto = 2\n"),
            {"6:8 A range needs either 'per_decade' or 'count'. Write values = [...], or from and to with per_decade "
             "or count."}},
        Mistaken{"DecadesFromZero",
                 vary("name = \"a.b\"\nfrom = 0\nto = 1\nper_decade = 4\n"),
                 {"6:8 'from' is 0; decades need numbers above 0."}},
        Mistaken{"OffTheGrid",
                 vary("name = \"a.b\"\nfrom = 3e-6\nto = 1\nper_decade = 4\n"),
                 {"6:8 'from' is 3e-06, which is not on the grid of 4 values per decade. The nearest grid value is "
                  "3.16e-06."}},
        Mistaken{"VariedTwice",
                 kHead + kVary + kVary + kReference + kErrors,
                 {"8:8 'simulation.step' is varied twice. Remove one."}},
        Mistaken{"TooManyRuns",
                 vary("name = \"a.b\"\nfrom = 0\nto = 1\ncount = 100001\n"),
                 {"4:1 The grid has 100001 runs; at most 100000 are accepted. Vary less in one study."}},
        Mistaken{"UnknownReference",
                 kHead + kVary + "[reference]\nkind = \"fiel\"\n" + kErrors,
                 {"8:8 'fiel' is no value of 'kind' in [reference]. Did you mean 'file'?"}},
        Mistaken{"FileWithoutName",
                 kHead + kVary + "[reference]\nkind = \"file\"\n" + kErrors,
                 {"7:1 There is no 'file' in [reference]. Write file = \"reference.csv\", relative to this file."}},
        Mistaken{"FileWithSettings",
                 kHead + kVary + "[reference]\nkind = \"file\"\nfile = \"r.csv\"\nset = []\n" + kErrors,
                 {"10:7 A reference of kind \"file\" has no 'set'. Remove it."}},
        Mistaken{"FollowsWhatIsNotVaried",
                 kHead + kVary + kReference + "follows = [\"simulation.stp\"]\n" + kErrors,
                 {"10:11 'simulation.stp' is not varied. Did you mean 'simulation.step'?"}},
        Mistaken{"UnknownMeasure",
                 kSound + "measure = \"rmse\"\n",
                 {"12:11 'rmse' is no value of 'measure' in [errors]. Did you mean 'nrmse'?"}},
        Mistaken{"NegativeSkip", kSound + "skip = -1\n", {"12:8 'skip' in [errors] is -1; it must be at least 0."}},
        Mistaken{"UnstableAboveNothing",
                 kSound + "unstable_above = 0\n",
                 {"12:18 'unstable_above' in [errors] is 0; it must be above 0."}},
        Mistaken{"FitOverNothing",
                 kSound + "[fit]\n",
                 {"12:1 There is no 'over' in [fit]. Write over = \"simulation.step\"."}},
        Mistaken{"FitOverWhatIsNotVaried",
                 kSound + "[fit]\nover = \"algorithm.rtol\"\n",
                 {"13:8 'algorithm.rtol' is not varied. Known here: simulation.step."}},
        Mistaken{"FitOverWords",
                 vary("name = \"a.b\"\nvalues = [\"u\"]\n") + "[fit]\nover = \"a.b\"\n",
                 {"13:8 'a.b' has the value 'u'; a slope is fitted over numbers above 0. Fit over another setting."}},
        Mistaken{"FitRangeTurnedRound",
                 kSound + "[fit]\nover = \"simulation.step\"\nfrom = 1\nto = 0.1\n",
                 {"15:6 'to', 0.1, is below 'from', 1. Swap them."}}),
    nameOf);

TEST(StudyFile, AnEmptyOneHasItsMistakesInNoLineAndNoColumn) {
  try {
    parse("", "folder/s.toml");
    ADD_FAILURE() << "it was accepted";
  } catch (const core::InputError& error) {
    for (const core::Problem& problem : error.problems()) {
      EXPECT_EQ(problem.place.file, "folder/s.toml") << problem.message;
      EXPECT_EQ(problem.place.line, 0U) << problem.message;
      EXPECT_EQ(problem.place.column, 0U) << problem.message;
    }
  }
}

TEST(StudyFile, AReferenceFileLiesBesideIt) {
  const std::string file = "[reference]\nkind = \"file\"\nfile = \"data/r.csv\"\n";
  const Study study = parse(kHead + kVary + file + kErrors, "folder/s.toml");
  EXPECT_EQ(study.reference.kind, ReferenceKind::file);
  EXPECT_EQ(study.reference.file.value, "folder/data/r.csv");
  EXPECT_EQ(study.reference.file.place.line, 9U);
  EXPECT_EQ(study.reference.place.line, 7U);
  EXPECT_EQ(study.reference.place.file, "folder/s.toml");
  EXPECT_EQ(study.reference.betweenRows, BetweenRows::skip) << "nobody knows what is between its rows";
  EXPECT_EQ(parse(kHead + kVary + file + "between_rows = \"cubic\"\n" + kErrors, "s.toml").reference.betweenRows,
            BetweenRows::cubic);
  EXPECT_EQ(mistakes(kHead + kVary + file + "check_set = []\nfollows = []\n" + kErrors),
            (Texts{"10:13 A reference of kind \"file\" has no 'check_set'. Remove it.",
                   "11:11 A reference of kind \"file\" has no 'follows'. Remove it."}));
}

TEST(StudyFile, OptionsOfOtherKindsOfReferencesAreRefused) {
  EXPECT_EQ(mistakes(kHead + kVary + kReference + "file = \"r.csv\"\n" + kErrors),
            Texts{"10:8 A reference of kind \"run\" has no 'file'. Remove it."});
  EXPECT_EQ(
      mistakes(kHead + kVary +
               "[reference]\nkind = \"exact\"\ncheck_set = []\nfile = \"r.csv\"\nbetween_rows = \"skip\"\n" + kErrors),
      (Texts{"9:13 A reference of kind \"exact\" has no 'check_set'. Remove it.",
             "10:8 A reference of kind \"exact\" has no 'file'. Remove it.",
             "11:16 A reference of kind \"exact\" has no 'between_rows'. Remove it."}));
  EXPECT_EQ(mistakes(kHead + kVary + "[reference]\nkind = \"rum\"\nfile = \"r.csv\"\n" + kErrors),
            Texts{"8:8 'rum' is no value of 'kind' in [reference]. Did you mean 'run'?"})
      << "what an unknown kind has is not known";
}

TEST(StudyFile, TheWindowOfTimesHasALength) {
  const Study study = parse(kSound + "from = -1.5\nto = 2.5\n", "s.toml");
  EXPECT_EQ(study.errors.from, -1.5);
  EXPECT_EQ(study.errors.to, 2.5);
  EXPECT_EQ(study.errors.reference, ErrorReference::global);
  const std::string empty =
      "The window of times that count is empty: 'to' is not after 'from'. Both are times of the run, in s.";
  EXPECT_EQ(mistakes(kSound + "from = 2\nto = 2\n"), Texts{"13:6 " + empty});
  EXPECT_EQ(mistakes(kSound + "from = 2\nto = 1\n"), Texts{"13:6 " + empty});
  EXPECT_EQ(mistakes(kSound + "from = 2\nto = \"end\"\n").size(), 1U) << "the one is not compared with nothing";
  EXPECT_EQ(mistakes(kSound + "from = \"now\"\n").size(), 1U);
  EXPECT_TRUE(mistakes(kSound + "from = 2\nto = 2.001\nskip = 0\n").empty());
}

TEST(StudyFile, VariablesOfAWrongTypeAreNotMissing) {
  EXPECT_EQ(mistakes(kHead + kVary + kReference + "[errors]\nvariables = 3\n"),
            Texts{"11:13 'variables' in [errors] is the integer 3; expected is an array of strings. Write [\"...\", "
                  "\"...\"]."});
  EXPECT_EQ(mistakes(kHead + kVary + kReference + "[errors]\nvariables = []\n"),
            Texts{"11:13 No variables are given whose errors are measured. Write variables = [\"subsystem.port\"] in "
                  "[errors]."});
}

TEST(StudyFile, FitsAreMadeOverNumbersAboveZero) {
  const auto fitted = [](const std::string& values, const std::string& more = {}) {
    return vary("name = \"a.b\"\nvalues = [" + values + "]\n") + "[fit]\nover = \"a.b\"\n" + more;
  };
  EXPECT_TRUE(mistakes(fitted("1e-300, 0.5, 2")).empty());
  const std::string above = "; a slope is fitted over numbers above 0. Fit over another setting.";
  EXPECT_EQ(mistakes(fitted("1, 0")), Texts{"13:8 'a.b' has the value '0'" + above});
  EXPECT_EQ(mistakes(fitted("-1, 0")), Texts{"13:8 'a.b' has the value '-1'" + above}) << "one is enough";
  EXPECT_EQ(mistakes(fitted("1, \"u\"")), Texts{"13:8 'a.b' has the value 'u'" + above});
  const Study study = parse(fitted("1, 2", "from = 1.5\nto = 1.5\n"), "s.toml");
  EXPECT_EQ(study.fit.value().from, 1.5) << "a range of one value";
  EXPECT_EQ(study.fit.value().to, 1.5);
  EXPECT_EQ(mistakes(fitted("1, 2", "from = 0\nto = 0\n")),
            (Texts{"14:8 'from' in [fit] is 0; it must be above 0.", "15:6 'to' in [fit] is 0; it must be above 0."}));
}

TEST(StudyFile, TheFittedSettingMayBeAnyAxis) {
  const Study study = parse(kHead + "[[vary]]\nname = \"a.kind\"\nvalues = [\"u\"]\n" + kVary + kReference + kErrors +
                                "[fit]\nover = \"simulation.step\"\n",
                            "s.toml");
  EXPECT_EQ(study.fit.value().axis, 1U);
}

TEST(StudyFile, MistakesAreToldInTheOrderOfLines) {
  // [errors] is read after [reference] wherever it stands.
  EXPECT_EQ(mistakes(kHead + "set = [\"x\"]\n[errors]\nvariables = [\"a.x\"]\nskip = 1.5\n" + kVary +
                     "[reference]\nkind = \"run\"\nset = [\"y\"]\ncheck_set = [\"z\"]\nfollows = [\"q\"]\nbetween_rows "
                     "= \"no\"\n"),
            (Texts{"4:8 'x' is no setting. Write name=value, such as simulation.end=5.",
                   "7:8 'skip' in [errors] is the real 1.5; expected is a whole number.",
                   "13:8 'y' is no setting. Write name=value, such as simulation.end=5.",
                   "14:14 'z' is no setting. Write name=value, such as simulation.end=5.",
                   "15:11 'q' is not varied. Known here: simulation.step.",
                   "16:16 'no' is no value of 'between_rows' in [reference]. Known here: cubic, skip."}));
}

TEST(StudyFile, HasAHundredThousandRunsAtMost) {
  const auto study = [](unsigned first, unsigned second) {
    const auto range = [](const std::string& name, unsigned count) {
      return "[[vary]]\nname = \"" + name + "\"\nfrom = 0\nto = 1\ncount = " + std::to_string(count) + "\n";
    };
    return kHead + range("a.b", first) + range("a.c", second) + kReference + kErrors;
  };
  EXPECT_TRUE(mistakes(study(1000, 100)).empty());
  EXPECT_EQ(mistakes(study(1001, 100)),
            Texts{"4:1 The grid has 100100 runs; at most 100000 are accepted. Vary less in one study."});
}

}  // namespace
}  // namespace koppla::study::study_reader_test
