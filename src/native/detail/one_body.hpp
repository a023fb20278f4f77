#pragma once

#include <string>

#include "koppla/native/detail/linear_model.hpp"

namespace koppla::native::detail {

/// A mass on a spring and damper to the ground, states (x, v). The settings have m, c, d, x0 and v0, and ck and dk
/// where a link to a partner belongs to it.
template <class Settings>
class OneBody : public MechanicalModel {
 public:
  [[nodiscard]] std::size_t stateCount() const final { return 2; }

  void initialStates(std::span<double> x) const final {
    x[0] = p_.x0;
    x[1] = p_.v0;
  }

  void derivatives(double /*t*/, std::span<const double> x, std::span<const double> u,
                   std::span<double> dx) const final {
    dx[0] = x[1] + projection(u);
    dx[1] = acceleration(x, u);
  }

 protected:
  OneBody(std::string word, const Settings& settings) : MechanicalModel(std::move(word)), p_(settings) {}

  [[nodiscard]] virtual double acceleration(std::span<const double> x, std::span<const double> u) const = 0;

  /// What moves the body without being its velocity, m/s.
  [[nodiscard]] virtual double projection(std::span<const double> /*u*/) const { return 0.0; }

  void addBodyParameters() {
    addParameter({"m", "kg", "mass"}, p_.m, Range::positive);
    addParameter({"c", "N/m", "stiffness to the ground"}, p_.c, Range::notNegative);
    addParameter({"d", "N.s/m", "damping to the ground"}, p_.d, Range::notNegative);
    if constexpr (requires { p_.ck; }) {
      addParameter({"ck", "N/m", "stiffness of the link"}, p_.ck, Range::notNegative);
      addParameter({"dk", "N.s/m", "damping of the link"}, p_.dk, Range::notNegative);
    }
    addParameter({"x0", "m", "position at the start"}, p_.x0);
    addParameter({"v0", "m/s", "velocity at the start"}, p_.v0);
  }

  Settings p_;
};

}  // namespace koppla::native::detail
