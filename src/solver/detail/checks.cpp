#include "koppla/solver/detail/checks.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/solver/detail/static_solver.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::solver::detail {

namespace {

bool isCvode(Kind kind) {
  return kind == Kind::cvodeAdams || kind == Kind::cvodeBdf;
}

bool isRadau(Kind kind) {
  return kind == Kind::radau || kind == Kind::radauFixed;
}

bool isBdf(Kind kind) {
  return kind == Kind::bdf || kind == Kind::bdfFixed;
}

constexpr double kLeastNewtonTolerance = 1e-6;  // less would be rounding with usual tolerances

void demand(bool holds, const std::string& message, std::string remedy) {
  if (!holds) throw core::InputError(message, std::move(remedy));
}

void checkModel(const Equations& equations, Kind kind) {
  if (isStatic(equations)) return;  // nothing is integrated
  const std::string who =
      fmt::format("The integrator {} does not fit the model {}", word(kind), equations.describe().model);
  demand(equations.algebraicCount() == 0 || isRadau(kind), fmt::format("{}, which has algebraic equations.", who),
         "Take radau or radau-fixed.");
  if (kind == Kind::exact)
    demand(equations.isLinear(), fmt::format("{}, which is not linear.", who), "Take a Runge-Kutta method or CVODE.");
  if (kind == Kind::newmark || kind == Kind::centralDifferences)
    demand(equations.secondOrder(), fmt::format("{}, which is not of second order.", who),
           "Take a Runge-Kutta method or CVODE.");
  demand(!equations.needsVisits() || isBdf(kind),
         fmt::format("{}, in which static solvers are linearised about predicted or accepted states.", who),
         "Take bdf or bdf-fixed, or static_coupling = \"full\".");
  if (isCvode(kind) || isRadau(kind) || isBdf(kind))
    demand(equations.stateCount() > 0, fmt::format("{}, which has no states.", who), "Take ode1.");
}

}  // namespace

void check(const Equations& equations, const IntegratorSettings& settings) {
  checkModel(equations, settings.kind);
  const auto given = [](double value) { return core::text(value); };
  demand(std::isfinite(settings.microStep) && settings.microStep >= 0.0,
         fmt::format("A micro step of {} s is impossible.", given(settings.microStep)), "Give a length above zero.");
  demand(settings.rtol >= 0.0 && settings.atol >= 0.0 && settings.rtol + settings.atol > 0.0,
         fmt::format("Tolerances of {} (relative) and {} (absolute) are impossible.", given(settings.rtol),
                     given(settings.atol)),
         "Neither may be negative and one must be above zero.");
  demand(!settings.order || (*settings.order >= 1 && *settings.order <= kHighestBdfOrder),
         fmt::format("An order of {} is impossible.", settings.order.value_or(0)),
         fmt::format("The formulas go from order 1 to {}.", kHighestBdfOrder));
  demand(settings.firstMicroStep >= 0.0 && settings.minMicroStep >= 0.0,
         fmt::format("A first micro step of {} s and a shortest one of {} s are impossible.",
                     given(settings.firstMicroStep), given(settings.minMicroStep)),
         "Neither may be negative.");
  demand(settings.microStep == 0.0 || settings.minMicroStep <= settings.microStep,
         fmt::format("The shortest micro step, {} s, is longer than the longest, {} s.", given(settings.minMicroStep),
                     given(settings.microStep)),
         "Lower min_micro_step.");
  demand(settings.newtonTolerance >= kLeastNewtonTolerance && settings.newtonTolerance <= 1.0,
         fmt::format("A Newton tolerance of {} is impossible.", given(settings.newtonTolerance)),
         fmt::format("It is a part of the tolerances, from {} to 1.", given(kLeastNewtonTolerance)));
  demand(settings.alpha >= -1.0 / 3.0 && settings.alpha <= 0.0,
         fmt::format("The HHT parameter alpha = {} is out of range.", given(settings.alpha)), "It lies in [-1/3, 0].");
}

subsystem::Capabilities capabilitiesOf(const Equations& equations, const IntegratorSettings& settings) {
  if (isStatic(equations))
    return {.saveRestore = true,
            .variableStep = true,
            .inputDerivatives = subsystem::kMaxDegree,
            .directionalDerivatives = true,
            .states = true,
            .evaluatesBetweenSteps = true,
            .isStatic = true,
            .threadBound = equations.threadBound()};
  // A memory of its own outlives a macro step only in multistep methods that go on, and in HHT with numerical damping.
  const bool multistep = isCvode(settings.kind) || isBdf(settings.kind);
  const bool goesOn = multistep && !restarts(settings);
  const bool damped = settings.kind == Kind::newmark && settings.alpha != 0.0;
  // f tells neither the rates of algebraic unknowns nor how they answer to inputs.
  const bool algebraic = equations.algebraicCount() > 0;
  return {.saveRestore = !goesOn || isBdf(settings.kind),
          .variableStep = true,
          .inputDerivatives = subsystem::kMaxDegree,
          .outputDerivatives = algebraic ? 0U : 1U,
          .directionalDerivatives = true,
          .stepDerivatives = !algebraic,
          .oncePerProcess = false,
          // What begins anew every time takes ever shorter first steps.
          .ownSteps = multistep && settings.kind != Kind::bdfFixed ? goesOn : settings.microStep > 0.0,
          .states = !goesOn && !damped,
          .evaluatesBetweenSteps = true,
          .uncorrectedOutputs = settings.kind == Kind::newmark && !settings.corrected,
          // A choice of steps depends on the values.
          .linear = equations.isLinear() && !multistep && settings.kind != Kind::radau,
          .threadBound = equations.threadBound(),
          .microStep = settings.microStep};
}

void append(const core::Value& value, core::Values& into) {
  std::visit(
      [&into](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, double>) into.reals.push_back(held);
        if constexpr (std::is_same_v<T, std::int32_t>) into.integers.push_back(held);
        if constexpr (std::is_same_v<T, bool>) into.booleans.push_back(held ? 1 : 0);
        if constexpr (std::is_same_v<T, std::string>) into.strings.push_back(held);
      },
      value);
}

std::string textOf(const std::exception_ptr& exception, const std::string& when) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    return fmt::format("The model failed {}: {}", when, error.what());
  } catch (...) {
    return fmt::format("The model failed {}.", when);
  }
}

bool isOfFile(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const core::FileError&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace koppla::solver::detail
