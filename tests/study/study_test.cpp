// A study and its project as they are read: what each run gets, and what is said before anything runs.

#include "koppla/study/study.hpp"

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/study/survey.hpp"

#include "support/message_of.hpp"

namespace koppla::study::study_test {
namespace {

using Texts = std::vector<std::string>;

const std::string kProject = R"(format = 1
simulation = { end = 1.0, step = 0.25 }
results = { interval = 0.5, variables = ["a.z"] }
[[subsystems]]
name = "a"
model = "expressions"
parameters = { k = 1.0 }
outputs = { y = "k*t", z = "k + 0*t" }
)";

class StudyFilesTest : public ::testing::Test {
 protected:
  StudyFilesTest() {
    core::writeWhole(place_.path() / "p.toml", kProject);
    log_.addSink([this](core::Severity severity, std::string_view who, std::string_view message) {
      if (severity == core::Severity::warning) warnings_.push_back(std::string(who) + ": " + std::string(message));
    });
  }

  /// Settings are in line 4, [[vary]] begins in line 5.
  Study studyOf(const std::string& set, const std::string& axes, const std::string& reference,
                std::span<const project::Override> more = {}) {
    core::writeWhole(file(), "format = 1\n[study]\nproject = \"p.toml\"\nset = [" + set + "]\n" + axes + reference +
                                 "[errors]\nvariables = [\"a.y\", \"a.z\"]\n");
    return study::read(file(), log_, more);
  }

  [[nodiscard]] std::filesystem::path file() const { return place_.path() / "s.toml"; }
  [[nodiscard]] std::string at(const std::string& place) const { return file().string() + ":" + place + ": "; }

  core::TemporaryFolder place_{"study-test"};
  core::Log log_;
  Texts warnings_;
};

const std::string kSteps = "[[vary]]\nname = \"simulation.step\"\nvalues = [0.5, 0.125]\n";
const std::string kChecked =
    "[reference]\nkind = \"run\"\nset = [\"simulation.step=0.01\"]\ncheck_set = [\"simulation.step=0.02\"]\n";

TEST_F(StudyFilesTest, KeepTheTextsThatTheyWereReadFrom) {
  const Study study = studyOf("", kSteps, kChecked);
  EXPECT_EQ(study.text, core::readWhole(file()));
  EXPECT_EQ(study.projectText, kProject);
  EXPECT_EQ(warnings_, Texts{});
}

TEST_F(StudyFilesTest, EveryRunRecordsTheMeasuredVariablesAtEveryStep) {
  const Study study = studyOf("", kSteps, kChecked);
  const project::Project plan = planOf(study, study.grid.overrides(1));
  EXPECT_EQ(plan.settings.step, 0.125);
  EXPECT_EQ(plan.settings.variables, (Texts{"a.y", "a.z"})) << "not those of the project";
  EXPECT_EQ(plan.settings.outputInterval, 0.0) << "not that of the project";
  ASSERT_EQ(plan.variablePlaces.size(), 2U);
  EXPECT_EQ(plan.variablePlaces[1].file, file().string());
  EXPECT_EQ(plan.variablePlaces[1].line, 13U);
}

TEST_F(StudyFilesTest, SettingsOfTheStudyComeBeforeThoseOfTheCommandLineAndOfThePoint) {
  const std::vector<project::Override> more{{"a.k", "5"}, {"simulation.end", "4"}};
  const Study study = studyOf("\"a.k=3\", \"simulation.start=-1\", \"simulation.step=0.1\"", kSteps, kChecked, more);
  const project::Project plan = planOf(study, study.grid.overrides(0));
  EXPECT_EQ(plan.settings.start, -1.0);
  EXPECT_EQ(plan.settings.end, 4.0);
  EXPECT_EQ(plan.settings.step, 0.5);
  ASSERT_EQ(study.set.size(), 5U);
  EXPECT_EQ(study.set[3].name + "=" + study.set[3].value, "a.k=5");
}

TEST_F(StudyFilesTest, APointThatMakesNoProjectIsRefused) {
  const Study study = studyOf("", kSteps, kChecked);
  EXPECT_THROW(planOf(study, std::vector<project::Override>{{"simulation.step", "-1"}}), core::InputError);
}

TEST_F(StudyFilesTest, MistakesOfAllPointsAreToldOnceAndBeforeAnythingRuns) {
  EXPECT_EQ(
      test::messageOf<core::InputError>([&] {
        studyOf(
            "",
            "[[vary]]\nname = \"simulation.step\"\nvalues = [-1, 0.5, 0]\n[[vary]]\nname = \"a.k\"\nvalues = [1, 2]\n",
            kChecked);
      }),
      at("7:11") + "'step' in [simulation] is -1; it must be above 0.\n" + at("7:20") +
          "'step' in [simulation] is 0; it must be above 0.");
  EXPECT_EQ(test::messageOf<core::InputError>(
                [&] { studyOf("", kSteps, "[reference]\nkind = \"run\"\nset = [\"simulation.step=0\"]\n"); }),
            at("10:8") + "'step' in [simulation] is 0; it must be above 0.");
}

TEST_F(StudyFilesTest, AReferenceRunWithoutACheckIsWarnedOf) {
  studyOf("", kSteps, "[reference]\nkind = \"run\"\nset = [\"simulation.step=0.01\"]\n");
  EXPECT_EQ(warnings_, Texts{"study: " + at("8:1") +
                             "The reference's own error is unknown. Give check_set = [...] in "
                             "[reference], settings of a coarser second run."});
  warnings_.clear();
  studyOf("", kSteps, "[reference]\nkind = \"exact\"\n");
  EXPECT_EQ(warnings_, Texts{}) << "an exact solution needs none";
}

TEST_F(StudyFilesTest, WarningsAreThoseThatAllRunsHave) {
  const std::string idle = "\"algorithm.max_iterations=7\"";
  studyOf(idle, kSteps, kChecked);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_TRUE(warnings_[0].starts_with("project: " + at("4:8") + "'max_iterations' in [algorithm] has no effect"))
      << warnings_[0];
  warnings_.clear();
  studyOf(idle, "[[vary]]\nname = \"algorithm.kind\"\nvalues = [\"jacobi\", \"newton\"]\n", kChecked);
  EXPECT_EQ(warnings_, Texts{}) << "one of them uses it";
}

TEST(Study, WordsOfMeasuresAreThoseOfTheFile) {
  EXPECT_EQ(word(Measure::nrmse), "nrmse");
  EXPECT_EQ(word(Measure::wrmse), "wrmse");
  EXPECT_EQ(word(Measure::wrmseSum), "wrmse-sum");
}

TEST(Survey, TellsEveryMistakeOnceInTheOrderOfFinding) {
  Survey survey;
  project::Reading first;
  first.findings.mistake({"a", 2, 1}, "Second line.");
  first.findings.mistake({"a", 1, 1}, "First line.");
  project::Reading second;
  second.findings.mistake({"a", 2, 1}, "Second line.");
  second.findings.mistake({"b", 2, 1}, "Elsewhere.", "Mend it.");
  survey.add(first);
  survey.add(second);
  survey.add(first);
  core::Log log;
  EXPECT_EQ(test::messageOf<core::InputError>([&] { survey.conclude(log); }),
            "a:2:1: Second line.\na:1:1: First line.\nb:2:1: Elsewhere. Mend it.");
}

TEST(Survey, WarnsOfWhatEveryReadingWarnsOf) {
  project::Reading both;
  both.findings.warning({"a", 1, 1}, "Always.");
  project::Reading sometimes = both;
  sometimes.findings.warning({"a", 2, 1}, "Sometimes.");
  Survey survey;
  for (const project::Reading* reading : {&both, &sometimes, &both, &sometimes}) survey.add(*reading);
  Texts told;
  core::Log log;
  log.addSink([&told](core::Severity severity, std::string_view who, std::string_view message) {
    told.push_back(std::string(core::word(severity)) + " " + std::string(who) + " " + std::string(message));
  });
  survey.conclude(log);
  EXPECT_EQ(told, Texts{"warning project a:1:1: Always."});
}

}  // namespace
}  // namespace koppla::study::study_test
