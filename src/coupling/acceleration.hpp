#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/coupling/system.hpp"

namespace koppla::coupling {

/// What makes an iteration converge, or converge faster.
enum class AcceleratorKind : std::uint8_t {
  automatic,        ///< guarded secant for one value, weighted least squares for several; no settings
  none,             ///< the answers are sent as they are
  constant,         ///< relaxation with one factor
  aitken,           ///< one dynamic factor for all values (Aitken, Kuettler and Wall)
  aitkenPerScalar,  ///< one dynamic factor per value
  adaptive,         ///< one steered factor per value (Jung: L, NL, L/NL)
  anderson,         ///< Anderson mixing over the last iterations of a step
  iqnIls,           ///< interface quasi-Newton, inverse Jacobian by least squares (Degroote)
  iqnImvj,          ///< the same with a Jacobian kept from step to step (multi-vector, Bogaers)
  broyden           ///< rank-one updates of an inverse Jacobian, kept from step to step
};

/// Which values are changed before they are passed on.
enum class Accelerated : std::uint8_t {
  cut,  ///< those that flow backward: the results of one subsystem, where two are coupled in sequence
  all   ///< every subsystem's results as they appear (Jung, sec. 5.3.1); relaxations only
};

/// Which columns of differences are too near to the span of newer ones to be of use.
enum class Filter : std::uint8_t {
  none,
  qr1,  ///< |R_jj| < limit |R|_F
  qr2   ///< |R_jj| < limit |column j|, the column removed for good
};

/// How unlike fields are made comparable before differences of them are mixed.
enum class Scaling : std::uint8_t {
  none,
  value,       ///< each field by the norm of its values
  residual,    ///< each field by the norm of its residual
  residualSum  ///< each field by the sum of its relative residuals
};

/// How the step d omega of a factor follows from omega and K (Jung, sec. 4.3).
enum class Steering : std::uint8_t { linear, nonLinear, mixed };

/// Parameters of adaptive relaxation (Jung, sec. 4.2.2, table 5.5).
struct AdaptiveParameters {
  Steering steering = Steering::mixed;
  double first = 1.0;       ///< omega_0
  double influence = 0.03;  ///< Phi
  double lower = 1.0;       ///< Xi_u: omega stays above 1 - Xi_u
  double upper = 1.0;       ///< Xi_o: omega stays below 1 + Xi_o
  double gain = 3.8889;     ///< kappa
  double slope = 2.2778;    ///< kappa_slope
  double mass = 0.8;        ///< mu
  double margin = 0.01;     ///< delta: distance that omega keeps from its limits
  bool divides = false;     ///< NL: cos[(omega - 1) pi / Xi] instead of the printed product
};

/// One of the twelve calibrated sets, "L(1,a)" to "L/NL(0.7,b)" (Jung, table 5.5).
struct AdaptiveSet {
  std::string_view name;
  AdaptiveParameters parameters;
};

/// A number that some outputs have of their own, in place of the one that all others share.
struct OwnNumber {
  std::string variables;  ///< pattern of "subsystem.port", which whoever makes the run resolves to
  double number = 1.0;
  std::vector<Endpoint> outputs{};  ///< these outputs

  [[nodiscard]] bool isOf(MemberIndex member, subsystem::PortIndex port) const {
    return std::ranges::any_of(outputs, [&](const Endpoint& end) { return end.member == member && end.port == port; });
  }
};

struct AccelerationSettings {
  AcceleratorKind kind = AcceleratorKind::automatic;
  Accelerated values = Accelerated::cut;
  /// constant: the factor; aitken: the first one; quasi-Newton: relaxation while there is no difference to learn from;
  /// anderson: the mixing.
  double factor = 1.0;
  std::vector<OwnNumber> fieldFactors{};  ///< constant: in ]0, 2[, no output in two of them
  AdaptiveParameters adaptive{};
  unsigned reusedSteps = 8;  ///< quasi-Newton: macro steps whose differences are kept
  unsigned columns = 50;     ///< most differences in use
  Filter filter = Filter::qr2;
  double filterLimit = 1e-3;
  Scaling scaling = Scaling::none;

  /// Whether values are changed one by one, so that it makes sense to do so wherever they appear.
  [[nodiscard]] bool relaxes() const {
    return kind == AcceleratorKind::constant || kind == AcceleratorKind::aitken ||
           kind == AcceleratorKind::aitkenPerScalar || kind == AcceleratorKind::adaptive;
  }
};

}  // namespace koppla::coupling
