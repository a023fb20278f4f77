#include "koppla/solver/settings.hpp"

#include <algorithm>

namespace koppla::solver {

std::string_view word(Kind kind) {
  switch (kind) {
    case Kind::ode1:
      return "ode1";
    case Kind::ode2:
      return "ode2";
    case Kind::ode3:
      return "ode3";
    case Kind::ode4:
      return "ode4";
    case Kind::ode5:
      return "ode5";
    case Kind::exact:
      return "exact";
    case Kind::cvodeAdams:
      return "cvode-adams";
    case Kind::cvodeBdf:
      return "cvode-bdf";
    case Kind::bdf:
      return "bdf";
    case Kind::bdfFixed:
      return "bdf-fixed";
    case Kind::radau:
      return "radau";
    case Kind::radauFixed:
      return "radau-fixed";
    case Kind::newmark:
      return "newmark";
    case Kind::centralDifferences:
      return "central-differences";
  }
  return {};
}

std::optional<Kind> kindNamed(std::string_view name) {
  const auto* const found = std::ranges::find_if(kKinds, [name](Kind kind) { return word(kind) == name; });
  if (found == kKinds.end()) return std::nullopt;
  return *found;
}

bool restarts(const IntegratorSettings& settings) {
  return settings.restart.value_or(settings.kind == Kind::cvodeAdams || settings.kind == Kind::cvodeBdf);
}

}  // namespace koppla::solver
