#include <algorithm>
#include <cmath>
#include <limits>

#include "koppla/solver/detail/radau_fixed.hpp"
#include "koppla/solver/detail/radau_stages.hpp"
#include "koppla/subsystem/micro_steps.hpp"

namespace koppla::solver::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Radau IIA with steps chosen by the embedded formula of third order. Every macro step begins anew, with its whole
/// length as first attempt: in a coupling it is short as a rule, and the error test tells where it is not.
class Radau final : public Method {
 public:
  Radau(const Equations& equations, const IntegratorSettings& settings)
      : states_(equations.stateCount()), microStep_(settings.microStep), stages_(equations, settings) {}

  Progress advance(StepEquations& problem, bool single, std::span<double> x) override;
  [[nodiscard]] std::string failure() const override {
    return radauFailure(stages_, states_, "no step is short enough for the tolerances; looser ones may help");
  }

 private:
  /// What steers the steps, anew in every macro step.
  struct Control {
    double h = 0.0;               ///< of the attempt to come, s
    double keptLength = 0.0;      ///< of the step last accepted, s; 0: none
    double keptError = 1.0;       ///< of that step
    double eta = 1.0;             ///< theta / (1 - theta) of the iteration before
    double theta = 0.0;           ///< rate of convergence
    bool fresh = true;            ///< df/dx belongs to the start of the step
    bool rejected = false;        ///< an attempt at this step
    double rejectedLength = 0.0;  ///< of the last such attempt that failed the error test, s; 0: none
    double rejectedError = 0.0;
  };

  RadauSpan place(double tau, double end);
  bool attempt(StepEquations& problem, const RadauSpan& span);
  int solve(StepEquations& problem, const RadauSpan& span);
  void shorten(StepEquations& problem);
  double errorOf(StepEquations& problem, const RadauSpan& span);
  bool judge(double error, int iterations);

  std::size_t states_;
  double microStep_;  ///< longest step, s; 0: no bound
  RadauStages stages_;
  Control control_;
};

/// A rest that is a little longer than the step is halved: no step is much shorter than its neighbours. Matrices are
/// not made anew for a rest that is the step but for rounding.
RadauSpan Radau::place(double tau, double end) {
  const double rest = end - tau;
  if (rest <= control_.h * (1.0 + subsystem::kMicroStepTie)) {
    if (rest < control_.h * (1.0 - subsystem::kMicroStepTie)) control_.h = rest;
    return {tau, end};
  }
  control_.h = std::fmin(control_.h, 0.5 * rest);
  return {tau, tau + control_.h};
}

Progress Radau::advance(StepEquations& problem, bool single, std::span<double> x) {
  constexpr double kShortest = 1e-12;               // of the macro step
  constexpr std::uint64_t kMostSteps = 10'000'000;  // between two macro points; a run must end
  constexpr double kReuse = 1e-3;                   // df/dx serves on where the iteration converges that fast
  const double end = single ? subsystem::singleMicroStep(problem.length(), microStep_) : problem.length();
  if (end <= 0.0) return {true, 0.0};
  control_ = {};
  control_.h = subsystem::singleMicroStep(end, microStep_);
  double tau = 0.0;
  if (!stages_.begin(problem, tau, x)) return {false, tau};
  stages_.linearise(problem);
  for (std::uint64_t attempts = 0; attempts < kMostSteps && control_.h > kShortest * end; ++attempts) {
    const RadauSpan span = place(tau, end);
    if (!attempt(problem, span)) {
      ++problem.effort.rejectedMicroSteps;
      continue;
    }
    stages_.keep(x);
    ++problem.effort.microSteps;
    tau = span.to;
    if (tau == end || single) return {allFinite(x), tau};
    if (!stages_.begin(problem, tau, x)) return {false, tau};
    control_.fresh = control_.theta > kReuse;
    if (control_.fresh) stages_.linearise(problem);
  }
  return {false, tau};
}

bool Radau::attempt(StepEquations& problem, const RadauSpan& span) {
  stages_.factorise(control_.h);
  if (control_.keptLength > 0.0)
    stages_.guessAhead(control_.h / control_.keptLength);
  else
    stages_.guessRest();
  const int iterations = solve(problem, span);
  if (iterations == 0) {
    shorten(problem);
    return false;
  }
  return judge(errorOf(problem, span), iterations);
}

constexpr int kIterations = 7;

/// The number of iterations, 0 where they do not converge fast enough. They end where the error that is left,
/// eta |dW|, is small against the tolerances.
int Radau::solve(StepEquations& problem, const RadauSpan& span) {
  constexpr double kLeft = 1e-2;  // of the tolerances
  double eta = std::pow(std::fmax(control_.eta, std::numeric_limits<double>::epsilon()), 0.8);
  double before = 0.0;
  for (int k = 1; k <= kIterations; ++k) {
    const double size = stages_.correct(problem, span).size;
    if (!std::isfinite(size)) return 0;
    if (k > 1) {
      const double theta = size / before;
      control_.theta = theta;
      const double expected = theta < 1.0 ? std::pow(theta, kIterations - k) / (1.0 - theta) * size : kInfinity;
      if (expected > kLeft) return 0;
      eta = theta / (1.0 - theta);
    }
    if (eta * size <= kLeft) {
      control_.eta = eta;
      return k;
    }
    before = size;
  }
  return 0;
}

/// After an iteration that failed: a fresh df/dx first.
void Radau::shorten(StepEquations& problem) {
  control_.rejected = true;
  control_.eta = 1.0;
  if (!control_.fresh) {
    control_.fresh = true;
    stages_.linearise(problem);
    return;
  }
  // The first attempt may be far too long: nothing was known.
  control_.h *= control_.keptLength > 0.0 ? 0.5 : 0.1;
}

/// An estimate that falls more slowly than the length of the attempts does not come from the length: the start lies off
/// the smooth solution, as after a jump of the inputs, and would be followed down to the fastest time constant. (The
/// usual criterion, any first or repeated attempt, hides errors of stiff components in steps as long as a macro step.)
double Radau::errorOf(StepEquations& problem, const RadauSpan& span) {
  const double error = stages_.error(control_.h);
  if (error <= 1.0) return error;
  const double shortening = control_.rejectedLength > 0.0 ? control_.h / control_.rejectedLength : kInfinity;
  const bool fromStart = error > shortening * control_.rejectedError;
  control_.rejectedLength = control_.h;
  control_.rejectedError = error;
  return fromStart ? stages_.errorBesideStart(problem, span) : error;
}

/// Accepts or not, and chooses the next length: h err^(-1/4), and on acceptance not more than what the trend of the
/// last two errors predicts (K. Gustafsson, ACM Trans. Math. Softw. 20 (1994)).
bool Radau::judge(double error, int iterations) {
  constexpr double kGrowth = 8.0;
  constexpr double kShrinkage = 0.1;
  constexpr double kLeastError = 1e-2;
  constexpr double kKeepLength = 1.2;  // gains below that do not pay for new matrices
  const double safety = 0.9 * (2.0 * kIterations + 1.0) / (2.0 * kIterations + iterations);
  const double own = safety * std::pow(std::fmax(error, 1e-12), -0.25);
  const double h = control_.h;
  if (!(error <= 1.0)) {
    control_.h = h * std::fmax(kShrinkage, std::fmin(own, safety));
    control_.rejected = true;
    return false;
  }
  double factor = own;
  if (control_.keptLength > 0.0)
    factor =
        std::fmin(factor, own * h / control_.keptLength * std::pow(control_.keptError / std::fmax(error, 1e-12), 0.25));
  factor = std::clamp(factor, kShrinkage, control_.rejected ? 1.0 : kGrowth);
  if (factor >= 1.0 && factor <= kKeepLength) factor = 1.0;
  control_.h = subsystem::singleMicroStep(factor * h, microStep_);
  control_.keptLength = h;
  control_.keptError = std::fmax(error, kLeastError);
  control_.rejected = false;
  control_.rejectedLength = 0.0;
  return true;
}

}  // namespace

std::unique_ptr<Method> makeRadau(const Equations& equations, const IntegratorSettings& settings) {
  if (settings.kind == Kind::radauFixed) return std::make_unique<RadauFixed>(equations, settings);
  return std::make_unique<Radau>(equations, settings);
}

}  // namespace koppla::solver::detail
