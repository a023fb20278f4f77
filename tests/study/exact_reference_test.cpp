// Schmoll's two-mass oscillator against its exact solution, globally and locally (sec. 2.5.2 and 2.6.2, figs. 2.14 and
// 2.15): Jacobi has global and local order p + 1, Gauss-Seidel with the force's subsystem first local order p + 2.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/study/conduct.hpp"
#include "koppla/study/measured_run.hpp"
#include "koppla/study/references.hpp"

namespace koppla::study {
namespace {

Study studyWith(const core::TemporaryFolder& folder, const std::string& errors, const std::string& more = {}) {
  const std::filesystem::path project =
      std::filesystem::path(KOPPLA_EXAMPLES_DIR) / "two-mass-oscillator/force-displacement.toml";
  core::writeWhole(folder.path() / "s.toml",
                   "format = 1\n[study]\nproject = \"" + project.string() +
                       "\"\n[[vary]]\nname = \"simulation.step\"\nvalues = [1e-4, 5e-5]\n[reference]\nkind = "
                       "\"exact\"\n[errors]\nvariables = [\"s1.x\", \"s1.v\", \"s2.link.force\"]\n" +
                       errors + more);
  core::Log log;
  return read(folder.path() / "s.toml", log);
}

/// The errors at 1e-4 s and 5e-5 s.
std::array<double, 2> errorsOf(const std::string& errors, const std::vector<project::Override>& settings) {
  const core::TemporaryFolder folder("exact");
  const Study study = studyWith(folder, errors);
  const auto references = prepareReferences(study, 1, [] { return false; });
  std::array<double, 2> result{};
  for (std::size_t point = 0; point < 2; ++point) {
    std::vector<project::Override> all = study.grid.overrides(point);
    all.insert(all.end(), settings.begin(), settings.end());
    project::Project plan = planOf(study, all);
    const Reference& reference = *references->front().reference;
    for (const std::string& state : reference.states()) plan.settings.variables.push_back(state);
    const Row row = judge(runToEnd(plan), 0.0, reference, references->front().ownError, study.errors);
    EXPECT_EQ(row.errors.size(), 3U);  // states are recorded, not measured
    result.at(point) = row.error;
  }
  return result;
}

double orderOf(const std::array<double, 2>& errors) {
  return std::log2(errors[0] / errors[1]);
}

TEST(ExactReference, GivesTheOrdersOfSchmoll) {
  const std::string local = "reference = \"local\"\nskip = 20\n";
  const std::vector<project::Override> sequence{{"algorithm.kind", "gauss-seidel"},
                                                {"algorithm.order", "[\"s1\", \"s2\"]"}};
  for (const int degree : {1, 2, 3}) {
    std::vector<project::Override> settings{{"algorithm.degree", std::to_string(degree)}};
    EXPECT_NEAR(orderOf(errorsOf("", settings)), degree + 1.0, 0.2);
    EXPECT_NEAR(orderOf(errorsOf(local, settings)), degree + 1.0, 0.2);
    settings.insert(settings.end(), sequence.begin(), sequence.end());
    EXPECT_NEAR(orderOf(errorsOf("", settings)), degree + 1.0, 0.2);
    EXPECT_NEAR(orderOf(errorsOf(local, settings)), degree + 2.0, 0.2);
  }
}

TEST(ExactReference, GivesTheLocalErrorOfOutputsWithFeedThrough) {
  // They are taken with the extrapolated input: 1.0e-2, of order p + 1; computed anew it would be 7.5e-4.
  const std::string local = "reference = \"local\"\nskip = 20\n";
  const std::vector<project::Override> settings{{"algorithm.degree", "1"}, {"simulation.end", "1"}};
  EXPECT_NEAR(errorsOf(local, settings)[0], 1.0e-2, 0.2e-2);
  std::vector<project::Override> anew = settings;
  anew.push_back({"algorithm.reevaluate", "true"});
  EXPECT_NEAR(errorsOf(local, anew)[0], 7.5e-4, 1.5e-4);
}

TEST(ExactReference, MustKnowWhatIsMeasured) {
  const core::TemporaryFolder folder("exact");
  const Study study = studyWith(folder, "");
  try {
    checkReference(study, std::vector<std::string>{"s1.x", "s1.f"});
    FAIL();
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("The exact solution of the project has no 's1.f'."), std::string::npos)
        << error.what();
  }
}

TEST(ExactReference, LocalErrorsNeedItsStates) {
  const core::TemporaryFolder folder("exact");
  Study study = studyWith(folder, "reference = \"local\"\n");
  EXPECT_NO_THROW(checkReference(study, std::vector<std::string>{"s1.x"}));
  const std::string mapped = "\"s2.v\" = \"v2\"\n";
  study.projectText.erase(study.projectText.find(mapped), mapped.size());
  EXPECT_THROW(checkReference(study, std::vector<std::string>{"s1.x"}), core::InputError);
}

}  // namespace
}  // namespace koppla::study
