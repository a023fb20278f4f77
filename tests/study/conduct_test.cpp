// Studies of FMUs: two masses with a link in opposite phase, x1 = cos(3 t), x2 = -cos(3 t). Held values act as a delay,
// which to leading order in h is a damping: x1 = e^(s t) (cos(3 t) - s/3 sin(3 t)) with s = 6 h by Jacobi and 2 h by
// Gauss-Seidel (derived in examples/oscillator/README.md).

#include "koppla/study/conduct.hpp"

#include <cmath>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/study/journal.hpp"

#include "support/figure.hpp"
#include "support/full_disk.hpp"
#include "support/message_of.hpp"

namespace koppla::study {
namespace {

namespace fs = std::filesystem;

constexpr double kEnd = 2.0;  // s

class StudyTest : public ::testing::Test {
 protected:
  StudyTest() {
    std::string text = core::readWhole(fs::path(KOPPLA_EXAMPLES_DIR) / "oscillator/two-masses.toml");
    const std::string written = "../../build/fmus/";
    for (std::size_t at = text.find(written); at != std::string::npos; at = text.find(written, at))
      text.replace(at, written.size(), std::string(KOPPLA_FMU_DIR) + "/");
    core::writeWhole(place_.path() / "project.toml", text);
  }

  /// Reads a study of the two masses; lines of [study] and [reference] that most have are there.
  Study studyOf(const std::string& axes, const std::string& reference, const std::string& rest) {
    core::writeWhole(place_.path() / "s.toml",
                     "format = 1\n[study]\nproject = \"project.toml\"\nset = [\"simulation.end=2\"]\n" + axes +
                         "[reference]\nkind = \"run\"\n" + reference + "[errors]\nvariables = [\"mass1.x\"]\n" + rest);
    return read(place_.path() / "s.toml", log_);
  }

  Conducted conducted(const Study& study, Options options = {}) { return conduct(study, options, log_); }

  core::TemporaryFolder place_{"study-test"};
  core::Log log_;
};

const std::string kSharp =
    "set = [\"algorithm.kind=gauss-seidel\", \"simulation.step=1e-5\"]\ncheck_set = [\"simulation.step=2e-5\"]\n";

/// The NRMSE of the damped oscillation against the undamped one at the macro times, s = rate h.
double expectedError(double rate, double h) {
  double error = 0.0;
  double square = 0.0;
  double sum = 0.0;
  const double n = std::round(kEnd / h);
  for (double k = 1.0; k <= n; ++k) {
    const double t = k * h;
    const double s = rate * h;
    const double exact = std::cos(3.0 * t);
    error += std::pow(std::exp(s * t) * (exact - s / 3.0 * std::sin(3.0 * t)) - exact, 2);
    square += exact * exact;
    sum += exact;
  }
  return std::sqrt(error / (square - sum * sum / n));
}

TEST_F(StudyTest, ExplicitCouplingOfHeldValuesIsOfFirstOrder) {
  const Study study = studyOf(
      "[[vary]]\nname = \"algorithm.kind\"\nvalues = [\"jacobi\", \"gauss-seidel\"]\n"
      "[[vary]]\nname = \"simulation.step\"\nfrom = 1e-2\nto = 1e-3\nper_decade = 4\n",
      kSharp, "[fit]\nover = \"simulation.step\"\n");
  const Conducted result = conducted(study, {.jobs = 2});
  ASSERT_EQ(result.rows.size(), 10U);
  ASSERT_EQ(result.fits.size(), 2U);
  test::showWithin({"schmoll R36", "jacobi-slope", "1 +-0.1: held values are of order p+1 = 1"},
                   result.fits[0].slope.slope, 1.0, 0.1);
  test::showWithin({"schmoll R36", "gauss-seidel-slope", "1 +-0.1"}, result.fits[1].slope.slope, 1.0, 0.1);
  EXPECT_EQ(result.fits[0].slope.points, 5U);
  EXPECT_EQ(result.fits[1].series.label, "algorithm.kind = gauss-seidel");
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const double rate = i < 5 ? 6.0 : 2.0;
    const double h = study.grid.value(i, 1).number.value();
    EXPECT_EQ(result.rows[i].status, Status::ok) << i << result.rows[i].message;
    EXPECT_NEAR(result.rows[i].error / expectedError(rate, h), 1.0, 0.05) << i;
    EXPECT_NEAR(static_cast<double>(result.rows[i].acceptedSteps), std::ceil(kEnd / h - 1e-9), 0.0) << i;
  }
}

TEST_F(StudyTest, AFullDiskIsNotTheSubsystemsFault) {
  const Study study = studyOf("[[vary]]\nname = \"simulation.step\"\nvalues = [0.05, 0.2]\n", kSharp, "");
  const test::FullDisk full(4096);  // smaller than any library in an FMU
  const std::string said = test::messageOf<core::FileError>([&] { conducted(study); });
  EXPECT_NE(said.find("project.toml could not be loaded. "), std::string::npos) << said;
  EXPECT_NE(said.find("File too large"), std::string::npos) << said;
}

TEST_F(StudyTest, ADiskThatFillsUpIsNoRowAndTheStudyGoesOnWhenThereIsRoom) {
  const Study study = studyOf("[[vary]]\nname = \"simulation.step\"\nvalues = [0.05, 0.2]\n",
                              "set = [\"simulation.step=0.001\"]\n", "");
  std::optional<test::FullDisk> full;
  Options fillsUp;
  fillsUp.progress = [&full](std::size_t done, std::size_t) {
    if (done == 1) full.emplace(4096);  // smaller than any library in an FMU
  };
  const std::string said = test::messageOf<core::FileError>([&] { conducted(study, fillsUp); });
  full.reset();
  EXPECT_TRUE(said.starts_with("The study has stopped, with finished runs kept. ")) << said;
  EXPECT_NE(said.find("File too large"), std::string::npos) << said;
  const Conducted result = conducted(study);
  EXPECT_EQ(result.takenOver, 1U);
  ASSERT_EQ(result.rows.size(), 2U);
  for (const Row& row : result.rows) EXPECT_EQ(row.status, Status::ok) << row.message;
}

TEST_F(StudyTest, UnitsBesideAReferenceBelongToTheStudy) {
  Study study = studyOf("[[vary]]\nname = \"simulation.step\"\nvalues = [0.1]\n", kSharp, "");
  study.reference.kind = ReferenceKind::file;
  study.reference.file.value = place_.path() / "exact.csv";
  core::writeWhole(place_.path() / "exact.csv", "time,mass1.x\n0,1\n2,1\n");
  const std::string before = fingerprint(study, "1");
  EXPECT_EQ(fingerprint(study, "1"), before);
  core::writeWhole(place_.path() / "exact.units.csv", "name,type,unit,description\nmass1.x,Integer,,\n");
  EXPECT_NE(fingerprint(study, "1"), before);
}

TEST_F(StudyTest, TheReferencesOwnErrorIsFoundByItsCheck) {
  // With step 0.01 the reference of first order is off by e; one with 0.02 by 2 e, so the check shows e. Errors at
  // h = 0.05 and 0.2 are then 4 e and 19 e.
  const Study study = studyOf("[[vary]]\nname = \"simulation.step\"\nvalues = [0.05, 0.2]\n",
                              "set = [\"simulation.step=0.01\"]\ncheck_set = [\"simulation.step=0.02\"]\n", "");
  const Conducted result = conducted(study);
  ASSERT_EQ(result.rows.size(), 2U);
  test::showWithin({"schmoll R37", "reference-error", "its own, from the check run of twice the step, +-10 %"},
                   result.rows[0].referenceError / expectedError(2.0, 0.01), 1.0, 0.1);
  test::showFigure({"schmoll R37", "limited", "4 times the reference's own error is marked, 19 times is not"},
                   std::string(word(result.rows[0].status)) + ", " + std::string(word(result.rows[1].status)),
                   result.rows[0].status == Status::limitedByReference && result.rows[1].status == Status::ok);
}

TEST_F(StudyTest, ARunWhoseErrorGrowsBeyondReasonIsUnstableAndNoErrorOfTheStudy) {
  // By Jacobi the amplitude grows as e^(6 h t), with h = 0.5 s in 20 s by e^60, with h = 0.001 s by 13 %.
  const Study study = studyOf("[[vary]]\nname = \"simulation.step\"\nvalues = [0.5, 0.001]\n",
                              "set = [\"simulation.step=1e-5\"]\ncheck_set = [\"simulation.step=2e-5\"]\n",
                              "[fit]\nover = \"simulation.step\"\n");
  Study jacobi = study;
  jacobi.set.push_back({"algorithm.kind", "jacobi"});
  jacobi.set.push_back({"simulation.end", "20"});
  jacobi.set.push_back({"simulation.on_instability", "ignore"});
  const Conducted result = conducted(jacobi);
  ASSERT_EQ(result.rows.size(), 2U);
  test::showFigure({"schmoll R36", "unstable-marked", "h = 0.5 s unstable, h = 0.001 s not"},
                   std::string(word(result.rows[0].status)) + ", " + std::string(word(result.rows[1].status)),
                   result.rows[0].status == Status::unstable && result.rows[1].status == Status::ok);
  EXPECT_GT(result.rows[0].error, 10.0);
  EXPECT_EQ(result.fits.at(0).slope.points, 1U) << "unstable runs are left out of fits";
}

TEST_F(StudyTest, AnExplosionIsUnstableWithItsMessage) {
  Study study = studyOf("[[vary]]\nname = \"simulation.step\"\nvalues = [0.5]\n",
                        "set = [\"simulation.step=1e-3\", \"simulation.explosion_limit=1e100\"]\n", "");
  study.set.push_back({"algorithm.kind", "jacobi"});
  study.set.push_back({"simulation.explosion_limit", "1.5"});
  study.set.push_back({"simulation.end", "20"});
  study.reference.set.push_back({"algorithm.kind", "newton"});
  const Conducted result = conducted(study);
  EXPECT_EQ(result.rows.at(0).status, Status::unstable);
  EXPECT_NE(result.rows.at(0).message.find("explosion_limit is 1.5"), std::string::npos) << result.rows.at(0).message;
}

TEST_F(StudyTest, TheReferenceFollowsAParameterThatChangesTheSolution) {
  // The link's stiffness changes the frequency: against the reference of the other one the error would be of the order
  // of the values themselves.
  const Study study = studyOf(
      "[[vary]]\nname = \"link.c\"\nvalues = [4.0, 8.0]\n[[vary]]\nname = \"simulation.step\"\nvalues = [0.001]\n",
      "set = [\"simulation.step=1e-5\"]\ncheck_set = [\"simulation.step=2e-5\"]\nfollows = [\"link.c\"]\n", "");
  for (const Row& row : conducted(study).rows) EXPECT_LT(row.error, 0.02);
  Study without = study;
  without.reference.follows.clear();
  without.text += "#";  // another study
  const Conducted wrong = conducted(without, {.folder = place_.path() / "other"});
  EXPECT_GT(wrong.rows.at(1).error, 0.5);
}

TEST_F(StudyTest, WhatWasInterruptedContinuesToTheSameRows) {
  const std::string axes = "[[vary]]\nname = \"simulation.step\"\nvalues = [0.1, 0.05, 0.02, 0.01, 0.005]\n";
  const Study study = studyOf(axes, kSharp, "[fit]\nover = \"simulation.step\"\n");
  std::size_t seen = 0;
  Options twoOnly;
  twoOnly.progress = [&](std::size_t done, std::size_t) { seen = done; };
  twoOnly.interrupted = [&] { return seen >= 2; };
  const Conducted first = conducted(study, twoOnly);
  EXPECT_FALSE(first.complete());
  EXPECT_EQ(first.done, 2U);
  EXPECT_FALSE(fs::exists(study.folder() / "study.csv"));
  { std::ofstream(study.folder() / "study.journal", std::ios::app) << "4\tok\t0.1"; }  // cut off as by a power failure

  const Conducted second = conducted(study);
  EXPECT_EQ(second.takenOver, 2U);
  const Conducted whole = conducted(study, {.folder = place_.path() / "whole"});
  ASSERT_EQ(second.rows.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(second.rows[i].error, whole.rows[i].error) << i;
    EXPECT_EQ(second.rows[i].acceptedSteps, whole.rows[i].acceptedSteps) << i;
  }
  EXPECT_EQ(core::readWhole(study.folder() / "fits.csv"), core::readWhole(place_.path() / "whole/fits.csv"));

  const Conducted third = conducted(study);
  EXPECT_EQ(third.takenOver, 5U) << "all is done";
  EXPECT_EQ(third.rows.at(4).wallClock, second.rows.at(4).wallClock);
}

TEST_F(StudyTest, RowsOfAnotherStudyAreNotTakenOver) {
  const std::string axes = "[[vary]]\nname = \"simulation.step\"\nvalues = [0.1]\n";
  conducted(studyOf(axes, kSharp, ""));
  const Study changed = studyOf(axes, kSharp, "skip = 1\n");
  EXPECT_THROW(conducted(changed), core::InputError);
  EXPECT_EQ(conducted(changed, {.restart = true}).takenOver, 0U);
}

TEST_F(StudyTest, MistakesInVariedSettingsAreToldAtTheirLines) {
  const auto problemsOf = [this](const std::string& axes) {
    std::string all;
    try {
      conducted(studyOf(axes, kSharp, ""));
    } catch (const core::InputError& error) {
      for (const core::Problem& problem : error.problems())
        all += std::to_string(problem.place.line) + ": " + problem.message + "\n";
    }
    return all;
  };
  EXPECT_EQ(problemsOf("[[vary]]\nname = \"algorithm.kind\"\nvalues = [\"jacobi\", \"jcobi\"]\n"),
            "7: 'jcobi' is no value of 'kind' in [algorithm].\n");
  EXPECT_EQ(problemsOf("[[vary]]\nname = \"link.cc\"\nvalues = [1.0, 2.0]\n"),
            "7: 'link' has no parameter or start value 'cc'.\n7: 'link' has no parameter or start value 'cc'.\n")
      << "one for each value";
  EXPECT_FALSE(fs::exists(place_.path() / "s.study"));
}

TEST_F(StudyTest, VariablesThatAreNotThereAreToldAtTheirLine) {
  Study study = studyOf("[[vary]]\nname = \"link.c\"\nvalues = [1.0]\n", kSharp, "");
  study.errors.variables.front().value = "mass1.y";
  try {
    conducted(study);
    ADD_FAILURE() << "accepted";
  } catch (const core::InputError& error) {
    EXPECT_EQ(error.problems().front().message, "There is no variable 'mass1.y' to be recorded.");
    EXPECT_EQ(error.problems().front().place.line, 13U);
  }
  EXPECT_FALSE(fs::exists(study.folder())) << "bad input leaves nothing";
}

TEST_F(StudyTest, InterruptedAtOnceLeavesNothing) {
  const Study study = studyOf("[[vary]]\nname = \"simulation.step\"\nvalues = [0.1]\n", kSharp, "");
  Options options;
  options.interrupted = [] { return true; };
  const Conducted result = conducted(study, options);
  EXPECT_FALSE(result.complete());
  EXPECT_EQ(result.done, 0U);
  EXPECT_TRUE(result.variables.empty());
  EXPECT_FALSE(fs::exists(study.folder()));
}

TEST_F(StudyTest, InterruptedAmidItsReferencesHasNoRows) {
  const Study study = studyOf("[[vary]]\nname = \"simulation.step\"\nvalues = [0.1]\n", kSharp, "");
  Options options;
  options.interrupted = [&] { return fs::exists(study.folder()); };
  const Conducted result = conducted(study, options);
  EXPECT_FALSE(result.complete());
  EXPECT_EQ(result.variables, std::vector<std::string>{"mass1.x"});
  EXPECT_FALSE(fs::exists(study.folder() / "study.csv"));
}

/// The FMU ends its process in the call that it is told, also in the last one.
TEST_F(StudyTest, ARunWhoseProcessDiesIsARowThatSaysSo) {
  core::writeWhole(place_.path() / "project.toml",
                   "format = 1\nsimulation = { end = 1.0, step = 0.25 }\n[[subsystems]]\nname = \"bad\"\nfmu = \"" +
                       std::string(KOPPLA_FMU_DIR) + "/Failing.fmu\"\nparameters = { u = 1.0, status = \"abort\" }\n");
  core::writeWhole(place_.path() / "r.csv", "time,bad.y\n0,1\n0.5,2\n1,3\n");
  core::writeWhole(place_.path() / "s.toml",
                   "format = 1\n[study]\nproject = \"project.toml\"\n[[vary]]\nname = \"bad.call\"\nvalues = "
                   "[\"doStep\", \"terminate\", \"reset\"]\n[reference]\nkind = \"file\"\nfile = \"r.csv\"\n[errors]\n"
                   "variables = [\"bad.y\"]\nmeasure = \"wrmse\"\n");
  const Conducted result = conducted(read(place_.path() / "s.toml", log_), {.jobs = 2});
  ASSERT_EQ(result.rows.size(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(result.rows[i].status, Status::failed) << i;
    EXPECT_EQ(result.rows[i].message, "The process of this run was killed by signal 6 (Aborted).") << i;
  }
  EXPECT_EQ(result.rows[2].status, Status::ok) << result.rows[2].message;
}

TEST_F(StudyTest, TextsHaveNoErrors) {
  core::writeWhole(place_.path() / "project.toml",
                   "format = 1\nsimulation = { end = 1.0, step = 0.25 }\n[[subsystems]]\nname = \"f\"\nfmu = \"" +
                       std::string(KOPPLA_FMU_DIR) + "/FeedThrough.fmu\"\n");
  core::writeWhole(
      place_.path() / "s.toml",
      "format = 1\n[study]\nproject = \"project.toml\"\n[[vary]]\nname = \"simulation.step\"\nvalues = [0.25]\n"
      "[reference]\nkind = \"run\"\nset = [\"simulation.step=0.125\"]\n[errors]\nvariables = [\"f.*Out\"]\n");
  const Study study = read(place_.path() / "s.toml", log_);
  EXPECT_EQ(
      test::messageOf<core::InputError>([&] { conducted(study); }),
      (place_.path() / "s.toml").string() + ":11:14: 'f.stringOut' holds texts, which have no error. Leave it out.");
}

}  // namespace
}  // namespace koppla::study
