#include "koppla/coupling/first_outputs.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace koppla::coupling {

namespace {

class Leaving {
 public:
  Leaving(const System& system, Network& network, double t, const InitialisationReport& report)
      : system_(system),
        network_(network),
        t_(t),
        order_(report.order),
        kept_(network.outputs().size()),
        late_(network.outputs().size()),
        changed_(network.outputs().size()) {
    for (const KeptOutput& output : report.kept) kept_[output.value] = output.answered;
    const std::set<std::size_t> listed(report.order.begin(), report.order.end());
    for (std::size_t position = 0; position < network.size(); ++position)  // nobody waits for the others
      if (!listed.contains(position)) order_.push_back(position);
  }

  FirstOutputs run() {
    for (const std::size_t position : order_) {
      if (isReached(position) && !evaluate(position)) return std::move(result_);
      network_.subsystem(position).leaveInitialisation();
      if (!take(position, [&] { return network_.readOutputs(position, t_); })) return std::move(result_);
    }
    for (const std::size_t position : order_)
      if (canBeEvaluated(position) && isReached(position) && !evaluate(position)) return std::move(result_);
    if (any_ || anyDiscrete_) findStale();
    tell(changed_, result_.changed);
    tell(late_, result_.late);
    if (any_) result_.fault = network_.explosion();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool canBeEvaluated(std::size_t position) const {
    return network_.isStatic(position) || network_.subsystem(position).describe().capabilities.evaluatesBetweenSteps;
  }

  /// Connected outputs that depend on an input which has another value than the member has met.
  void findStale() {
    std::set<std::pair<MemberIndex, subsystem::PortIndex>> changed;
    for (std::size_t value = 0; value < changed_.size(); ++value)
      if (changed_[value]) changed.emplace(network_.outputName(value).member, network_.outputName(value).port);
    std::map<MemberIndex, std::vector<subsystem::PortIndex>> unmet;
    for (const std::size_t position : order_)
      if (!canBeEvaluated(position) && isReached(position) && gatherAnew(position)) unmet[network_.member(position)];
    for (const Connection& c : system_.connections)
      if (const auto found = unmet.find(c.to.member);
          found != unmet.end() && changed.contains({c.from.member, c.from.port}))
        found->second.push_back(c.to.port);
    for (const Connection& c : system_.connections) {
      const auto found = unmet.find(c.from.member);
      if (found == unmet.end()) continue;
      const Member& member = system_.members[c.from.member];
      const auto& needed = member.subsystem->describe().initialDependenciesOf(c.from.port);
      const bool depends = std::ranges::any_of(found->second, [&](subsystem::PortIndex input) {
        return !needed || std::ranges::find(*needed, input) != needed->end();
      });
      if (depends) add(member.nameOf(c.from.port), result_.stale);
    }
  }

  /// Whether the member's inputs have changed by it.
  bool gatherAnew(std::size_t position) {
    const std::span<const double> u = network_.inputsOf(position);
    const std::vector<double> before(u.begin(), u.end());
    network_.gather(position);
    return !std::ranges::equal(u, before);
  }

  static void add(std::string name, std::vector<std::string>& names) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }

  bool evaluate(std::size_t position) {
    if (!gatherAnew(position) && !network_.hasDiscreteInputs(position)) return true;  // it has met them before
    return take(position, [&] { return network_.evaluate(position, t_); });
  }

  /// Notes what is changed by the call, and puts back what is to stay.
  template <class Call>
  bool take(std::size_t position, const Call& call) {
    const Block own = network_.outputsOf(position);
    const std::span<double> y = network_.outputs().subspan(own.first, own.last - own.first);
    const std::vector<double> before(y.begin(), y.end());
    const core::Values discreteBefore = network_.discreteOutputs({position, position + 1});
    for (std::size_t i = 0; i < y.size(); ++i)  // who writes nothing has answered as before
      y[i] = kept_[own.first + i].value_or(y[i]);
    if ((result_.fault = call())) return false;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (auto& kept = kept_[own.first + i]) {
        if (y[i] != *kept) late_[own.first + i] = true;
        kept = y[i];
        y[i] = before[i];
      }
      if (y[i] == before[i]) continue;
      late_[own.first + i] = true;
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

  void tell(const std::vector<bool>& values, std::vector<std::string>& names) const {
    for (std::size_t value = 0; value < values.size(); ++value) {
      if (!values[value]) continue;
      const OutputName output = network_.outputName(value);
      add(system_.members[output.member].nameOf(output.port), names);
    }
  }

  const System& system_;
  Network& network_;
  double t_;
  std::vector<std::size_t> order_;           ///< positions
  std::vector<std::optional<double>> kept_;  ///< what the member answered, where its start value is kept
  std::vector<bool> late_;
  std::vector<bool> changed_;
  bool any_ = false;
  bool anyDiscrete_ = false;
  FirstOutputs result_;
};

}  // namespace

FirstOutputs leaveInitialisation(const System& system, Network& network, double t, const InitialisationReport& report) {
  return Leaving(system, network, t, report).run();
}

}  // namespace koppla::coupling
