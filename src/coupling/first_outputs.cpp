#include "koppla/coupling/first_outputs.hpp"

#include <algorithm>

namespace koppla::coupling {

namespace {

class Leaving {
 public:
  Leaving(const System& system, Network& network, double t, const std::vector<std::size_t>& kept)
      : system_(system), network_(network), t_(t), kept_(network.outputs().size()), changed_(network.outputs().size()) {
    for (const std::size_t value : kept) kept_[value] = true;
  }

  FirstOutputs run() {
    for (std::size_t position = 0; position < network_.size(); ++position) {
      if (isReached(position) && !evaluate(position)) return std::move(result_);
      network_.subsystem(position).leaveInitialisation();
      if (!take(position, [&] { return network_.readOutputs(position, t_); })) return std::move(result_);
    }
    for (std::size_t position = 0; position < network_.size(); ++position) {
      const bool can =
          network_.isStatic(position) || network_.subsystem(position).describe().capabilities.evaluatesBetweenSteps;
      if (can && isReached(position) && !evaluate(position)) return std::move(result_);
    }
    for (std::size_t value = 0; value < changed_.size(); ++value) tell(value);
    if (any_) result_.fault = network_.explosion();
    return std::move(result_);
  }

 private:
  bool evaluate(std::size_t position) {
    const std::span<const double> u = network_.inputsOf(position);
    const std::vector<double> before(u.begin(), u.end());
    network_.gather(position);
    if (std::ranges::equal(u, before) && !network_.hasDiscreteInputs(position)) return true;  // it has met them before
    return take(position, [&] { return network_.evaluate(position, t_); });
  }

  /// Notes what is changed by the call, and puts back what is to stay.
  template <class Call>
  bool take(std::size_t position, const Call& call) {
    const Block own = network_.outputsOf(position);
    const std::span<double> y = network_.outputs().subspan(own.first, own.last - own.first);
    const std::vector<double> before(y.begin(), y.end());
    const core::Values discreteBefore = network_.discreteOutputs({position, position + 1});
    if ((result_.fault = call())) return false;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (kept_[own.first + i]) y[i] = before[i];
      if (y[i] == before[i]) continue;
      changed_[own.first + i] = true;
      any_ = true;
    }
    if (network_.discreteOutputs({position, position + 1}) != discreteBefore) anyDiscrete_ = true;
    return true;
  }

  /// Whether an input of the member takes what has changed.
  [[nodiscard]] bool isReached(std::size_t position) const {
    if (anyDiscrete_ && network_.hasDiscreteInputs(position)) return true;
    return any_ && std::ranges::any_of(network_.sourcesOf(position), [this](std::size_t v) { return changed_[v]; });
  }

  void tell(std::size_t value) {
    if (!changed_[value]) return;
    const OutputName output = network_.outputName(value);
    std::string name = system_.members[output.member].nameOf(output.port);
    if (result_.changed.empty() || result_.changed.back() != name) result_.changed.push_back(std::move(name));
  }

  const System& system_;
  Network& network_;
  double t_;
  std::vector<bool> kept_;
  std::vector<bool> changed_;
  bool any_ = false;
  bool anyDiscrete_ = false;
  FirstOutputs result_;
};

}  // namespace

FirstOutputs leaveInitialisation(const System& system, Network& network, double t,
                                 const std::vector<std::size_t>& kept) {
  return Leaving(system, network, t, kept).run();
}

}  // namespace koppla::coupling
