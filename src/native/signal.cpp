#include "koppla/native/signal.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/native/detail/interpolant.hpp"
#include "koppla/native/detail/model.hpp"
#include "koppla/native/detail/names.hpp"

namespace koppla::native {

namespace {

constexpr const char* kModel = "signal";

class SignalModel final : public detail::StatelessModel {
 public:
  explicit SignalModel(const Signal& settings) : StatelessModel(kModel) {
    checkColumns(settings);
    for (const Signal::Column& column : settings.columns) {
      columns_.emplace_back(fmt::format("{}: column '{}'", kModel, column.name), settings.times, column.values,
                            settings.interpolation, Extrapolation::hold);
      addOutput({column.name, column.unit, ""});
    }
    for (std::size_t point = 0; point < settings.times.size(); ++point)
      if (!std::ranges::all_of(columns_, [point](const auto& column) { return column.passes(point); }))
        points_.push_back(settings.times[point]);
    complete();
  }

  [[nodiscard]] double nextKnownPoint(double t) const override {
    const auto next = std::ranges::upper_bound(points_, t);
    return next != points_.end() ? *next : HUGE_VAL;
  }

  void outputs(double t, std::span<const double> /*x*/, std::span<const double> /*u*/,
               std::span<double> y) const override {
    for (std::size_t i = 0; i < columns_.size(); ++i) y[i] = columns_[i](t);
  }

 private:
  static void checkColumns(const Signal& settings) {
    std::vector<std::string> names;
    for (const Signal::Column& column : settings.columns) names.push_back(column.name);
    std::vector<core::Problem> problems = detail::nameProblems(kModel, names);
    if (names.empty())
      problems.push_back({{}, fmt::format("{}: there is no column of values.", kModel), "Give at least one."});
    if (!problems.empty()) throw core::InputError(std::move(problems));
  }

  std::vector<detail::Interpolant> columns_;
  std::vector<double> points_;  ///< s, where at least one of them jumps or bends
};

}  // namespace

std::unique_ptr<solver::Equations> signal(const Signal& settings) {
  return std::make_unique<SignalModel>(settings);
}

}  // namespace koppla::native
