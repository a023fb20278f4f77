#include "koppla/native/rod.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/native/detail/linear_model.hpp"

namespace koppla::native {

namespace {

class RodModel final : public detail::MechanicalModel {
 public:
  explicit RodModel(Rod settings) : MechanicalModel("rod"), p_(std::move(settings)) {
    checkStructure();
    addPorts();
    addParameters();
    complete();
  }

  [[nodiscard]] std::size_t stateCount() const override { return 2 * freeNodes(); }

  void initialStates(std::span<double> x) const override {
    std::ranges::fill(x, 0.0);
    for (std::size_t i = 0; i < freeNodes(); ++i)
      x[i] = p_.displacements.empty()
                 ? p_.w0 * static_cast<double>(elements() + 1 - nodeNumber(i)) / static_cast<double>(p_.elements)
                 : p_.displacements[i];
  }

  void derivatives(double /*t*/, std::span<const double> x, std::span<const double> u,
                   std::span<double> dx) const override {
    const std::size_t n = freeNodes();
    const double nodeMass = 2.0 * halfElementMass();
    for (std::size_t i = 0; i < n; ++i) {
      dx[i] = x[n + i];
      const double left = isPenalty() && i == 0 ? linkForce(x, u) : elementForce(x, u, i);
      const double mass = isPenalty() && i == 0 ? halfElementMass() : nodeMass;
      dx[n + i] = (elementForce(x, u, i + 1) - left) / mass;
    }
  }

  void outputs(double /*t*/, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    const std::size_t n = freeNodes();
    y[0] = isPenalty() ? linkForce(x, u) : elementForce(x, u, 0);
    if (p_.nodeInertia) y[0] -= halfElementMass() * u[2];
    for (std::size_t i = 0; i < n; ++i) {
      y[1 + 2 * i] = x[i];
      y[2 + 2 * i] = x[n + i];
    }
  }

 private:
  [[nodiscard]] bool isPenalty() const { return p_.boundary == RodBoundary::penalty; }
  [[nodiscard]] std::size_t elements() const { return static_cast<std::size_t>(p_.elements); }
  [[nodiscard]] std::size_t freeNodes() const { return isPenalty() ? elements() : elements() - 1; }
  /// Schmoll's number of the free node i: N1 is the coupled end.
  [[nodiscard]] std::size_t nodeNumber(std::size_t i) const { return isPenalty() ? i + 1 : i + 2; }
  [[nodiscard]] double elementLength() const { return p_.length / static_cast<double>(p_.elements); }
  [[nodiscard]] double halfElementMass() const { return p_.density * p_.area * elementLength() / 2.0; }

  /// Pull k (w_i - w_(i-1)) + b (v_i - v_(i-1)) in the element before free node i. Before the first one lies the
  /// prescribed motion, behind the last one the fixed end.
  [[nodiscard]] double elementForce(std::span<const double> x, std::span<const double> u, std::size_t i) const {
    const std::size_t n = freeNodes();
    const double k = p_.youngsModulus * p_.area / elementLength();
    const double stretch = (i < n ? x[i] : 0.0) - (i > 0 ? x[i - 1] : u[0]);
    const double rate = (i < n ? x[n + i] : 0.0) - (i > 0 ? x[n + i - 1] : u[1]);
    return k * stretch + p_.rayleighBeta * k * rate;
  }

  /// Pull of the penalty spring and damper on the partner.
  [[nodiscard]] double linkForce(std::span<const double> x, std::span<const double> u) const {
    return p_.penaltyStiffness * (x[0] - u[0]) + p_.penaltyDamping * (x[freeNodes()] - u[1]);
  }

  void checkStructure() const {
    if (p_.elements < 1 || p_.elements > kMostRodElements)
      throw core::InputError(fmt::format("rod: {} elements are asked for.", p_.elements),
                             fmt::format("A rod has 1 to {} elements.", kMostRodElements));
    if (p_.nodeInertia && isPenalty())
      throw core::InputError("rod: the boundary 'penalty' and node inertia do not go together.",
                             "The coupled node is free there and has its inertia already; leave one of them out.");
    if (!p_.displacements.empty() && p_.displacements.size() != freeNodes())
      throw core::InputError(
          fmt::format("rod: {} displacements are given for {} free nodes.", p_.displacements.size(), freeNodes()),
          "Give one for each free node, or none for a linear shape.");
    if (!std::ranges::all_of(p_.displacements, [](double w) { return std::isfinite(w); }))
      throw core::InputError("rod: a displacement at the start is no finite number.", "Give finite numbers.");
  }

  void addPorts() {
    std::vector<subsystem::PortIndex> motion{addInput({"w", "m", "displacement of the coupled end"}),
                                             addInput({"v", "m/s", "velocity of the coupled end"})};
    if (p_.nodeInertia) motion.push_back(addInput({"a", "m/s2", "acceleration of the coupled end"}));
    addOutput({"f", "N", "force on the partner"}, motion);
    for (std::size_t i = 0; i < freeNodes(); ++i) {
      addOutput({fmt::format("w{}", nodeNumber(i)), "m", fmt::format("displacement of node {}", nodeNumber(i))});
      addOutput({fmt::format("v{}", nodeNumber(i)), "m/s", fmt::format("velocity of node {}", nodeNumber(i))});
    }
  }

  void addParameters() {
    using detail::Range;
    addParameter({"area", "m2", "cross-section"}, p_.area, Range::positive);
    addParameter({"length", "m", "length of the rod"}, p_.length, Range::positive);
    addParameter({"youngs_modulus", "N/m2", "Young's modulus"}, p_.youngsModulus, Range::positive);
    addParameter({"density", "kg/m3", "density"}, p_.density, Range::positive);
    addParameter({"rayleigh_beta", "s", "damping per stiffness"}, p_.rayleighBeta, Range::notNegative);
    if (isPenalty()) {
      addParameter({"ck", "N/m", "stiffness of the penalty spring"}, p_.penaltyStiffness, Range::notNegative);
      addParameter({"dk", "N.s/m", "damping of the penalty damper"}, p_.penaltyDamping, Range::notNegative);
    }
    if (p_.displacements.empty() && freeNodes() > 0)
      addParameter({"w0", "m", "displacement of the coupled end at the start, linear from there"}, p_.w0);
  }

  Rod p_;
};

}  // namespace

std::unique_ptr<solver::Equations> rod(Rod settings) {
  return std::make_unique<RodModel>(std::move(settings));
}

}  // namespace koppla::native
