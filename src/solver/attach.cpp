#include "koppla/solver/attach.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/solver/detail/scalars.hpp"

namespace koppla::solver {

namespace {

using subsystem::Causality;
using subsystem::Dependencies;
using subsystem::Description;
using subsystem::Marker;
using subsystem::PortIndex;

subsystem::Port makePort(std::string name, Causality causality, std::string unit, std::string description) {
  subsystem::Port port;
  port.name = std::move(name);
  port.causality = causality;
  port.unit = std::move(unit);
  port.description = std::move(description);
  port.settable = causality == Causality::input;
  return port;
}

/// Whatever saw the marker's force sees the partner's motion through it.
void addMotion(Dependencies& declared, PortIndex force, PortIndex position, PortIndex velocity) {
  if (!declared || std::ranges::find(*declared, force) == declared->end()) return;
  declared->insert(declared->end(), {position, velocity});
}

/// The new force depends on the partner's motion and on what the body's own motion depends on.
Dependencies ofForce(const Dependencies& position, const Dependencies& velocity, PortIndex newPosition) {
  if (!position || !velocity) return std::nullopt;
  std::vector<PortIndex> all = *position;
  for (const PortIndex input : *velocity)
    if (std::ranges::find(all, input) == all.end()) all.push_back(input);
  all.insert(all.end(), {newPosition, newPosition + 1});
  return all;
}

Description composed(const Description& body, const Marker& marker, const std::string& name) {
  Description result = body;
  const PortIndex position = body.ports.size();
  const PortIndex force = position + 2;
  result.ports.push_back(makePort(name + ".position", Causality::input, "m", "position of the partner's point"));
  result.ports.push_back(makePort(name + ".velocity", Causality::input, "m/s", "velocity of the partner's point"));
  result.ports.push_back(makePort(name + ".force", Causality::output, "N", "force on the partner's point"));
  for (auto* const dependencies : {&result.dependencies, &result.initialDependencies})
    for (auto& [output, declared] : *dependencies) addMotion(declared, marker.force, position, position + 1);
  result.dependencies[force] =
      ofForce(body.dependenciesOf(marker.position), body.dependenciesOf(marker.velocity), position);
  result.initialDependencies[force] =
      ofForce(body.initialDependenciesOf(marker.position), body.initialDependenciesOf(marker.velocity), position);
  result.indexNames();
  return result;
}

void check(const Description& body, const Marker& marker, const std::string& name) {
  for (const char* suffix : {".position", ".velocity", ".force"})
    if (body.find(name + suffix))
      throw core::InputError(fmt::format("The model {} has a port {}{} already.", body.model, name, suffix),
                             "Give the force law another name.");
  for (const PortIndex port : {marker.position, marker.velocity, marker.force})
    if (body.ports.at(port).type != core::Type::real || body.ports[port].size != 1)
      throw core::InputError(
          fmt::format("The port {} of the marker {} is not a real scalar.", body.ports[port].name, marker.name),
          "A force law acts along one line.");
  for (const PortIndex motion : {marker.position, marker.velocity})
    if (body.feedsThrough(marker.force, motion))
      throw core::InputError(
          fmt::format("{} of the marker {} depends directly on the force {}, or does not declare that it does not.",
                      body.ports[motion].name, marker.name, body.ports[marker.force].name),
          "A force law inside a body needs a motion that follows the force in time.");
}

class Attached final : public Equations {
 public:
  Attached(std::unique_ptr<Equations> body, const Marker& marker, Side side,
           std::shared_ptr<const subsystem::ForceLaw> law, const std::string& name)
      : body_(std::move(body)),
        side_(side),
        law_(std::move(law)),
        description_(composed(body_->describe(), marker, name)),
        bodyPorts_(body_->describe().ports.size()),
        inputs_(detail::realScalars(body_->describe(), Causality::input)),
        u_(inputs_),
        y_(detail::realScalars(body_->describe(), Causality::output)) {
    const std::vector<std::size_t> first = detail::firstScalars(body_->describe());
    position_ = first[marker.position];
    velocity_ = first[marker.velocity];
    force_ = first[marker.force];
    for (PortIndex port = 0; port < bodyPorts_; ++port)
      if (body_->describe().ports[port].causality == Causality::output)
        forceFeedsThrough_ = forceFeedsThrough_ || body_->describe().feedsThrough(marker.force, port);
  }

  [[nodiscard]] const Description& describe() const override { return description_; }
  void set(PortIndex port, std::span<const core::Value> values) override {
    if (port < bodyPorts_) body_->set(port, values);
  }
  [[nodiscard]] core::Value parameter(PortIndex port) const override { return body_->parameter(port); }
  [[nodiscard]] double nextKnownPoint(double t) const override { return body_->nextKnownPoint(t); }
  [[nodiscard]] std::size_t stateCount() const override { return body_->stateCount(); }
  void initialStates(std::span<double> x) const override { body_->initialStates(x); }

  void derivatives(double t, std::span<const double> x, std::span<const double> u,
                   std::span<double> dx) const override {
    body_->outputs(t, x, u.first(inputs_), y_);
    body_->derivatives(t, x, loaded(u, ownForce(u)), dx);
  }

  void outputs(double t, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    const std::span<double> bodyOutputs = y.first(y_.size());
    body_->outputs(t, x, u.first(inputs_), y_);
    const double own = ownForce(u);
    if (forceFeedsThrough_) {
      body_->outputs(t, x, loaded(u, own), bodyOutputs);
    } else {
      std::ranges::copy(y_, bodyOutputs.begin());
    }
    y.back() = -own;
  }

  [[nodiscard]] std::size_t algebraicCount() const override { return body_->algebraicCount(); }
  [[nodiscard]] bool determinesUnknowns() const override { return body_->determinesUnknowns(); }
  [[nodiscard]] std::string unknownName(std::size_t unknown) const override { return body_->unknownName(unknown); }
  [[nodiscard]] bool secondOrder() const override { return body_->secondOrder(); }
  [[nodiscard]] bool isLinear() const override { return body_->isLinear() && spring() != nullptr; }
  [[nodiscard]] LinearForm linear() const override;

 private:
  [[nodiscard]] const subsystem::SpringDamper* spring() const {
    return dynamic_cast<const subsystem::SpringDamper*>(law_.get());
  }
  [[nodiscard]] std::vector<double> motionRow(const std::vector<double>& block, std::size_t columns) const;
  [[nodiscard]] std::vector<double> composedBlock(const std::vector<double>& block, const std::vector<double>& row,
                                                  const std::vector<double>& gains,
                                                  const std::vector<double>& partner) const;

  /// The force on the body, from its motion in y_ and the partner's, which follows the body's inputs.
  [[nodiscard]] double ownForce(std::span<const double> u) const {
    const double distance = u[inputs_] - y_[position_];
    const double rate = u[inputs_ + 1] - y_[velocity_];
    return side_ == Side::first ? law_->force(distance, rate) : -law_->force(-distance, -rate);
  }

  /// The body's inputs with its share of the law.
  [[nodiscard]] std::span<const double> loaded(std::span<const double> u, double force) const {
    std::ranges::copy(u.first(inputs_), u_.begin());
    u_[force_] += force;
    return u_;
  }

  std::unique_ptr<Equations> body_;
  Side side_;
  std::shared_ptr<const subsystem::ForceLaw> law_;
  Description description_;
  std::size_t bodyPorts_;
  std::size_t inputs_;                       ///< scalars of the body's inputs
  std::size_t position_, velocity_, force_;  ///< places in the body's y, y and u
  bool forceFeedsThrough_ = false;
  mutable std::vector<double> u_, y_;  ///< the body's; one instance is used by one thread at a time
};

/// With f = stiffness (p - w) + damping (v_p - v) on the body, w = c_w x + d_w u, v = c_v x + d_v u: the row
/// r = stiffness (c_w, d_w) + damping (c_v, d_v) goes, times the force's column of B and D, into A, B, C and D.
LinearForm Attached::linear() const {
  if (!isLinear()) return {};
  const LinearForm body = body_->linear();
  const std::vector<double> rowX = motionRow(body.c, stateCount());
  const std::vector<double> rowU = motionRow(body.d, inputs_);
  const std::vector<double> partner{spring()->stiffness(), spring()->damping()};
  LinearForm form;
  form.a = composedBlock(body.a, rowX, body.b, {});
  form.b = composedBlock(body.b, rowU, body.b, partner);
  form.c = composedBlock(body.c, rowX, body.d, {});
  form.d = composedBlock(body.d, rowU, body.d, partner);
  form.c.insert(form.c.end(), rowX.begin(), rowX.end());
  form.d.insert(form.d.end(), rowU.begin(), rowU.end());
  for (const double gain : partner) form.d.push_back(-gain);
  return form;
}

/// The row r from the rows of C or D that give position and velocity.
std::vector<double> Attached::motionRow(const std::vector<double>& block, std::size_t columns) const {
  std::vector<double> row(columns);
  for (std::size_t k = 0; k < columns; ++k)
    row[k] =
        spring()->stiffness() * block[position_ * columns + k] + spring()->damping() * block[velocity_ * columns + k];
  return row;
}

/// A block of the body's matrices minus the force's column of B or D (`gains`) times r, followed by that column times
/// the weights of the partner's motion.
std::vector<double> Attached::composedBlock(const std::vector<double>& block, const std::vector<double>& row,
                                            const std::vector<double>& gains,
                                            const std::vector<double>& partner) const {
  std::vector<double> result;
  for (std::size_t i = 0; i * inputs_ < gains.size(); ++i) {
    const double gain = gains[i * inputs_ + force_];
    for (std::size_t k = 0; k < row.size(); ++k) result.push_back(block[i * row.size() + k] - gain * row[k]);
    for (const double weight : partner) result.push_back(gain * weight);
  }
  return result;
}

}  // namespace

std::unique_ptr<Equations> attach(std::unique_ptr<Equations> body, const Marker& marker, Side side,
                                  std::shared_ptr<const subsystem::ForceLaw> law, const std::string& name) {
  check(body->describe(), marker, name);
  return std::make_unique<Attached>(std::move(body), marker, side, std::move(law), name);
}

}  // namespace koppla::solver
