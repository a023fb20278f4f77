#include "koppla/native/foam_column.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/native/detail/model.hpp"

namespace koppla::native {

namespace {

class FoamColumnModel final : public detail::Model {
 public:
  explicit FoamColumnModel(const FoamColumn& settings) : Model("foam-column"), p_(settings) {
    if (p_.elements < 1 || p_.elements > kMostFoamElements)
      throw core::InputError(fmt::format("foam-column: {} elements are asked for.", p_.elements),
                             fmt::format("A column has 1 to {} elements.", kMostFoamElements));
    addPorts();
    addParameters();
    complete();
  }

  [[nodiscard]] bool secondOrder() const override { return true; }
  [[nodiscard]] std::size_t stateCount() const override { return 2 * elements(); }

  void initialStates(std::span<double> x) const override {
    std::ranges::fill(x, 0.0);
    for (std::size_t i = 0; i < elements(); ++i)
      x[i] = p_.w0 * static_cast<double>(elements() - i) / static_cast<double>(elements());
  }

  void derivatives(double /*t*/, std::span<const double> x, std::span<const double> u,
                   std::span<double> dx) const override {
    const std::size_t n = elements();
    const double nodeMass = p_.density * p_.area * elementLength();
    double above = contactForce(x, u);
    for (std::size_t i = 0; i < n; ++i) {
      const double below = elementForce(x, i);
      dx[i] = x[n + i];
      dx[n + i] = (below - above) / (i == 0 ? nodeMass / 2.0 + p_.capMass : nodeMass);
      above = below;
    }
  }

  void outputs(double /*t*/, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    y[0] = contactForce(x, u);
    y[1] = p_.length + x[0];
    y[2] = u[0] - y[1];
    y[3] = 0.0;
    for (std::size_t i = 0; i < elements(); ++i) y[3] = std::max(y[3], strain(x, i));
  }

 private:
  [[nodiscard]] std::size_t elements() const { return static_cast<std::size_t>(p_.elements); }
  [[nodiscard]] double elementLength() const { return p_.length / static_cast<double>(p_.elements); }

  /// Compressive strain of the element below node i from the values (displacements or velocities) of the nodes, of
  /// which the last one stands on the floor.
  [[nodiscard]] double compression(std::span<const double> ofNodes, std::size_t i) const {
    return ((i + 1 < elements() ? ofNodes[i + 1] : 0.0) - ofNodes[i]) / elementLength();
  }
  [[nodiscard]] double strain(std::span<const double> x, std::size_t i) const {
    return compression(x.first(elements()), i);
  }

  [[nodiscard]] double elementForce(std::span<const double> x, std::size_t i) const {
    const double e = strain(x, i);
    const double cells = p_.modulus * e / (1.0 + p_.modulus * std::fabs(e) / p_.plateau);
    const double closed = e > 0.0 ? p_.densification * std::pow(e, p_.exponent) : 0.0;
    return p_.area * (cells + closed + p_.viscosity * compression(x.last(elements()), i));
  }

  [[nodiscard]] double contactForce(std::span<const double> x, std::span<const double> u) const {
    const double depth = p_.length + x[0] - u[0];
    if (depth <= 0.0) return 0.0;
    return std::max(0.0, p_.contactStiffness * depth + p_.contactDamping * (x[elements()] - u[1]));
  }

  void addPorts() {
    const subsystem::PortIndex x = addInput({"x", "m", "height of the body above the floor"}, 1.0);
    const subsystem::PortIndex v = addInput({"v", "m/s", "velocity of the body"});
    addOutput({"f", "N", "force on the body"}, {x, v});
    addOutput({"top", "m", "height of the top node"});
    addOutput({"gap", "m", "from the top node up to the body"}, {x});
    addOutput({"strain", "", "largest compressive strain of an element"});
  }

  void addParameters() {
    using detail::Range;
    addParameter({"area", "m2", "cross-section"}, p_.area, Range::positive);
    addParameter({"length", "m", "height without load"}, p_.length, Range::positive);
    addParameter({"density", "kg/m3", "density without load"}, p_.density, Range::positive);
    addParameter({"modulus", "N/m2", "slope of the stress at rest"}, p_.modulus, Range::positive);
    addParameter({"plateau", "N/m2", "stress at which the cells buckle"}, p_.plateau, Range::positive);
    addParameter({"densification", "N/m2", "of the closed cells"}, p_.densification, Range::notNegative);
    addParameter({"exponent", "", "how late and steep the cells close"}, p_.exponent, Range::positive);
    addParameter({"viscosity", "Pa.s", "stress per rate of strain"}, p_.viscosity, Range::notNegative);
    addParameter({"cap_mass", "kg", "mass at the top, besides that of the foam"}, p_.capMass, Range::notNegative);
    addParameter({"ck", "N/m", "stiffness of the contact"}, p_.contactStiffness, Range::notNegative);
    addParameter({"dk", "N.s/m", "damping of the contact"}, p_.contactDamping, Range::notNegative);
    addParameter({"w0", "m", "displacement of the top at the start, linear from there"}, p_.w0);
  }

  FoamColumn p_;
};

}  // namespace

std::unique_ptr<solver::Equations> foamColumn(const FoamColumn& settings) {
  return std::make_unique<FoamColumnModel>(settings);
}

}  // namespace koppla::native
