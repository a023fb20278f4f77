#include "koppla/subsystem/phases.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <utility>

#include "koppla/core/error.hpp"
#include "koppla/subsystem/detail/wrapper.hpp"

namespace koppla::subsystem {

namespace {

class Unwrapped final : public detail::Wrapper {
 public:
  Unwrapped(std::unique_ptr<Subsystem> inner, std::vector<PortIndex> phases)
      : Wrapper(std::move(inner)), phases_(std::move(phases)) {
    description().capabilities.linear = false;  // it leaps from branch to branch
    for (const PortIndex phase : phases_) {
      const Port& port = describe().ports[phase];
      if (port.type != core::Type::real || !turnOf(port.unit))
        throw core::InputError("The output '" + port.name + "' is no phase.", "A phase is a real in rad or deg.");
    }
  }

  void bind(Binding binding) override {
    angles_.clear();
    std::size_t place = 0;
    for (const PortIndex output : binding.outputs) {
      const Port& port = describe().ports[output];
      if (port.type != core::Type::real) continue;
      if (std::ranges::find(phases_, output) != phases_.end())
        for (std::size_t k = 0; k < port.size; ++k) angles_.push_back({output, k, place + k, *turnOf(port.unit)});
      place += port.size;
    }
    references_.assign(angles_.size(), 0.0);
    Wrapper::bind(std::move(binding));
  }

  Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    return unwrapping(y, [&] { return inner().evaluate(t, u, y); });
  }
  Status readOutputs(std::span<double> y) override {
    return unwrapping(y, [&] { return inner().readOutputs(y); });
  }
  StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
    return unwrapping(y, [&] { return inner().advance(step, u, y); });
  }
  Status differentiateStep(const Step& step, std::size_t input, SeriesWeights weights, std::span<double> dy) override {
    return inner().differentiateStep(step, input, weights, dy);
  }

  void observe(std::span<const PortIndex> ports, core::Values& into) override {
    std::size_t place = into.reals.size();
    Wrapper::observe(ports, into);
    for (const PortIndex observed : ports) {
      const Port& port = describe().ports[observed];
      if (port.type != core::Type::real) continue;
      for (std::size_t i = 0; i < angles_.size(); ++i) {
        if (angles_[i].port != observed) continue;
        double& value = into.reals[place + angles_[i].element];
        value = onNearestBranch(value, references_[i], angles_[i].turn);
      }
      place += port.size;
    }
  }

 private:
  /// A scalar of a phase, among the values of y.
  struct Angle {
    PortIndex port;
    std::size_t element;
    std::size_t place;
    double turn;
  };

  template <class Call>
  std::invoke_result_t<Call> unwrapping(std::span<double> y, const Call& call) {
    for (std::size_t i = 0; i < angles_.size(); ++i) references_[i] = y[angles_[i].place];
    const auto result = call();
    for (std::size_t i = 0; i < angles_.size(); ++i) {
      double& value = y[angles_[i].place];
      value = onNearestBranch(value, references_[i], angles_[i].turn);
      references_[i] = value;
    }
    return result;
  }

  std::vector<PortIndex> phases_;
  std::vector<Angle> angles_;
  std::vector<double> references_;  ///< by angle: during a call what was there before, then what was passed on
};

}  // namespace

std::optional<double> turnOf(std::string_view unit) {
  if (unit.empty() || unit == "rad") return 2.0 * std::numbers::pi;
  if (unit == "deg") return 360.0;
  return std::nullopt;
}

double onNearestBranch(double value, double reference, double turn) {
  const double turns = std::round((reference - value) / turn);
  return turns == 0.0 || !std::isfinite(turns) ? value : value + turn * turns;
}

std::unique_ptr<Subsystem> unwrapPhases(std::unique_ptr<Subsystem> inner, std::vector<PortIndex> phases) {
  return std::make_unique<Unwrapped>(std::move(inner), std::move(phases));
}

}  // namespace koppla::subsystem
