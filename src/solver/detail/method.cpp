#include "koppla/solver/detail/method.hpp"

#include <algorithm>
#include <cmath>

#include "koppla/core/error.hpp"
#include "koppla/solver/detail/static_solver.hpp"

namespace koppla::solver::detail {

bool allFinite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

std::unique_ptr<Method> makeMethod(const Equations& equations, const IntegratorSettings& settings) {
  if (isStatic(equations)) return makeStatic(equations, settings);
  switch (settings.kind) {
    case Kind::ode1:
    case Kind::ode2:
    case Kind::ode3:
    case Kind::ode4:
    case Kind::ode5:
      return makeRungeKutta(equations, settings);
    case Kind::exact:
      return makeExact(equations, settings);
    case Kind::cvodeAdams:
    case Kind::cvodeBdf:
      return makeCvode(equations, settings);
    case Kind::bdf:
    case Kind::bdfFixed:
      return makeBdf(equations, settings);
    case Kind::radau:
    case Kind::radauFixed:
      return makeRadau(equations, settings);
    case Kind::newmark:
      return makeNewmark(equations, settings);
    case Kind::centralDifferences:
      return makeCentralDifferences(equations, settings);
  }
  throw core::InternalError("An integrator without a method.");
}

}  // namespace koppla::solver::detail
