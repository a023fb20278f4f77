#include "koppla/native/rotor.hpp"

#include <algorithm>
#include <cmath>

#include "koppla/native/detail/model.hpp"

namespace koppla::native {

namespace {

using detail::Range;
using subsystem::PortIndex;

constexpr double kLeastEccentricity = 1e-8;  // positions have no direction below it
constexpr double kLeastOmega = 1.0;          // rad/s, that rates are divided by where the rotor turns slower

struct Vector {
  double x, y;
};

double length(const Vector& a) {
  return std::hypot(a.x, a.y);
}

class RotorModel final : public detail::Model {
 public:
  explicit RotorModel(const Rotor& settings) : Model("rotor"), p_(settings) {
    const PortIndex radial = addInput({"force_r", "", "force of the film along the eccentricity, dimensionless"});
    const PortIndex tangential = addInput({"force_t", "", "force of the film across it, dimensionless"});
    addOutput({"eps", "", "eccentricity"});
    addOutput({"eps_rate", "", "its rate, divided by the angular velocity"});
    addOutput({"del_rate", "", "rate of its direction, divided by the angular velocity"});
    addOutput({"x", "m", "position"});
    addOutput({"y", "m", "position, upwards"});
    addOutput({"vx", "m/s", "velocity"});
    addOutput({"vy", "m/s", "velocity, upwards"});
    addOutput({"omega", "rad/s", "angular velocity"});
    addOutput({"fx", "N", "force of the film on the rotor"}, {radial, tangential});
    addOutput({"fy", "N", "force of the film on the rotor, upwards"}, {radial, tangential});
    addParameters();
    complete();
  }

  [[nodiscard]] std::size_t stateCount() const override { return 4; }

  void initialStates(std::span<double> x) const override {
    x[0] = p_.x0 / p_.clearance;
    x[1] = p_.y0 / p_.clearance;
    x[2] = p_.vx0 * p_.timeScale / p_.clearance;
    x[3] = p_.vy0 * p_.timeScale / p_.clearance;
  }

  void derivatives(double t, std::span<const double> x, std::span<const double> u,
                   std::span<double> dx) const override {
    const Vector film = filmForce(seen(t, x), u);
    const double phi = (p_.omega0 + 0.5 * p_.acceleration * t) * t;
    const double centrifugal = p_.unbalance * omega(t) * omega(t);  // m/s2
    const double scale = p_.timeScale / p_.clearance;
    dx[0] = x[2] / p_.timeScale;
    dx[1] = x[3] / p_.timeScale;
    dx[2] = scale * (film.x / p_.mass + centrifugal * std::cos(phi));
    dx[3] = scale * (film.y / p_.mass + centrifugal * std::sin(phi) - p_.gravity);
  }

  void outputs(double t, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    const Eccentricity seenByFilm = seen(t, x);
    const Vector film = filmForce(seenByFilm, u);
    const double velocity = p_.clearance / p_.timeScale;
    y[0] = seenByFilm.eps;
    y[1] = seenByFilm.epsRate;
    y[2] = seenByFilm.delRate;
    y[3] = p_.clearance * x[0];
    y[4] = p_.clearance * x[1];
    y[5] = velocity * x[2];
    y[6] = velocity * x[3];
    y[7] = omega(t);
    y[8] = film.x;
    y[9] = film.y;
  }

 private:
  /// What the film sees of the motion, Schmoll (5.1)-(5.3).
  struct Eccentricity {
    double eps, epsRate, delRate;
    Vector direction;
    double rate;  ///< rad/s, by which the rates are divided
  };

  void addParameters() {
    addParameter({"R", "m", "radius of the bearing"}, p_.radius, Range::positive);
    addParameter({"clearance", "m", "radius of the bearing minus that of the journal"}, p_.clearance, Range::positive);
    addParameter({"B", "m", "width of the bearing"}, p_.width, Range::positive);
    addParameter({"eta", "Pa.s", "viscosity"}, p_.viscosity, Range::notNegative);
    addParameter({"m", "kg", "mass"}, p_.mass, Range::positive);
    addParameter({"unbalance", "m", "distance of the centre of mass from the axis"}, p_.unbalance);
    addParameter({"omega0", "rad/s", "angular velocity at t = 0"}, p_.omega0);
    addParameter({"acceleration", "rad/s2", "angular acceleration"}, p_.acceleration);
    addParameter({"gravity", "m/s2", "along -y"}, p_.gravity);
    addParameter({"x0", "m", "position at the start"}, p_.x0);
    addParameter({"y0", "m", "position at the start, upwards"}, p_.y0);
    addParameter({"vx0", "m/s", "velocity at the start"}, p_.vx0);
    addParameter({"vy0", "m/s", "velocity at the start, upwards"}, p_.vy0);
    addParameter({"time_scale", "s", "unit of time in the states"}, p_.timeScale, Range::positive);
  }

  [[nodiscard]] double omega(double t) const { return p_.omega0 + p_.acceleration * t; }

  [[nodiscard]] Eccentricity seen(double t, std::span<const double> x) const {
    const Vector position{x[0], x[1]};
    const Vector velocity{x[2] / p_.timeScale, x[3] / p_.timeScale};  // clearances per second
    const double rate = std::max(std::fabs(omega(t)), kLeastOmega);
    const double slip = 0.5 * (1.0 - omega(t) / rate);
    const double eps = length(position), speed = length(velocity);
    if (eps < kLeastEccentricity) {
      const Vector direction = speed > 0.0 ? Vector{velocity.x / speed, velocity.y / speed} : Vector{1.0, 0.0};
      return {eps, speed / rate, slip, direction, rate};
    }
    const Vector direction{position.x / eps, position.y / eps};
    const double radial = direction.x * velocity.x + direction.y * velocity.y;
    const double tangential = direction.x * velocity.y - direction.y * velocity.x;
    return {eps, radial / rate, tangential / (eps * rate) + slip, direction, rate};
  }

  /// Schmoll (5.15), (5.16), in N.
  [[nodiscard]] Vector filmForce(const Eccentricity& at, std::span<const double> u) const {
    const double squeeze = p_.radius / p_.clearance;
    const double unit = p_.radius * p_.width * 6.0 * p_.viscosity * at.rate * squeeze * squeeze;
    return {unit * (at.direction.x * u[0] - at.direction.y * u[1]),
            unit * (at.direction.y * u[0] + at.direction.x * u[1])};
  }

  Rotor p_;
};

}  // namespace

std::unique_ptr<solver::Equations> rotor(const Rotor& settings) {
  return std::make_unique<RotorModel>(settings);
}

}  // namespace koppla::native
