#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "koppla/core/error.hpp"
#include "koppla/solver/detail/method.hpp"

namespace koppla::solver::detail {

namespace {

struct Freed {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
  void operator()(N_Vector vector) const { N_VDestroy(vector); }
  void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
  void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
  void operator()(SUNNonlinearSolver solver) const { SUNNonlinSolFree(solver); }
  void operator()(void* memory) const { CVodeFree(&memory); }
};
template <typename Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Freed>;

void demand(bool holds, const char* what) {
  if (!holds) throw core::InternalError(fmt::format("SUNDIALS refused {}.", what));
}

SUNContext makeContext() {
  SUNContext context = nullptr;
  demand(SUNContext_Create(nullptr, &context) == 0, "a context");
  return context;
}

/// CVODE of SUNDIALS: variable order and step length, with a stop at the end of each step. A solver that begins anew at
/// every macro point counts time from there; one that goes on takes the time of the run.
class Cvode final : public Method {
 public:
  Cvode(const Equations& equations, const IntegratorSettings& settings);

  Progress advance(StepEquations& problem, bool single, std::span<double> x) override;
  void forget() override { at_.reset(); }
  [[nodiscard]] std::string failure() const override {
    if (!badDerivative_) return fmt::format("CVODE failed: {}", static_cast<const char*>(message_));
    return fmt::format("CVODE failed: the derivative of state {} of {} is not a finite number", *badDerivative_ + 1,
                       N_VGetLength(y_.get()));
  }

 private:
  static int rightHandSide(realtype t, N_Vector y, N_Vector dy, void* self);
  static void keepMessage(int code, const char* module, const char* function, char* text, void* self);
  void chooseSolver(Kind kind, sunindextype states);
  void restartIfDue(const StepEquations& problem);
  void count(subsystem::Effort& effort);

  bool restart_;
  Owned<SUNContext> context_;
  Owned<N_Vector> y_;
  Owned<SUNMatrix> matrix_;
  Owned<SUNLinearSolver> linearSolver_;
  Owned<SUNNonlinearSolver> fixedPoint_;
  std::unique_ptr<void, Freed> memory_;
  StepEquations* problem_ = nullptr;
  double origin_ = 0.0;        ///< CVODE's time at the start of the step, s
  std::optional<double> at_;   ///< where a solver that goes on stands, s
  subsystem::Effort counted_;  ///< since the last restart
  std::exception_ptr thrown_;
  std::optional<std::size_t> badDerivative_;
  char message_[512] = "";
};

Cvode::Cvode(const Equations& equations, const IntegratorSettings& settings)
    : restart_(restarts(settings)),
      context_(makeContext()),
      y_(N_VNew_Serial(static_cast<sunindextype>(equations.stateCount()), context_.get())),
      memory_(CVodeCreate(settings.kind == Kind::cvodeAdams ? CV_ADAMS : CV_BDF, context_.get())) {
  constexpr long kMostSteps = 10'000'000;  // between two macro points; a run must end
  void* const memory = memory_.get();
  demand(y_ != nullptr && memory != nullptr, "its memory");
  demand(CVodeInit(memory, rightHandSide, 0.0, y_.get()) == CV_SUCCESS, "the problem");
  demand(CVodeSetErrHandlerFn(memory, keepMessage, this) == CV_SUCCESS, "a handler of errors");
  demand(CVodeSetUserData(memory, this) == CV_SUCCESS, "data");
  demand(CVodeSStolerances(memory, settings.rtol, settings.atol) == CV_SUCCESS, "the tolerances");
  demand(CVodeSetMaxNumSteps(memory, kMostSteps) == CV_SUCCESS, "the number of steps");
  demand(CVodeSetMaxStep(memory, settings.microStep) == CV_SUCCESS, "the longest step");
  chooseSolver(settings.kind, static_cast<sunindextype>(equations.stateCount()));
  if (settings.kind != Kind::cvodeBdf || settings.newtonTolerance == IntegratorSettings{}.newtonTolerance) return;
  constexpr int kMostIterations = 10;  // its own default, 3, is meant for its own tolerance, 0.1
  demand(CVodeSetNonlinConvCoef(memory, settings.newtonTolerance) == CV_SUCCESS &&
             CVodeSetMaxNonlinIters(memory, kMostIterations) == CV_SUCCESS,
         "the end of Newton's iteration");
}

void Cvode::chooseSolver(Kind kind, sunindextype states) {
  if (kind == Kind::cvodeAdams) {
    fixedPoint_.reset(SUNNonlinSol_FixedPoint(y_.get(), 0, context_.get()));
    demand(CVodeSetNonlinearSolver(memory_.get(), fixedPoint_.get()) == CV_SUCCESS, "fixed-point iteration");
    return;
  }
  matrix_.reset(SUNDenseMatrix(states, states, context_.get()));
  linearSolver_.reset(SUNLinSol_Dense(y_.get(), matrix_.get(), context_.get()));
  demand(CVodeSetLinearSolver(memory_.get(), linearSolver_.get(), matrix_.get()) == CV_SUCCESS, "a dense solver");
}

int Cvode::rightHandSide(realtype t, N_Vector y, N_Vector dy, void* self) {
  Cvode& cvode = *static_cast<Cvode*>(self);
  const auto n = static_cast<std::size_t>(N_VGetLength(y));
  const std::span<double> slopes(N_VGetArrayPointer(dy), n);
  try {
    cvode.problem_->derivatives(t - cvode.origin_, {N_VGetArrayPointer(y), n}, slopes);
  } catch (...) {  // must not pass through a library in C
    cvode.thrown_ = std::current_exception();
    return -1;
  }
  const auto bad = std::ranges::find_if(slopes, [](double slope) { return !std::isfinite(slope); });
  if (bad == slopes.end()) return 0;
  cvode.badDerivative_ = static_cast<std::size_t>(bad - slopes.begin());
  return 1;  // CVODE tries a shorter step
}

void Cvode::keepMessage(int /*code*/, const char* /*module*/, const char* /*function*/, char* text, void* self) {
  Cvode& cvode = *static_cast<Cvode*>(self);
  std::snprintf(cvode.message_, sizeof cvode.message_, "%s", text);
}

/// Begins anew where the solver is told to, where the states were set, and where time does not go on from its own.
void Cvode::restartIfDue(const StepEquations& problem) {
  origin_ = restart_ ? 0.0 : problem.start();
  const bool goesOn = !restart_ && at_ && std::fabs(*at_ - origin_) <= problem.rounding();
  if (goesOn) return;
  counted_ = {};
  CVodeReInit(memory_.get(), origin_, y_.get());
}

Progress Cvode::advance(StepEquations& problem, bool single, std::span<double> x) {
  if (problem.length() <= 0.0) return {true, 0.0};
  problem_ = &problem;
  badDerivative_.reset();
  thrown_ = nullptr;
  std::ranges::copy(x, N_VGetArrayPointer(y_.get()));
  restartIfDue(problem);
  const double end = restart_ ? problem.length() : problem.time(problem.length());
  double reached = origin_;
  CVodeSetStopTime(memory_.get(), end);
  // A wall that no step gets across must end in a failure, not in steps that no longer move time.
  constexpr double kShortest = 1e-12;
  CVodeSetMinStep(memory_.get(), std::fmax(kShortest * problem.length(), restart_ ? 0.0 : problem.rounding()));
  const int flag = CVode(memory_.get(), end, y_.get(), &reached, single ? CV_ONE_STEP : CV_NORMAL);
  count(problem.effort);
  at_ = reached;
  if (thrown_) std::rethrow_exception(thrown_);
  std::copy_n(N_VGetArrayPointer(y_.get()), x.size(), x.begin());
  const bool arrived = end - reached <= problem.rounding();
  return {flag >= 0 && allFinite(x), arrived ? problem.length() : reached - origin_};
}

void Cvode::count(subsystem::Effort& effort) {
  long steps = 0, failedTests = 0, failedSolves = 0, iterations = 0, jacobians = 0;
  CVodeGetNumSteps(memory_.get(), &steps);
  CVodeGetNumErrTestFails(memory_.get(), &failedTests);
  CVodeGetNumStepSolveFails(memory_.get(), &failedSolves);
  CVodeGetNumNonlinSolvIters(memory_.get(), &iterations);
  if (linearSolver_) CVodeGetNumJacEvals(memory_.get(), &jacobians);
  const auto add = [](std::uint64_t& total, std::uint64_t& before, long now) {
    total += static_cast<std::uint64_t>(now) - before;
    before = static_cast<std::uint64_t>(now);
  };
  add(effort.microSteps, counted_.microSteps, steps);
  add(effort.rejectedMicroSteps, counted_.rejectedMicroSteps, failedTests + failedSolves);
  add(effort.correctorIterations, counted_.correctorIterations, iterations);
  add(effort.jacobians, counted_.jacobians, jacobians);
}

}  // namespace

std::unique_ptr<Method> makeCvode(const Equations& equations, const IntegratorSettings& settings) {
  return std::make_unique<Cvode>(equations, settings);
}

}  // namespace koppla::solver::detail
