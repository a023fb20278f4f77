// What the runs of a study are measured against, and which of it belongs to which run.

#include "koppla/study/references.hpp"

#include <cmath>
#include <csignal>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "own_children.hpp"
#include "support/full_disk.hpp"
#include "support/message_of.hpp"

namespace koppla::study::references_test {
namespace {

using Names = std::vector<std::string>;

/// a.y = k t + d t^2 from 0 to 1 s, and a.z = k.
constexpr const char* kProject = R"(format = 1
simulation = { end = 1.0, step = 0.25 }
[[subsystems]]
name = "a"
model = "expressions"
parameters = { k = 1.0, d = 0.0 }
outputs = { y = "k*t + d*t^2", z = "k + 0*t" }
)";

const std::string kFollowed = "[[vary]]\nname = \"a.k\"\nvalues = [1.0, 2.0, 4.0]\n";
const std::string kErrors = "[errors]\nvariables = [\"a.y\"]\n";
const std::string kSet = "[reference]\nkind = \"run\"\nset = [\"a.d=0.5\"]\n";

class ReferencesTest : public ::testing::Test {
 protected:
  ReferencesTest() { write("p.toml", kProject); }

  void write(const std::string& name, const std::string& text) { core::writeWhole(place_.path() / name, text); }

  Study studyOf(const std::string& axes, const std::string& reference, const std::string& errors = kErrors) {
    write("s.toml", "format = 1\n[study]\nproject = \"p.toml\"\n" + axes + reference + errors);
    return read(place_.path() / "s.toml", log_);
  }

  std::vector<PreparedReference> prepared(const Study& study, unsigned jobs = 1) {
    return prepareReferences(study, jobs, [] { return false; }).value();
  }

  /// Why there is no reference.
  std::string refusal(const Study& study) {
    return test::messageOf<core::InputError>([&] { prepared(study); });
  }

  std::string place(int line) { return (place_.path() / "s.toml").string() + ":" + std::to_string(line) + ":1: "; }

  core::TemporaryFolder place_{"references-test"};
  core::Log log_;
};

double valueAt(const PreparedReference& prepared, double t) {
  std::vector<double> y(prepared.reference->names().size());
  return prepared.reference->values(t, y) ? y.front() : std::nan("");
}

TEST_F(ReferencesTest, AreRunForEachFollowedValueWithTheirOwnError) {
  const Study study = studyOf(kFollowed, kSet + "check_set = [\"a.d=1.5\"]\nfollows = [\"a.k\"]\n");
  for (const unsigned jobs : {1U, 4U}) {
    const std::vector<PreparedReference> references = prepared(study, jobs);
    ASSERT_EQ(references.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const double k = std::pow(2.0, static_cast<double>(i));
      EXPECT_NEAR(valueAt(references[i], 0.75), 0.75 * k + 0.5 * 0.5625, 1e-12);
      // The check is off by t^2; (2.33) at the times 1/4 to 1.
      double error = 0.0, mean = 0.0, spread = 0.0;
      for (const double t : {0.25, 0.5, 0.75, 1.0}) mean += (k * t + 0.5 * t * t) / 4.0;
      for (const double t : {0.25, 0.5, 0.75, 1.0}) {
        error += std::pow(t, 4);
        spread += std::pow(k * t + 0.5 * t * t - mean, 2);
      }
      EXPECT_NEAR(references[i].ownError, std::sqrt(error / spread), 1e-12) << i;
    }
  }
}

TEST_F(ReferencesTest, WithoutACheckTheirErrorIsNotKnown) {
  const std::vector<PreparedReference> references = prepared(studyOf(kFollowed, kSet + "follows = [\"a.k\"]\n"));
  ASSERT_EQ(references.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isnan(references[i].ownError));
    EXPECT_NEAR(valueAt(references[i], 1.0), std::pow(2.0, static_cast<double>(i)) + 0.5, 1e-12);
  }
}

TEST_F(ReferencesTest, OfOneRunServeAllPoints) {
  EXPECT_EQ(prepared(studyOf(kFollowed, kSet)).size(), 1U);
}

TEST_F(ReferencesTest, KeepTheTypesOfTheirVariables) {
  write("p.toml", "format = 1\nsimulation = { end = 1.0, step = 0.25 }\n[[subsystems]]\nname = \"f\"\nfmu = \"" +
                      std::string(KOPPLA_FMU_DIR) +
                      "/FeedThrough.fmu\"\nparameters = { integerIn = 7, realIn = 0.5, "
                      "booleanIn = true }\n");
  const Study study = studyOf("[[vary]]\nname = \"simulation.step\"\nvalues = [0.5]\n",
                              "[reference]\nkind = \"run\"\nset = [\"simulation.step=0.25\"]\n",
                              "[errors]\nvariables = [\"f.integerOut\", \"f.realOut\", \"f.booleanOut\"]\n");
  const std::vector<PreparedReference> references = prepared(study);
  ASSERT_EQ(references.size(), 1U);
  const auto& reference = dynamic_cast<const TableReference&>(*references.front().reference);
  EXPECT_EQ(reference.table().time, (std::vector<double>{0.0, 0.25, 0.5, 0.75, 1.0}));
  const auto expect = [&reference](const char* name, core::Type type, double value) {
    const results::Series* const series = reference.table().find(name);
    ASSERT_NE(series, nullptr) << name;
    EXPECT_EQ(series->type, type) << name;
    EXPECT_EQ(series->numbers, std::vector<double>(5, value)) << name;
  };
  expect("f.integerOut", core::Type::integer, 7.0);
  expect("f.realOut", core::Type::real, 0.5);
  expect("f.booleanOut", core::Type::boolean, 1.0);
  EXPECT_EQ(reference.names().size(), 3U);
}

TEST_F(ReferencesTest, ARunThatDoesNotCompleteIsNone) {
  const std::string remedy = " Change 'set' in [reference].";
  const std::string low = "\"simulation.explosion_limit=0.3\"";
  const std::string run = refusal(studyOf(kFollowed, "[reference]\nkind = \"run\"\nset = [" + low + "]\n"));
  EXPECT_TRUE(
      run.starts_with(place(7) + "The reference run did not complete. The variable 'a.y' is not finite or beyond"))
      << run;
  EXPECT_TRUE(run.ends_with(remedy)) << run;
  const std::string check = refusal(studyOf(kFollowed, kSet + "check_set = [" + low + "]\n"));
  EXPECT_TRUE(check.starts_with(
      place(7) + "The check of the reference did not complete. The variable 'a.y' is not finite or beyond"))
      << check;
  EXPECT_TRUE(check.ends_with(" Change 'check_set'.")) << check;
}

TEST_F(ReferencesTest, ARunWhoseProcessDiesIsNone) {
  if (!test::ownChildren()) GTEST_SKIP() << "This system does not tell whose children there are.";
  const Study study = studyOf(kFollowed, "[reference]\nkind = \"run\"\nset = [\"simulation.step=1e-8\"]\n");
  const std::string said = test::messageOf<core::InputError>([&] {
    prepareReferences(study, 1, [] {
      for (const pid_t child : test::ownChildren().value_or(std::vector<pid_t>{})) ::kill(child, SIGKILL);
      return false;
    });
  });
  EXPECT_EQ(said, place(7) +
                      "The reference run did not complete. It was killed by signal 9 (Killed). Change 'set' in "
                      "[reference].");
}

TEST_F(ReferencesTest, ACheckThatCannotBeMeasuredIsRefused) {
  EXPECT_EQ(
      refusal(studyOf(kFollowed, kSet + "check_set = [\"a.d=1\"]\n", kErrors + "skip = 4\n")),
      place(7) + "The reference cannot be checked. All 4 macro steps are skipped. Correct [errors] or [reference].");
}

TEST_F(ReferencesTest, AFullDiskIsNotTheReferencesFault) {
  write("p.toml", "format = 1\nsimulation = { end = 1.0, step = 0.25 }\n[[subsystems]]\nname = \"a\"\nfmu = \"" +
                      std::string(KOPPLA_FMU_DIR) + "/Gain.fmu\"\n");
  const Study study = studyOf("[[vary]]\nname = \"a.k\"\nvalues = [1.0]\n",
                              "[reference]\nkind = \"run\"\nset = [\"simulation.step=0.125\"]\n");
  const test::FullDisk full(4096);  // smaller than any library in an FMU
  const std::string said = test::messageOf<core::FileError>([&] { prepared(study); });
  EXPECT_TRUE(said.starts_with("The reference could not be computed. ")) << said;
}

TEST_F(ReferencesTest, AreNotWaitedForWhenInterrupted) {
  EXPECT_FALSE(prepareReferences(studyOf(kFollowed, kSet), 1, [] { return true; }));
}

TEST_F(ReferencesTest, AreComputedAsManyAtOnceAsAllowed) {
  if (!test::ownChildren()) GTEST_SKIP() << "This system does not tell whose children there are.";
  const Study study = studyOf(kFollowed, kSet + "check_set = [\"a.d=1.5\"]\nfollows = [\"a.k\"]\n");
  for (const unsigned jobs : {1U, 4U}) {
    std::size_t most = 0;
    const auto look = [&most] {
      most = std::max(most, test::countOfOwnChildren());
      return false;
    };
    EXPECT_EQ(prepareReferences(study, jobs, look).value().size(), 3U);
    EXPECT_EQ(most, jobs);
  }
}

const std::string kExactValues =
    "[reference]\nkind = \"formulas\"\nformulas = { y = \"3*t\" }\nvalues = { \"a.y\" = \"y\" }\n";

TEST_F(ReferencesTest, OfTheProjectAreExactForEachFollowedValue) {
  write("p.toml", kProject + kExactValues);
  const Study study = studyOf(kFollowed, "[reference]\nkind = \"exact\"\nfollows = [\"a.k\"]\n");
  const std::vector<PreparedReference> references = prepared(study);
  ASSERT_EQ(references.size(), 3U);
  for (const PreparedReference& each : references) {
    EXPECT_EQ(each.ownError, 0.0);
    EXPECT_DOUBLE_EQ(valueAt(each, 0.7), 2.1);
  }
  EXPECT_NO_THROW(checkReference(study, Names{"a.y"}));
  EXPECT_EQ(test::messageOf<core::InputError>([&] {
              checkReference(study, Names{"a.z", "a.y", "a.w"});
            }),
            (place_.path() / "s.toml").string() +
                ":11:14: The exact solution of the project has no 'a.z'. Leave it out, or write \"a.z\" = \"...\" in "
                "[reference.values] of the project.\n" +
                (place_.path() / "s.toml").string() +
                ":11:14: The exact solution of the project has no 'a.w'. Leave it out, or write \"a.w\" = \"...\" in "
                "[reference.values] of the project.");
}

TEST_F(ReferencesTest, OfAFileHaveItsValuesAndNoKnownError) {
  write("r.csv", "time,a.y,b.x\n0,1,5\n1,3,6\n");
  const Study study = studyOf(kFollowed, "[reference]\nkind = \"file\"\nfile = \"r.csv\"\nbetween_rows = \"cubic\"\n",
                              "[errors]\nvariables = [\"a.y\", \"a.z\"]\n");
  const std::vector<PreparedReference> references = prepared(study);
  ASSERT_EQ(references.size(), 1U);
  EXPECT_TRUE(std::isnan(references.front().ownError));
  EXPECT_EQ(references.front().reference->names(), (Names{"a.y", "b.x"}));
  EXPECT_DOUBLE_EQ(valueAt(references.front(), 0.5), 2.0);
  EXPECT_NO_THROW(checkReference(study, Names{"a.y"}));
  EXPECT_EQ(test::messageOf<core::InputError>([&] {
              checkReference(study, Names{"a.y", "a.z"});
            }),
            (place_.path() / "s.toml").string() + ":12:14: The reference " + (place_.path() / "r.csv").string() +
                " has no 'a.z'. Leave it out, or choose another file.");
}

TEST_F(ReferencesTest, OfRunsAreNotCheckedBeforehand) {
  EXPECT_NO_THROW(checkReference(studyOf(kFollowed, kSet), Names{"a.none"}));
}

TEST(ReferenceFor, APointIsTheOneWithItsFollowedValues) {
  Study study;
  const auto axis = [](const std::string& name, std::size_t count) {
    Axis result{{name}, {}};
    for (std::size_t i = 0; i < count; ++i) result.values.push_back({std::to_string(i), std::nullopt});
    return result;
  };
  study.grid = Grid({axis("a", 2), axis("b", 3), axis("c", 4), axis("d", 2)});
  const auto expectOf = [&study](const Names& followed, auto&& indexOf) {
    study.reference.follows.clear();
    for (const std::string& name : followed) study.reference.follows.push_back({name, {}});
    std::size_t point = 0;
    for (std::size_t a = 0; a < 2; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t c = 0; c < 4; ++c)
          for (std::size_t d = 0; d < 2; ++d) {
            EXPECT_EQ(referenceFor(study, point), indexOf(a, b, c, d)) << point;
            ++point;
          }
  };
  using Index = std::size_t;
  expectOf({}, [](Index, Index, Index, Index) { return Index{0}; });
  expectOf({"a"}, [](Index a, Index, Index, Index) { return a; });
  expectOf({"c", "a"}, [](Index a, Index, Index c, Index) { return 4 * a + c; });
  expectOf({"b", "c", "d"}, [](Index, Index b, Index c, Index d) { return (b * 4 + c) * 2 + d; });
}

}  // namespace
}  // namespace koppla::study::references_test
