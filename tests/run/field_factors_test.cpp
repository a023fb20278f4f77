// Constant relaxation with factors of single outputs (Jung, eq. 2.7, per field).

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "fmu_system.hpp"
#include "static_analysis.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::run::field_factors_test {
namespace {

using coupling::Accelerated;
using coupling::AccelerationSettings;
using coupling::AcceleratorKind;
using coupling::AlgorithmKind;
using test::MemoryRecorder;

TEST(ConstantRelaxation, EveryFieldHasItsOwnFactor) {
  // Errors of u = g u + 1 shrink by 1 - omega (1 - g) in every iteration.
  constexpr std::array kSlopes{-3.0, 0.5};
  constexpr std::array kFactors{0.2, 1.9};
  test::Largest off;
  std::size_t iterations = 0;
  for (const Accelerated values : {Accelerated::cut, Accelerated::all}) {
    AccelerationSettings acceleration{.kind = AcceleratorKind::constant, .values = values};
    acceleration.fieldFactors = {{"same.y1", kFactors[0]}, {"?ame.y2", kFactors[1]}};
    Settings settings = staticAnalysis(AlgorithmKind::iteratedGaussSeidel, acceleration, {"same.*"}, 1e-9);
    settings.recordsIterations = true;
    settings.iterationVariables = {"same.*"};
    core::Log log;
    MemoryRecorder history;
    run::Run run(twoGains(kSlopes[0], kSlopes[1]), settings, log, Recorders(nullptr, &history));
    ASSERT_TRUE(run.initialise().ok());
    ASSERT_TRUE(run.simulate().ok());
    iterations = history.times.size();
    for (std::size_t field = 0; field < 2; ++field) {
      const std::vector<double>& answered = history.of(fmt::format("same.y{}", field + 1));
      const double solution = 1.0 / (1.0 - kSlopes[field]);
      const double shrinks = 1.0 - kFactors[field] * (1.0 - kSlopes[field]);
      for (std::size_t i = 1; i < answered.size(); ++i)
        off.see(std::fabs(answered[i] - solution - shrinks * (answered[i - 1] - solution)));
      if (values == Accelerated::cut) {
        const std::vector<double>& told = history.of(fmt::format("same.y{}.factor", field + 1));
        for (std::size_t i = 1; i < told.size(); ++i) EXPECT_EQ(told[i], kFactors[field]) << i;
      }
    }
  }
  EXPECT_GE(iterations, 10U);
  test::showAtMost({"jung 15", "per-field",
                    "two fields, slopes -3 and 0.5, factors 0.2 and 1.9: errors times 0.2 and 0.05 within 1e-14"},
                   off, 1e-14);
}

TEST(ConstantRelaxation, FactorsOfFieldsAreRefusedWithTheirNames) {
  const auto refusal = [](std::vector<coupling::OwnNumber> factors) {
    AccelerationSettings acceleration{.kind = AcceleratorKind::constant};
    acceleration.fieldFactors = std::move(factors);
    core::Log log;
    try {
      run::Run run(twoGains(-3.0, 0.5), staticAnalysis(AlgorithmKind::iteratedGaussSeidel, acceleration, {"same.*"}),
                   log);
    } catch (const core::InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal({{"same.y3", 0.5}}).find("No real output fits 'same.y3', which has a relaxation factor"),
            std::string::npos);
  EXPECT_NE(refusal({{"same.y1", 0.5}, {"same.*", 0.7}}).find("'same.y1' has a relaxation factor of its own twice"),
            std::string::npos);
  EXPECT_NE(refusal({{"same.y1", 2.0}}).find("The relaxation factor is 2"), std::string::npos);
  EXPECT_EQ(refusal({{"same.y1", 1.99}}), "");
}

TEST(ConstantRelaxation, TellsOfFactorsWithoutEffect) {
  AccelerationSettings acceleration{.kind = AcceleratorKind::constant};
  acceleration.fieldFactors = {{"*.y1", 0.5}};
  core::Log log;
  std::vector<std::string> warnings;
  log.addSink([&warnings](auto, std::string_view, std::string_view message) { warnings.emplace_back(message); },
              core::Severity::warning);
  const run::Run run(twoGains(-3.0, 0.5), staticAnalysis(AlgorithmKind::iteratedGaussSeidel, acceleration, {"same.*"}),
                     log);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("the factor 0.5 of 'gains.y1' has no effect"), std::string::npos) << warnings[0];
}

}  // namespace
}  // namespace koppla::run::field_factors_test
