#include "koppla/solver/join.hpp"

#include <algorithm>
#include <utility>

#include "koppla/solver/detail/join_plan.hpp"

namespace koppla::solver {

namespace {

using subsystem::Description;
using subsystem::PortIndex;

class Joined final : public Equations {
 public:
  Joined(std::vector<JoinedPart> parts, detail::JoinPlan plan) : parts_(std::move(parts)), plan_(std::move(plan)) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const auto* const equations = std::get_if<0>(&parts_[p].model);
      first_.push_back(states_);
      states_ += equations != nullptr ? (*equations)->stateCount() : 0;
      u_.emplace_back(plan_.inputScalars[p]);
      y_.emplace_back(plan_.outputScalars[p]);
    }
    first_.push_back(states_);
  }

  [[nodiscard]] const Description& describe() const override { return plan_.description; }

  void set(PortIndex port, std::span<const core::Value> values) override {
    const detail::PartPort at = plan_.ports[port];
    std::visit([&](const auto& model) { model->set(at.port, values); }, parts_[at.part].model);
  }

  [[nodiscard]] core::Value parameter(PortIndex port) const override {
    const detail::PartPort at = plan_.ports[port];
    if (const auto* const equations = std::get_if<0>(&parts_[at.part].model)) return (*equations)->parameter(at.port);
    return std::get<1>(parts_[at.part].model)->value(at.port);
  }

  void begin(const subsystem::Experiment& experiment) override {
    for (const JoinedPart& part : parts_) std::visit([&](const auto& model) { model->begin(experiment); }, part.model);
  }

  [[nodiscard]] std::size_t stateCount() const override { return states_; }

  void initialStates(std::span<double> x) const override {
    for (std::size_t p = 0; p < parts_.size(); ++p)
      if (const auto* const equations = std::get_if<0>(&parts_[p].model))
        (*equations)->initialStates(x.subspan(first_[p], first_[p + 1] - first_[p]));
  }

  void derivatives(double t, std::span<const double> x, std::span<const double> u,
                   std::span<double> dx) const override {
    evaluate(t, x, u, std::nullopt);
    for (std::size_t p = 0; p < parts_.size(); ++p)
      if (const auto* const equations = std::get_if<0>(&parts_[p].model))
        (*equations)->derivatives(t, statesOf(p, x), u_[p], dx.subspan(first_[p], first_[p + 1] - first_[p]));
  }

  void outputs(double t, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    evaluate(t, x, u, std::nullopt);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const detail::Scalar& from = plan_.outputs[i];
      y[i] = from.isInput ? u_[from.part][from.scalar] : y_[from.part][from.scalar];
    }
  }

  [[nodiscard]] double nextKnownPoint(double t) const override {
    double first = HUGE_VAL;
    for (const JoinedPart& part : parts_)
      if (const auto* const equations = std::get_if<0>(&part.model))
        first = std::min(first, (*equations)->nextKnownPoint(t));
    return first;
  }

  [[nodiscard]] bool needsVisits() const override {
    return std::ranges::any_of(parts_, [](const JoinedPart& part) {
      const auto* const function = std::get_if<1>(&part.model);
      return function != nullptr && (*function)->coupling() != StaticCoupling::full;
    });
  }

  void visit(Visit at, double t, std::span<const double> x, std::span<const double> u) override {
    bool due = false;
    for (const JoinedPart& part : parts_)
      if (const auto* const function = std::get_if<1>(&part.model)) due = (*function)->visit(at) || due;
    if (due) evaluate(t, x, u, at);
  }

  void save(subsystem::Slot slot) override {
    for (JoinedPart& part : parts_) std::visit([slot](auto& model) { model->save(slot); }, part.model);
  }
  void restore(subsystem::Slot slot) override {
    for (JoinedPart& part : parts_) std::visit([slot](auto& model) { model->restore(slot); }, part.model);
  }
  void forget() override {
    for (JoinedPart& part : parts_) std::visit([](auto& model) { model->forget(); }, part.model);
  }

  [[nodiscard]] std::uint64_t staticCalls() const override {
    std::uint64_t calls = 0;
    for (const JoinedPart& part : parts_)
      if (const auto* const function = std::get_if<1>(&part.model)) calls += (*function)->calls();
    return calls;
  }

  [[nodiscard]] bool threadBound() const override {
    return std::ranges::any_of(parts_, [](const JoinedPart& part) {
      return std::visit([](const auto& model) { return model->threadBound(); }, part.model);
    });
  }

  [[nodiscard]] bool isLinear() const override {
    return !plan_.hasOffsets && std::ranges::all_of(parts_, [](const JoinedPart& part) {
      const auto* const equations = std::get_if<0>(&part.model);
      return equations != nullptr && (*equations)->isLinear();
    });
  }
  [[nodiscard]] LinearForm linear() const override;

 private:
  [[nodiscard]] std::span<const double> statesOf(std::size_t part, std::span<const double> x) const {
    return x.subspan(first_[part], first_[part + 1] - first_[part]);
  }

  /// Inputs and outputs of all parts; static ones are called where a visit is due.
  void evaluate(double t, std::span<const double> x, std::span<const double> u, std::optional<Visit> visit) const {
    for (std::size_t p = 0; p < parts_.size(); ++p) std::ranges::copy(plan_.startInputs[p], u_[p].begin());
    for (std::size_t i = 0; i < u.size(); ++i) u_[plan_.inputs[i].part][plan_.inputs[i].scalar] = u[i];
    for (const detail::JoinAction& action : plan_.actions) {
      evaluatePart(action.part, t, x, visit);
      for (const detail::Transfer& transfer : action.transfers)
        u_[transfer.toPart][transfer.to] += transfer.scale * y_[action.part][transfer.from];
    }
  }

  void evaluatePart(std::size_t part, double t, std::span<const double> x, std::optional<Visit> visit) const {
    if (const auto* const equations = std::get_if<0>(&parts_[part].model)) {
      (*equations)->outputs(t, statesOf(part, x), u_[part], y_[part]);
      return;
    }
    StaticFunction& function = *std::get<1>(parts_[part].model);
    if (visit && function.isDue(*visit)) function.call(*visit, t, u_[part]);
    std::ranges::copy(function.values(t, u_[part]), y_[part].begin());
  }

  std::vector<JoinedPart> parts_;
  detail::JoinPlan plan_;
  std::vector<std::size_t> first_;  ///< state of each part
  std::size_t states_ = 0;
  mutable std::vector<std::vector<double>> u_, y_;  ///< by part; one instance is used by one thread at a time
};

/// Column by column from unit vectors: f and g of a linear model are their own derivatives.
LinearForm Joined::linear() const {
  if (!isLinear()) return {};
  const std::size_t inputs = plan_.inputs.size();
  const std::size_t outputsCount = plan_.outputs.size();
  LinearForm form;
  form.a.resize(states_ * states_);
  form.b.resize(states_ * inputs);
  form.c.resize(outputsCount * states_);
  form.d.resize(outputsCount * inputs);
  std::vector<double> x(states_), u(inputs), dx(states_), y(outputsCount);
  const auto addColumn = [&](std::vector<double>& upper, std::vector<double>& lower, std::size_t column,
                             std::size_t columns) {
    derivatives(0.0, x, u, dx);
    outputs(0.0, x, u, y);
    for (std::size_t row = 0; row < states_; ++row) upper[row * columns + column] = dx[row];
    for (std::size_t row = 0; row < outputsCount; ++row) lower[row * columns + column] = y[row];
  };
  for (std::size_t i = 0; i < states_; ++i) {
    x[i] = 1.0;
    addColumn(form.a, form.c, i, states_);
    x[i] = 0.0;
  }
  for (std::size_t i = 0; i < inputs; ++i) {
    u[i] = 1.0;
    addColumn(form.b, form.d, i, inputs);
    u[i] = 0.0;
  }
  return form;
}

}  // namespace

std::unique_ptr<Equations> join(std::vector<JoinedPart> parts, const std::vector<Wire>& wires) {
  detail::JoinPlan plan = detail::planOf(parts, wires);
  return std::make_unique<Joined>(std::move(parts), std::move(plan));
}

}  // namespace koppla::solver
