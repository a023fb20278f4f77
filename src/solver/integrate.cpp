#include "koppla/solver/integrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/solver/detail/checks.hpp"
#include "koppla/solver/detail/method.hpp"
#include "koppla/solver/detail/outputs.hpp"
#include "koppla/solver/detail/scalars.hpp"
#include "koppla/solver/detail/static_solver.hpp"
#include "koppla/solver/detail/step_series.hpp"

namespace koppla::solver {

namespace {

using detail::Instant;
using subsystem::Causality;
using subsystem::PortIndex;
using subsystem::Slot;
using subsystem::Status;
using subsystem::Step;
using subsystem::StepResult;
using subsystem::Trajectory;

class Integrated final : public subsystem::Subsystem {
 public:
  Integrated(std::unique_ptr<Equations> equations, const IntegratorSettings& settings)
      : equations_(std::move(equations)),
        settings_(settings),
        description_(equations_->describe()),
        firstScalar_(detail::firstScalars(description_)),
        problem_(*equations_),
        x_(equations_->stateCount(), 0.0),
        dx_(x_.size(), 0.0) {
    description_.capabilities = detail::capabilitiesOf(*equations_, settings);
    description_.indexNames();
    for (PortIndex port = 0; port < description_.ports.size(); ++port)
      if (isRealInput(port) && description_.ports[port].start)
        std::ranges::fill(scalarsOf(port), std::get<double>(*description_.ports[port].start));
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }

  void set(PortIndex port, std::span<const core::Value> values) override {
    equations_->set(port, values);
    if (!isRealInput(port)) return;
    const std::span<double> scalars = scalarsOf(port);
    for (std::size_t i = 0; i < scalars.size(); ++i) scalars[i] = std::get<double>(values[i]);
  }

  void bind(subsystem::Binding binding) override {
    inputs_ = scalarsOf(binding.inputs);
    outputs_ = scalarsOf(binding.outputs);
    outputDerivatives_ = binding.outputDerivatives;
  }

  void enterInitialisation(const subsystem::Experiment& experiment) override {
    t_ = experiment.start;
    equations_->begin(experiment);
    equations_->initialStates(x_);
    method_ = detail::makeMethod(*equations_, settings_);
    reader_.emplace(*equations_);
    if (equations_->determinesUnknowns()) unknowns_.emplace(*equations_, settings_);
    for (Saved& saved : saved_) saved = {x_, {problem_.held().begin(), problem_.held().end()}, t_};
  }

  Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    t_ = t;
    for (std::size_t i = 0; i < inputs_.size(); ++i) problem_.held()[inputs_[i]] = u[i];
    problem_.begin({t, t, false}, {}, {});
    exception_ = nullptr;
    heldFailed_ = false;
    try {
      if (unknowns_ && !unknowns_->solve(problem_, 0.0, x_)) return failHeld(t);
      problem_.visit(Visit::held, 0.0, x_);
      return read(0.0, y);
    } catch (...) {
      return fail(std::current_exception(), t);
    }
  }

  Status differentiate(std::size_t input, std::span<double> dy) override {
    const std::span<const double> column =
        unknowns_ ? reader_->sensitivity(now(), inputs_[input], unknowns_->answers(now(), inputs_[input]))
                  : reader_->sensitivity(now(), inputs_[input]);
    for (std::size_t i = 0; i < outputs_.size(); ++i) dy[i] = column[outputs_[i]];
    return Status::ok;
  }

  Status differentiateStep(const Step& step, std::size_t input, subsystem::SeriesWeights weights,
                           std::span<double> dy) override {
    if (!series_) series_.emplace(*equations_);
    const std::span<const double> column = series_->column(now(), step.t1 - step.t0, inputs_[input], weights);
    for (std::size_t i = 0; i < outputs_.size(); ++i) dy[i] = column[outputs_[i]];
    return Status::ok;
  }

  void leaveInitialisation() override {}
  StepResult advance(const Step& step, Trajectory u, std::span<double> y) override;

  Status save(Slot slot) override {
    Saved& saved = saved_[static_cast<std::size_t>(slot)];
    std::ranges::copy(x_, saved.x.begin());
    std::ranges::copy(problem_.held(), saved.u.begin());
    saved.t = t_;
    method_->save(slot);
    equations_->save(slot);
    return Status::ok;
  }

  Status restore(Slot slot) override {
    const Saved& saved = saved_[static_cast<std::size_t>(slot)];
    std::ranges::copy(saved.x, x_.begin());
    std::ranges::copy(saved.u, problem_.held().begin());
    t_ = saved.t;
    method_->restore(slot);
    equations_->restore(slot);
    return Status::ok;
  }

  /// Where a static subsystem found its last solution is no state: the next one follows from the inputs.
  [[nodiscard]] std::vector<double> states() const override {
    return description_.capabilities.isStatic ? std::vector<double>() : x_;
  }
  void setStates(std::span<const double> states) override {
    std::ranges::copy(states, x_.begin());
    method_->forget();
    equations_->forget();
  }

  [[nodiscard]] subsystem::Effort effort() const override {
    subsystem::Effort effort = problem_.effort;
    effort.staticCalls = equations_->staticCalls();
    return effort;
  }
  [[nodiscard]] double nextKnownPoint(double t) const override { return equations_->nextKnownPoint(t); }
  void observe(std::span<const PortIndex> ports, core::Values& into) override;
  void terminate() noexcept override {}
  [[nodiscard]] std::string failure() const override;
  [[nodiscard]] bool failedAtFile() const override { return exception_ && detail::isOfFile(exception_); }

 private:
  [[nodiscard]] bool isRealInput(PortIndex port) const {
    return description_.ports[port].type == core::Type::real && description_.ports[port].causality == Causality::input;
  }
  std::span<double> scalarsOf(PortIndex port) {
    return problem_.held().subspan(firstScalar_[port], description_.ports[port].size);
  }
  [[nodiscard]] std::vector<std::size_t> scalarsOf(const std::vector<PortIndex>& ports) const;
  [[nodiscard]] Instant now() { return {t_, method_->visible(x_), problem_.held()}; }
  Status read(double tau, std::span<double> y);
  Status fail(std::exception_ptr exception, double at) {
    exception_ = std::move(exception);
    failedAt_ = at;
    return Status::error;
  }
  Status failHeld(double at) {
    heldFailed_ = true;
    failedAt_ = at;
    return Status::error;
  }
  StepResult advanceUnguarded(const Step& step, Trajectory u, std::span<double> y);

  struct Saved {
    std::vector<double> x;
    std::vector<double> u;
    double t = 0.0;
  };
  std::unique_ptr<Equations> equations_;
  IntegratorSettings settings_;
  subsystem::Description description_;
  std::vector<std::size_t> firstScalar_;
  std::vector<std::size_t> inputs_;   ///< places in u of the bound scalars
  std::vector<std::size_t> outputs_;  ///< places in y of the bound scalars
  bool outputDerivatives_ = false;
  detail::StepEquations problem_;
  std::unique_ptr<detail::Method> method_;
  std::optional<detail::Outputs> reader_;
  std::optional<detail::StepSeries> series_;
  std::optional<detail::StaticSolver> unknowns_;  ///< where residuals determine them
  std::vector<double> x_;
  std::vector<double> dx_;
  double t_ = 0.0;
  std::array<Saved, subsystem::kSlots> saved_;
  double failedAt_ = 0.0;         ///< s
  bool heldFailed_ = false;       ///< the unknowns could not be solved for while time was held
  std::exception_ptr exception_;  ///< thrown by the equations in the last step
};

std::vector<std::size_t> Integrated::scalarsOf(const std::vector<PortIndex>& ports) const {
  std::vector<std::size_t> scalars;
  for (const PortIndex port : ports) {
    if (description_.ports[port].type != core::Type::real) continue;
    for (std::size_t i = 0; i < description_.ports[port].size; ++i) scalars.push_back(firstScalar_[port] + i);
  }
  return scalars;
}

StepResult Integrated::advance(const Step& step, Trajectory u, std::span<double> y) {
  try {
    return advanceUnguarded(step, u, y);
  } catch (...) {
    return {fail(std::current_exception(), step.t0), step.t0};
  }
}

StepResult Integrated::advanceUnguarded(const Step& step, Trajectory u, std::span<double> y) {
  exception_ = nullptr;
  heldFailed_ = false;
  problem_.begin(step, u, inputs_);
  const detail::Progress progress = method_->advance(problem_, step.single, x_);
  const double reached = problem_.time(progress.tau);
  if (!progress.ok) {
    failedAt_ = reached;
    return {Status::error, step.t0};
  }
  t_ = reached;
  const std::span<const double> inputs = problem_.inputs(progress.tau);
  std::ranges::copy(inputs, problem_.held().begin());
  return {read(progress.tau, y), reached};
}

Status Integrated::read(double tau, std::span<double> y) {
  const std::span<const double> values = reader_->values(now());
  for (std::size_t i = 0; i < outputs_.size(); ++i) y[i] = values[outputs_[i]];
  if (!outputDerivatives_) return Status::ok;
  problem_.derivatives(tau, method_->visible(x_), dx_);
  const std::span<const double> rates = reader_->rates(now(), dx_, problem_.inputRates(tau));
  for (std::size_t i = 0; i < outputs_.size(); ++i) y[outputs_.size() + i] = rates[outputs_[i]];
  return Status::ok;
}

void Integrated::observe(std::span<const PortIndex> ports, core::Values& into) {
  const std::span<const double> outputs = reader_->values(now());
  for (const PortIndex port : ports) {
    const subsystem::Port& declared = description_.ports[port];
    if (declared.causality == Causality::parameter) {
      detail::append(equations_->parameter(port), into);
      continue;
    }
    const std::span<const double> values = declared.causality == Causality::output ? outputs : problem_.held();
    for (std::size_t i = 0; i < declared.size; ++i) into.reals.push_back(values[firstScalar_[port] + i]);
  }
}

std::string Integrated::failure() const {
  const std::string when = fmt::format("at t = {} s", core::text(failedAt_));
  if (exception_) return detail::textOf(exception_, fmt::format("in the step that began {}", when));
  if (heldFailed_) return fmt::format("{} ({})", unknowns_->failure(), when);
  if (const std::string own = method_->failure(); !own.empty()) return fmt::format("{} ({})", own, when);
  const auto bad = std::ranges::find_if(x_, [](double value) { return !std::isfinite(value); });
  const auto state = static_cast<std::size_t>(bad - x_.begin());
  if (state == x_.size()) return fmt::format("The solver failed {}.", when);
  const std::string name = reader_->stateName(state);
  return fmt::format("{} ceased to be a finite number {}. Shorter micro steps may help.",
                     name.empty() ? fmt::format("State {} of {}", state + 1, x_.size())
                                  : fmt::format("State {} of {} ({})", state + 1, x_.size(), name),
                     when);
}

}  // namespace

std::unique_ptr<subsystem::Subsystem> integrate(std::unique_ptr<Equations> equations,
                                                const IntegratorSettings& settings) {
  detail::check(*equations, settings);
  return std::make_unique<Integrated>(std::move(equations), settings);
}

}  // namespace koppla::solver
