#include "koppla/study/calibration.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "koppla/core/thread_pool.hpp"
#include "koppla/study/grid.hpp"
#include "koppla/study/smoothing.hpp"

namespace koppla::study {

namespace {

using coupling::AdaptiveParameters;

/// Jung, table 5.4.
struct VariedParameter {
  std::string_view name;
  double AdaptiveParameters::*parameter;
  double from;
  double to;
  unsigned count;
};

constexpr std::array kVariedParameters{
    VariedParameter{"influence", &AdaptiveParameters::influence, 0.0, 0.15, 17},
    VariedParameter{"lower", &AdaptiveParameters::lower, 1.0 / 3.0, 1.0, 9},
    VariedParameter{"upper", &AdaptiveParameters::upper, 1.0 / 3.0, 1.0, 9},
    VariedParameter{"gain", &AdaptiveParameters::gain, 0.0, 5.0, 10},
    VariedParameter{"slope", &AdaptiveParameters::slope, 0.1, 5.0, 10},
    VariedParameter{"mass", &AdaptiveParameters::mass, 0.0, 1.0, 6},
};

/// Relative efforts of all sets on one model.
class Sweep {
 public:
  Sweep(const Calibration& calibration, core::ThreadPool& pool, const CalibrationOptions& options)
      : calibration_(calibration), pool_(pool), options_(options) {}

  /// False if interrupted; what there is then is not complete, and nothing else can be done.
  bool over(std::size_t model, unsigned unrelaxed, std::vector<double>& eta) {
    std::vector<std::unique_ptr<StaticLoop>> loops;  // one for each thread
    for (std::size_t thread = 0; thread < pool_.size(); ++thread)
      loops.push_back(std::make_unique<StaticLoop>(calibration_.models[model]));
    next_ = 0;
    pool_.run([&](std::size_t thread) {
      constexpr std::size_t kAtOnce = 256;
      while (!interrupted_) {
        const std::size_t first = next_.fetch_add(kAtOnce);
        if (first >= eta.size()) return;
        const std::size_t last = std::min(first + kAtOnce, eta.size());
        for (std::size_t point = first; point < last; ++point)
          eta[point] = loops[thread]->iterations(calibration_.iterationWith(calibration_.parametersAt(point))) /
                       static_cast<double>(unrelaxed);
        if (options_.interrupted()) interrupted_ = true;
        if (thread == 0) options_.progress(model * eta.size() + last, calibration_.models.size() * eta.size());
      }
    });
    return !interrupted_;
  }

 private:
  const Calibration& calibration_;
  core::ThreadPool& pool_;
  const CalibrationOptions& options_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> interrupted_ = false;
};

std::vector<std::size_t> bestPoints(const std::vector<double>& objective, std::size_t count) {
  std::vector<std::size_t> points(objective.size());
  std::iota(points.begin(), points.end(), std::size_t{0});
  const auto end = points.begin() + static_cast<std::ptrdiff_t>(std::min(count, points.size()));
  std::ranges::partial_sort(points, end, {}, [&](std::size_t point) { return std::pair(objective[point], point); });
  points.erase(end, points.end());
  return points;
}

/// The best set that is on no border, if there is one.
std::optional<std::size_t> bestInside(const Calibration& calibration, const std::vector<double>& objective) {
  std::optional<std::size_t> best;
  for (std::size_t point = 0; point < objective.size(); ++point)
    if ((!best || objective[point] < objective[*best]) && calibration.bordersAt(point).empty()) best = point;
  return best;
}

CalibratedSet ranked(const Calibration& calibration, const CalibrationResult& result, std::size_t point,
                     std::size_t rank) {
  CalibratedSet set = measured(calibration, calibration.parametersAt(point), result.unrelaxed);
  set.name = std::to_string(rank);
  set.objective = result.objective[point];
  set.borders = calibration.bordersAt(point);
  return set;
}

}  // namespace

std::vector<std::size_t> Calibration::sizes() const {
  std::vector<std::size_t> result;
  for (const CalibrationAxis& axis : axes) result.push_back(axis.values.size());
  return result;
}

std::size_t Calibration::size() const {
  std::size_t result = 1;
  for (const CalibrationAxis& axis : axes) result *= axis.values.size();
  return result;
}

AdaptiveParameters Calibration::parametersAt(std::size_t point) const {
  AdaptiveParameters parameters = common;
  for (std::size_t i = axes.size(); i-- > 0; point /= axes[i].values.size())
    parameters.*axes[i].parameter = axes[i].values[point % axes[i].values.size()];
  return parameters;
}

std::vector<std::string> Calibration::bordersAt(std::size_t point) const {
  std::vector<std::string> names;
  for (std::size_t i = axes.size(); i-- > 0; point /= axes[i].values.size()) {
    const std::size_t at = point % axes[i].values.size();
    const bool isBorder = at == 0 || at + 1 == axes[i].values.size();
    if (isBorder && axes[i].values.size() > 2) names.insert(names.begin(), axes[i].name);
  }
  return names;
}

LoopIteration Calibration::iterationWith(const AdaptiveParameters& parameters) const {
  LoopIteration result = iteration;
  result.relaxation = parameters;
  return result;
}

std::vector<CalibrationAxis> jungAxes(coupling::Steering algorithm) {
  std::vector<CalibrationAxis> axes;
  for (const VariedParameter& varied : kVariedParameters)
    if (algorithm != coupling::Steering::linear || varied.parameter != &AdaptiveParameters::slope)
      axes.push_back({std::string(varied.name), varied.parameter, linearValues(varied.from, varied.to, varied.count)});
  return axes;
}

std::vector<unsigned> unrelaxedIterations(const Calibration& calibration) {
  LoopIteration how = calibration.iteration;
  how.relaxation.reset();
  std::vector<unsigned> result;
  for (const CalibrationModel& model : calibration.models) result.push_back(StaticLoop(model).iterations(how));
  return result;
}

CalibratedSet measured(const Calibration& calibration, const AdaptiveParameters& parameters,
                       const std::vector<unsigned>& unrelaxed) {
  CalibratedSet set;
  set.parameters = parameters;
  const LoopIteration how = calibration.iterationWith(parameters);
  for (std::size_t i = 0; i < calibration.models.size(); ++i) {
    set.iterations.push_back(StaticLoop(calibration.models[i]).iterations(how));
    set.eta.push_back(set.iterations.back() / static_cast<double>(unrelaxed[i]));
  }
  set.statistics = boxStatistics(set.eta);
  set.worse = static_cast<std::size_t>(std::ranges::count_if(set.eta, [](double eta) { return eta > 1.0; }));
  return set;
}

std::optional<CalibrationResult> calibrate(const Calibration& calibration, const CalibrationOptions& options) {
  CalibrationResult result;
  result.unrelaxed = unrelaxedIterations(calibration);
  result.objective.assign(calibration.size(), 0.0);
  const std::vector<std::size_t> sizes = calibration.sizes();
  const auto models = static_cast<double>(calibration.models.size());
  core::ThreadPool pool(std::max(1U, options.jobs));
  Sweep sweep(calibration, pool, options);
  for (std::size_t model = 0; model < calibration.models.size(); ++model) {
    std::vector<double> eta(calibration.size());
    if (!sweep.over(model, result.unrelaxed[model], eta)) return std::nullopt;
    const double capped = calibration.iteration.most / static_cast<double>(result.unrelaxed[model]);
    if (*std::ranges::min_element(eta) >= capped) result.unsolved.push_back(calibration.models[model].name);
    for (unsigned pass = 0; pass < calibration.passes; ++pass) eta = smoothed(eta, sizes);
    for (std::size_t point = 0; point < eta.size(); ++point) result.objective[point] += eta[point] * eta[point];
    if (calibration.field == WrittenField::models) result.smoothed.push_back(std::move(eta));
  }
  options.progress(calibration.models.size() * calibration.size(), calibration.models.size() * calibration.size());
  for (double& objective : result.objective) objective = std::sqrt(objective / models);
  for (const std::size_t point : bestPoints(result.objective, calibration.best))
    result.best.push_back(ranked(calibration, result, point, result.best.size() + 1));
  if (const std::optional<std::size_t> point = bestInside(calibration, result.objective)) {
    const auto isBetter = [&](double objective) { return objective < result.objective[*point]; };
    const auto better = static_cast<std::size_t>(std::ranges::count_if(result.objective, isBetter));
    result.inside = ranked(calibration, result, *point, better + 1);
  }
  for (const coupling::AdaptiveSet& set : calibration.sets) {
    result.named.push_back(measured(calibration, set.parameters, result.unrelaxed));
    result.named.back().name = set.name;
  }
  return result;
}

}  // namespace koppla::study
