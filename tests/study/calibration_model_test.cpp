// Loops of two static programs, and the models of Jung (2013), sec. 5.2.

#include "koppla/study/calibration_model.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "koppla/coupling/adaptive_relaxation.hpp"

#include "static_function.hpp"

namespace koppla::study::calibration_model_test {
namespace {

using test::staticFunction;

double same(double in) {
  return in;
}

CalibrationModel loop(const std::function<double(double)>& first, const std::function<double(double)>& second,
                      double start) {
  return {"loop", [first] { return staticFunction(first); }, [second] { return staticFunction(second); }, start};
}

unsigned iterationsOf(const CalibrationModel& model, const LoopIteration& how) {
  return StaticLoop(model).iterations(how);
}

/// y <- second(first(y)) until |y_raw - y| <= rtol |y_raw|, with the first result passed on by `passOnFirst`, say.
unsigned definition(const std::function<double(double)>& first, const std::function<double(double)>& second, double y,
                    const LoopIteration& how, const std::function<double(double)>& passOnFirst,
                    const std::function<double(double)>& passOnSecond) {
  for (unsigned n = 1; n <= how.most; ++n) {
    const double raw = second(passOnFirst(first(y)));
    if (std::abs(raw - y) <= how.rtol * std::abs(raw)) return n;
    y = passOnSecond(raw);
  }
  return how.most;
}

/// Jung, sec. 4.7: the factor is steered by the last three results; a value without a start begins with its first one.
std::function<double(double)> relaxed(const coupling::AdaptiveParameters& parameters, std::optional<double> start) {
  struct State {
    std::vector<double> results{};
    double sent = 0.0;
    coupling::SteeredFactor factor{};
  };
  State state{.factor = {.omega = parameters.first}};
  if (start) state.results = {*start, *start};
  if (start) state.sent = *start;
  return [parameters, state](double raw) mutable {
    if (state.results.empty()) {
      state.results = {raw, raw};
      state.sent = raw;
    }
    const std::size_t n = state.results.size();
    state.factor =
        coupling::adapted(parameters, state.factor, {raw, state.results[n - 1], state.results[n - 2]}, false);
    state.results.push_back(raw);
    return state.sent = state.sent + state.factor.omega * (raw - state.sent);
  };
}

TEST(StaticLoop, TakesTheIterationsOfItsDefinition) {
  const auto first = [](double y) { return std::cos(y) + 0.1 * y; };
  for (const double gain : {-1.4, -0.9, 0.5, 0.9, 1.2})
    for (const double start : {0.0, -3.0, 50.0}) {
      const auto second = [gain](double x) { return gain * x + 2.0; };
      for (const double rtol : {1e-3, 1e-8}) {
        LoopIteration how{.rtol = rtol, .most = 300};
        EXPECT_EQ(iterationsOf(loop(first, second, start), how), definition(first, second, start, how, same, same));
        how.relaxation = coupling::AdaptiveParameters{.influence = 0.05, .gain = 2.0};
        EXPECT_EQ(iterationsOf(loop(first, second, start), how),
                  definition(first, second, start, how, same, relaxed(*how.relaxation, start)));
        how.values = coupling::Accelerated::all;
        how.relaxation->first = 0.7;
        EXPECT_EQ(iterationsOf(loop(first, second, start), how),
                  definition(first, second, start, how, relaxed(*how.relaxation, std::nullopt),
                             relaxed(*how.relaxation, start)));
      }
    }
}

TEST(StaticLoop, ThatRestsInItsSolutionTakesOneIteration) {
  const LoopIteration how;
  EXPECT_EQ(iterationsOf(loop(same, same, 7.0), how), 1U);
  EXPECT_EQ(iterationsOf(loop(same, same, 0.0), how), 1U) << "0 is as near to 0 as it can be";
}

TEST(StaticLoop, CountsAsManyAsAreAllowedWhereItDoesNotConverge) {
  const auto turned = [](double y) { return -y; };
  EXPECT_EQ(iterationsOf(loop(turned, same, 1.0), {.most = 17}), 17U);
  EXPECT_EQ(iterationsOf(loop(turned, same, 1.0), {.most = 1}), 1U);
}

TEST(StaticLoop, ThatBecomesInfiniteHasNotConverged) {
  const auto inverse = [](double y) { return 1.0 / y; };
  // The first result is infinite: nearer to itself than any tolerance, and no solution.
  EXPECT_EQ(iterationsOf(loop(inverse, same, 0.0), {.most = 40}), 40U);
  EXPECT_EQ(iterationsOf(loop([](double y) { return std::sqrt(y); }, same, -1.0), {.most = 40}), 40U);
}

TEST(StaticLoop, StandsAtTheInstantZero) {
  std::vector<double> times;
  const CalibrationModel model{"loop", [&times] { return staticFunction(same, &times); },
                               [&times] { return staticFunction(same, &times); }, 1.0};
  iterationsOf(model, {});
  // begin() tells a run from 0 s to 0 s; then each program is asked once.
  EXPECT_EQ(times, (std::vector<double>{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}));
}

std::vector<std::string> namesOf(const std::vector<CalibrationModel>& models) {
  std::vector<std::string> names;
  for (const CalibrationModel& model : models) names.push_back(model.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(JungModels, AreTheTwentyFiveOfHisStudy) {
  EXPECT_EQ(modelFamilies(), (Names{"lin", "A", "B", "B480", "FSI-v", "FSI-h"}));
  EXPECT_EQ(namesOf(jungModels()),
            (Names{"lin 5",    "lin 6.5",   "lin 8",     "lin 9.5",   "lin 11",    "A 5",      "A 6.5",
                   "A 8",      "A 9.5",     "A 11",      "B 8",       "B 9.5",     "B 11",     "FSI-v 65",
                   "FSI-v 80", "FSI-v 95",  "FSI-v 110", "FSI-v 125", "FSI-v 140", "FSI-h 65", "FSI-h 80",
                   "FSI-h 95", "FSI-h 110", "FSI-h 125", "FSI-h 140"}));
}

TEST(JungModels, OfOneKindAreNamedByItsWord) {
  EXPECT_EQ(namesOf(namedModels("B480").value()), (Names{"B480 5", "B480 6.5", "B480 8", "B480 9.5", "B480 11"}));
  EXPECT_EQ(namesOf(namedModels("B").value()), (Names{"B 8", "B 9.5", "B 11"}));
  EXPECT_EQ(namesOf(namedModels("FSI-h 72.25").value()), Names{"FSI-h 72.25"});
  EXPECT_EQ(namesOf(namedModels("lin 0.5").value()), Names{"lin 0.5"});
}

TEST(JungModels, HaveNoOtherNames) {
  for (const char* name : {"", " ", "li", "linn", "LIN", "C", "lin ", "lin x", "lin 5x", "lin 5 6", "lin  5", "lin 0",
                           "lin -5", "lin inf", "lin nan", "lin 1e999", "B4800"})
    EXPECT_FALSE(namedModels(name)) << name;
}

TEST(JungModels, StartAtTheirFirstHeatFluxOrAtRest) {
  const double horizontal = 0.001 * std::numbers::pi / 180.0;  // rad
  for (const auto& [name, start] : {std::pair{"lin", 50.0}, std::pair{"A", 50.0}, std::pair{"B480", 50.0},
                                    std::pair{"FSI-v", 0.0}, std::pair{"FSI-h", horizontal}}) {
    const std::vector<CalibrationModel> models = namedModels(name).value();
    EXPECT_EQ(models.size(), name == std::string_view("FSI-v") || name == std::string_view("FSI-h") ? 6U : 5U);
    for (const CalibrationModel& model : models) EXPECT_DOUBLE_EQ(model.start, start) << model.name;
  }
}

}  // namespace
}  // namespace koppla::study::calibration_model_test
