#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "koppla/solver/detail/bdf_corrector.hpp"
#include "koppla/solver/detail/bdf_history.hpp"
#include "koppla/solver/detail/method.hpp"
#include "koppla/solver/detail/radau_fixed.hpp"
#include "koppla/solver/detail/runge_kutta.hpp"
#include "koppla/subsystem/micro_steps.hpp"

namespace koppla::solver::detail {

namespace {

/// All that outlives a step, beside df/dx.
struct Memory {
  BdfHistory history;
  double at = 0.0;      ///< where the history ends, in the time of the run, s
  double h = 0.0;       ///< of the attempt to come, s
  unsigned order = 1;   ///< of the attempt to come
  unsigned since = 0;   ///< steps since order or length were changed
  unsigned failed = 0;  ///< attempts at the present step
  bool started = false;
  bool rising = false;  ///< towards the order that was given
};

/// Backward differentiation formulas on the points as they lie: the derivative at the end of the step of the polynomial
/// through the new and the last k points equals f, the predictor is the polynomial through the last k + 1 points.
class Bdf final : public Method {
 public:
  Bdf(const Equations& equations, const IntegratorSettings& settings);

  Progress advance(StepEquations& problem, bool single, std::span<double> x) override;
  void forget() override;
  void save(subsystem::Slot slot) override;
  void restore(subsystem::Slot slot) override;
  [[nodiscard]] std::string failure() const override;

 private:
  struct Span {
    double from;
    double to;
    [[nodiscard]] double length() const { return to - from; }
  };

  void beginIfDue(StepEquations& problem, std::span<const double> x);
  [[nodiscard]] double firstLength(std::span<const double> x) const;
  [[nodiscard]] Span place(double tau, double end) const;
  bool step(StepEquations& problem, const Span& span);
  [[nodiscard]] bool isStartUp() const {
    return fixedOrder_ && !memory_.rising && memory_.history.count() <= fixedOrder_;
  }
  [[nodiscard]] bool varies() const { return fixedOrder_ == 0 || memory_.rising; }
  void rise(StepEquations& problem, double tau);
  bool startUp(StepEquations& problem, const Span& span);
  bool startingStep(StepEquations& problem, const Span& span);
  bool attempt(StepEquations& problem, const Span& span);
  bool correct(StepEquations& problem, const Span& span);
  void shorten();
  bool judge(const Span& span);
  bool judgeFixedOrder(double error, double h);
  bool judgeVariableOrder(double error, double h);
  [[nodiscard]] double errorOf(unsigned order, double h);
  void chooseOrder(double error, double h);
  void accept(StepEquations& problem, const Span& span);

  IntegratorSettings settings_;
  unsigned fixedOrder_;  ///< 0: it varies
  bool fixedStep_;
  BdfCorrector corrector_;
  RungeKutta starter_;                      ///< of variable steps
  std::optional<RadauFixed> fixedStarter_;  ///< of fixed ones, whose length nobody tests: it must be stable
  Memory memory_;
  std::array<Memory, subsystem::kSlots> saved_;
  std::vector<double> predicted_, x_, rest_, difference_, slopes_;
  std::exception_ptr thrown_;  ///< by the equations in the last attempt
  bool diverged_ = false;      ///< the last attempt failed in its iteration
};

unsigned orderOf(const IntegratorSettings& settings) {
  constexpr unsigned kUsual = 2;  // the highest one that is stable for all decaying modes
  return settings.order.value_or(settings.kind == Kind::bdfFixed ? kUsual : 0);
}

Bdf::Bdf(const Equations& equations, const IntegratorSettings& settings)
    : settings_(settings),
      fixedOrder_(orderOf(settings)),
      fixedStep_(settings.kind == Kind::bdfFixed),
      corrector_(equations.stateCount(), settings),
      starter_(Kind::ode5, equations.stateCount(), 0.0),
      memory_{BdfHistory(equations.stateCount())},
      saved_{memory_, memory_},
      predicted_(equations.stateCount()),
      x_(predicted_),
      rest_(predicted_),
      difference_(predicted_),
      slopes_(predicted_) {
  if (fixedStep_) fixedStarter_.emplace(equations, settings);
}

void Bdf::forget() {
  memory_.started = false;
}

void Bdf::save(subsystem::Slot slot) {
  saved_[static_cast<std::size_t>(slot)] = memory_;
  corrector_.save(slot);
}

void Bdf::restore(subsystem::Slot slot) {
  memory_ = saved_[static_cast<std::size_t>(slot)];
  corrector_.restore(slot);
}

std::string Bdf::failure() const {
  if (fixedStarter_ && isStartUp()) return fixedStarter_->failure();
  if (const std::optional<std::size_t> bad = corrector_.badDerivative())
    return fmt::format("bdf failed: the derivative of state {} of {} is not a finite number", *bad + 1, x_.size());
  if (diverged_)
    return fixedStep_ ? "bdf-fixed failed: the corrector iteration did not converge; a shorter micro step may help"
                      : "bdf failed: the corrector iteration does not converge in any step that is not too short";
  if (settings_.minMicroStep > 0.0)
    return "bdf failed: the tolerances need steps below min_micro_step; a smaller one, or looser tolerances, may help";
  return "bdf failed: no step is short enough for the tolerances; looser ones may help";
}

/// Begins anew where it is told to, where the states were set, and where time does not go on from its own.
void Bdf::beginIfDue(StepEquations& problem, std::span<const double> x) {
  const bool goesOn =
      memory_.started && !restarts(settings_) && std::fabs(memory_.at - problem.start()) <= problem.rounding();
  if (goesOn) return;
  memory_.started = false;
  memory_.history.clear();
  memory_.history.push(0.0, x);
  memory_.order = fixedOrder_;
  memory_.since = memory_.failed = 0;
  memory_.rising = false;
  corrector_.forget();
  const bool chooses = settings_.firstMicroStep == 0.0 && !fixedStep_;
  // Steps whose length nobody has given are tested from the first one on.
  if (fixedOrder_ == 0 || chooses) rise(problem, 0.0);
  memory_.h = subsystem::singleMicroStep(problem.length(), chooses ? firstLength(x) : settings_.firstMicroStep);
  memory_.started = true;  // not where the equations could not be evaluated at once
}

/// Begins with order 1 along the tangent.
void Bdf::rise(StepEquations& problem, double tau) {
  memory_.order = 1;
  memory_.since = 0;
  memory_.rising = fixedOrder_ > 0;
  problem.visit(Visit::started, tau, memory_.history.newest());
  problem.derivatives(tau, memory_.history.newest(), slopes_);
}

/// A hundredth of the time in which the states change by their size or by their tolerances, whichever is more, s.
double Bdf::firstLength(std::span<const double> x) const {
  constexpr double kPart = 1e-2;
  const double speed = corrector_.norm(slopes_, x);
  const double longest = settings_.microStep > 0.0 ? settings_.microStep : std::numeric_limits<double>::max();
  return speed > 0.0 ? std::fmin(longest, kPart * std::fmax(corrector_.norm(x, x), 1.0) / speed) : longest;
}

/// A rest that is a little longer than the step is halved: no step is much shorter than its neighbours.
Bdf::Span Bdf::place(double tau, double end) const {
  const double rest = end - tau;
  if (fixedStep_) {
    const double h = rest / static_cast<double>(subsystem::microStepsIn(rest, settings_.microStep));
    return {tau, rest <= h * (1.0 + subsystem::kMicroStepTie) ? end : tau + h};
  }
  if (rest <= memory_.h * (1.0 + subsystem::kMicroStepTie)) return {tau, end};
  return {tau, tau + std::fmin(memory_.h, 0.5 * rest)};
}

Progress Bdf::advance(StepEquations& problem, bool single, std::span<double> x) {
  constexpr double kShortest = 1e-14;               // of the macro step
  constexpr std::uint64_t kMostSteps = 10'000'000;  // between two macro points; a run must end
  const double end = problem.length();
  if (end <= 0.0) return {true, 0.0};
  beginIfDue(problem, x);
  const double shortest = std::fmax(settings_.minMicroStep, std::fmax(kShortest * end, problem.rounding()));
  double tau = 0.0;
  for (std::uint64_t attempts = 0; attempts < kMostSteps; ++attempts) {
    const Span span = place(tau, end);
    if (!step(problem, span)) {
      if (!fixedStep_ && memory_.h >= shortest) continue;
      if (thrown_) std::rethrow_exception(thrown_);
      return {false, tau};
    }
    tau = span.to;
    if (tau != end && !single) continue;
    std::ranges::copy(memory_.history.newest(), x.begin());
    memory_.at = problem.time(tau);
    return {true, tau};
  }
  return {false, tau};
}

bool Bdf::step(StepEquations& problem, const Span& span) {
  if (isStartUp()) return startUp(problem, span);
  if (attempt(problem, span)) {
    accept(problem, span);
    return true;
  }
  ++problem.effort.rejectedMicroSteps;
  ++memory_.failed;
  return false;
}

/// A given order needs points at once: they come from a method that needs none, in steps of the first length. Where
/// these are too long for it, the order rises from 1.
bool Bdf::startUp(StepEquations& problem, const Span& span) {
  thrown_ = nullptr;
  std::ranges::copy(memory_.history.newest(), x_.begin());
  if (!startingStep(problem, span)) {
    if (!fixedStep_) rise(problem, span.from);
    memory_.h = 0.5 * span.length();
    ++problem.effort.rejectedMicroSteps;
    return false;
  }
  memory_.history.push(span.length(), x_);
  ++problem.effort.microSteps;
  if (!isStartUp()) problem.visit(Visit::started, span.to, x_);
  return true;
}

bool Bdf::startingStep(StepEquations& problem, const Span& span) {
  const double h = span.length();
  if (fixedStarter_) fixedStarter_->begin(problem, x_);  // it remembers nothing that a repetition would not
  if (fixedStarter_) return fixedStarter_->step(problem, span.from, span.to, h, x_) && allFinite(x_);
  try {
    starter_.step(problem, span.from, span.to, h, x_);
    if (!allFinite(x_)) return false;
    starter_.difference(problem, span.to, h, x_, difference_);
    return corrector_.norm(difference_, x_) <= 1.0;
  } catch (...) {  // a stage may lie where the equations cannot be evaluated
    thrown_ = std::current_exception();
    return false;
  }
}

/// Predicts and corrects; true where the result passes the test. Otherwise the next attempt is a shorter one.
bool Bdf::attempt(StepEquations& problem, const Span& span) {
  const double h = span.length();
  if (memory_.history.count() > memory_.order) {
    memory_.history.extrapolate(h, memory_.order, predicted_);
  } else {  // the very first step: along the tangent
    const std::span<const double> start = memory_.history.newest();
    for (std::size_t i = 0; i < x_.size(); ++i) predicted_[i] = start[i] + h * slopes_[i];
  }
  const double wanted = memory_.failed == 0 ? memory_.h : h;
  memory_.h = h;
  diverged_ = !correct(problem, span);
  if (diverged_) {
    shorten();
    return false;
  }
  if (!fixedStep_ && !judge(span)) return false;
  // The end of the macro step cut it short, not its error.
  if (h < wanted * (1.0 - subsystem::kMicroStepTie)) memory_.h = std::fmax(memory_.h, wanted);
  return true;
}

/// Equations that cannot be evaluated somewhere (a film of negative thickness) may well be so after a shorter step.
bool Bdf::correct(StepEquations& problem, const Span& span) {
  thrown_ = nullptr;
  try {
    problem.visit(Visit::predicted, span.to, predicted_);
    const double alpha = memory_.history.differentiate(span.length(), memory_.order, rest_);
    std::ranges::copy(predicted_, x_.begin());
    return corrector_.solve(problem, {span.to, alpha, rest_}, x_);
  } catch (...) {
    thrown_ = std::current_exception();
    return false;
  }
}

void Bdf::shorten() {
  memory_.h *= 0.5;
  memory_.since = 0;
}

/// The predictor of degree q and the formula of order q differ by h^(q+1) x^(q+1), q + 1 times the formula's error.
double Bdf::errorOf(unsigned order, double h) {
  memory_.history.extrapolate(h, order, difference_);
  for (std::size_t i = 0; i < x_.size(); ++i) difference_[i] = x_[i] - difference_[i];
  return corrector_.norm(difference_, x_) / (order + 1);
}

bool Bdf::judge(const Span& span) {
  for (std::size_t i = 0; i < x_.size(); ++i) difference_[i] = x_[i] - predicted_[i];
  const double error = corrector_.norm(difference_, x_) / (memory_.order + 1);
  return varies() ? judgeVariableOrder(error, span.length()) : judgeFixedOrder(error, span.length());
}

/// The step that an error asks for, as a factor.
double wantedFactor(double error, unsigned order) {
  constexpr double kSafety = 0.9;
  constexpr double kLeastError = 1e-12;
  return kSafety * std::pow(std::fmax(error, kLeastError), -1.0 / (order + 1));
}

constexpr double kShrinkage = 0.2;
constexpr double kGrowth = 2.0;

bool Bdf::judgeFixedOrder(double error, double h) {
  const bool accepted = error <= 1.0;
  const double most = accepted && memory_.failed == 0 ? kGrowth : 1.0;
  memory_.h = subsystem::singleMicroStep(h * std::clamp(wantedFactor(error, memory_.order), kShrinkage, most),
                                         settings_.microStep);
  return accepted;
}

/// Order and length stay for order + 1 steps, so that the formulas are those of nearly equal steps, whose stability is
/// known; then the order is taken whose error allows the longest step.
bool Bdf::judgeVariableOrder(double error, double h) {
  constexpr unsigned kHopeless = 3;
  if (!(error <= 1.0)) {
    double factor = wantedFactor(error, memory_.order);
    if (memory_.failed >= kHopeless) {
      memory_.order = 1;
    } else if (memory_.order > 1) {
      const double lower = wantedFactor(errorOf(memory_.order - 1, h), memory_.order - 1);
      if (lower > factor) {
        factor = lower;
        --memory_.order;
      }
    }
    memory_.h = h * std::clamp(factor, kShrinkage, 0.9);
    memory_.since = 0;
    return false;
  }
  if (++memory_.since > memory_.order && memory_.failed == 0) chooseOrder(error, h);
  return true;
}

void Bdf::chooseOrder(double error, double h) {
  constexpr double kWorthwhile = 1.2;  // a longer step must pay for a new factorisation
  constexpr double kLowerPays = 1.05;  // what another order must gain
  constexpr double kHigherPays = 1.15;
  const unsigned order = memory_.order;
  double best = wantedFactor(error, order);
  if (order > 1) {
    const double lower = wantedFactor(errorOf(order - 1, h), order - 1) / kLowerPays;
    if (lower > best) {
      best = lower;
      memory_.order = order - 1;
    }
  }
  const unsigned highest = fixedOrder_ ? fixedOrder_ : kHighestBdfOrder;
  if (order < highest && memory_.history.count() > order + 1) {
    const double higher = wantedFactor(errorOf(order + 1, h), order + 1) / kHigherPays;
    if (higher > best) {
      best = higher;
      memory_.order = order + 1;
    }
  }
  if (memory_.order == order && best > 0.9 && best < kWorthwhile) return;
  memory_.h = subsystem::singleMicroStep(h * std::clamp(best, 0.5, kGrowth), settings_.microStep);
  memory_.since = 0;
}

void Bdf::accept(StepEquations& problem, const Span& span) {
  memory_.history.push(span.length(), x_);
  memory_.failed = 0;
  if (memory_.order == fixedOrder_) memory_.rising = false;
  ++problem.effort.microSteps;
  problem.visit(Visit::accepted, span.to, x_);
}

}  // namespace

std::unique_ptr<Method> makeBdf(const Equations& equations, const IntegratorSettings& settings) {
  return std::make_unique<Bdf>(equations, settings);
}

}  // namespace koppla::solver::detail
