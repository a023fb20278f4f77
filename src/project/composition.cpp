#include "koppla/project/composition.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/mechanics/joint_member.hpp"
#include "koppla/project/body_composition.hpp"
#include "koppla/project/check.hpp"
#include "koppla/project/markers.hpp"
#include "koppla/solver/attach.hpp"

namespace koppla::project {

namespace {

using solver::Side;
using subsystem::Description;
using subsystem::Marker;
using subsystem::Port;
using subsystem::PortIndex;

/// One end of a condition.
struct End {
  std::size_t member = 0;
  Marker marker;
  std::string subsystem;
  std::string position, velocity, force;  ///< names of the marker's ports
  std::string acceleration, projection;   ///< empty where it has none
  std::size_t size = 1;                   ///< components of its position
  [[nodiscard]] std::string name() const { return subsystem + "." + marker.name; }
};

class Composer {
 public:
  Composer(const Project& project, const std::vector<const Description*>& descriptions,
           std::vector<std::unique_ptr<solver::Equations>>& equations, Findings& findings)
      : source_(project), descriptions_(descriptions), equations_(equations), findings_(findings), index_(project) {
    result_.project = project;
    for (std::size_t i = 0; i < project.subsystems.size(); ++i)
      markers_.push_back(descriptions[i] == nullptr ? std::vector<Marker>()
                                                    : markersOf(project.subsystems[i], *descriptions[i], findings));
  }

  Composition compose() && {
    for (const ConditionEntry& condition : source_.conditions) {
      warnOfHeldMotion(condition);
      compose(condition);
    }
    return std::move(result_);
  }

 private:
  /// A motion that is held at its value at the end of the step leads by half a step: its spring takes damping away.
  void warnOfHeldMotion(const ConditionEntry& condition) {
    const coupling::AlgorithmSettings& algorithm = source_.settings.algorithm;
    const auto* const spring = std::get_if<SpringDamperLaw>(&condition.law);
    if (algorithm.kind != coupling::AlgorithmKind::semiImplicit || algorithm.degree > 0 || spring == nullptr ||
        condition.decomposition.value == Decomposition::forceForce)
      return;
    double stiffness = 0.0;
    for (const double value : spring->stiffness) stiffness = std::max(stiffness, value);
    if (!(stiffness > 0.0)) return;
    findings_.warning(
        condition.decomposition.place,
        fmt::format("The condition '{}' sends motions that are held over the step (degree = 0): its spring "
                    "then acts like a negative damper of {:.3g} on the subsystem that gets one, and only "
                    "dampers outside of the condition make up for it.",
                    condition.name.value, 0.5 * stiffness * source_.settings.step),
        "Choose decomposition = \"force-force\", or degree = 1.");
  }

  /// Null for all but multibody models.
  [[nodiscard]] const mechanics::MultibodySettings* bodiesOf(std::size_t member) const {
    const std::optional<NativeModel>& model = source_.subsystems[member].model;
    return model ? std::get_if<mechanics::MultibodySettings>(&model->settings) : nullptr;
  }

  /// Nothing where the reference names no marker of a multibody model.
  [[nodiscard]] std::optional<BodyEnd> findBody(const PortReference& reference) const {
    const std::optional<std::size_t> member = index_.find(reference.subsystem);
    const mechanics::MultibodySettings* const system = member ? bodiesOf(*member) : nullptr;
    if (system == nullptr) return std::nullopt;
    const auto marker = std::ranges::find(system->markers, reference.port, &mechanics::MarkerSettings::name);
    auto* const equations = dynamic_cast<mechanics::Multibody*>(equations_[*member].get());
    if (marker == system->markers.end() || equations == nullptr) return std::nullopt;
    return BodyEnd{reference.subsystem, &*marker, system->rotation, equations};
  }

  std::optional<End> find(const PortReference& reference) {
    const std::optional<std::size_t> member = index_.find(reference.subsystem);
    if (!member || reference.port.empty() || descriptions_[*member] == nullptr) return std::nullopt;  // reported
    const std::vector<Marker>& markers = markers_[*member];
    const auto marker = std::ranges::find(markers, reference.port, &Marker::name);
    if (marker == markers.end()) {
      if (findBody(reference)) return std::nullopt;  // it takes no forces; whether it should, the other end decides
      std::vector<std::string> names;
      names.reserve(markers.size());
      for (const Marker& known : markers) names.push_back(known.name);
      if (const mechanics::MultibodySettings* const system = bodiesOf(*member)) {
        names.clear();
        for (const mechanics::MarkerSettings& known : system->markers) names.push_back(known.name);
      }
      // One whose declaration is wrong has been reported.
      const auto& declared = source_.subsystems[*member].markers;
      if (std::ranges::none_of(declared, [&](const MarkerEntry& m) { return m.name.value == reference.port; }))
        findings_.mistake(reference.place, fmt::format("'{}' has no marker '{}'.", reference.subsystem, reference.port),
                          names.empty() ? "Declare it in [subsystems.markers]: " + reference.port +
                                              " = {position = \"...\", velocity = \"...\", force = \"...\"}."
                                        : core::suggestion(reference.port, names));
      return std::nullopt;
    }
    const std::vector<Port>& ports = descriptions_[*member]->ports;
    const auto nameOf = [&ports](const std::optional<PortIndex>& port) { return port ? ports[*port].name : ""; };
    return End{*member,
               *marker,
               reference.subsystem,
               ports[marker->position].name,
               ports[marker->velocity].name,
               ports[marker->force].name,
               nameOf(marker->acceleration),
               nameOf(marker->projection),
               ports[marker->position].size};
  }

  /// A body is held to a point by forces at a marker, not by its share in a joint.
  void requireLoads(const PortReference& reference, const std::optional<End>& end) {
    if (end) return;
    findings_.mistake(reference.place,
                      fmt::format("The marker '{}.{}' takes no forces of points.", reference.subsystem, reference.port),
                      "Give it loads = true, or name markers of two multibody models.");
  }

  void compose(const ConditionEntry& condition) {
    try {
      if (!condition.isRigid()) makeLaw(condition);
    } catch (const core::InputError& refusal) {
      report(findings_, condition, std::get<FormulaLaw>(condition.law).force.place, refusal);
      return;
    }
    const std::optional<BodyEnd> firstBody = findBody(condition.first);
    const std::optional<BodyEnd> secondBody = findBody(condition.second);
    if (firstBody && secondBody) return composeBodies(condition, *firstBody, *secondBody, result_, findings_);
    const std::optional<End> first = find(condition.first);
    const std::optional<End> second = find(condition.second);
    if (firstBody && second) requireLoads(condition.first, first);
    if (secondBody && first) requireLoads(condition.second, second);
    if (condition.isRigid()) {
      if (first && second) hold(condition, *first, *second);
      return;
    }
    if (!first || !second || !isAlongOneLine(condition, *first) || !isAlongOneLine(condition, *second)) return;
    if (condition.decomposition.value == Decomposition::forceForce)
      return evaluateInCoupling(condition, *first, *second);
    if (condition.lawInFirst() && !attach(condition, *first, Side::first)) return;
    if (condition.lawInSecond() && !attach(condition, *second, Side::second)) return;
    if (condition.lawInFirst()) giveMotion(condition, *second, *first);
    if (condition.lawInSecond()) giveMotion(condition, *first, *second);
    const std::string force = condition.name.value + ".force";
    // The law on one side tells the other side's force; on both sides nobody needs to be told.
    if (!condition.lawInFirst())
      result_.connect(condition, {second->subsystem, force}, {first->subsystem, first->force});
    if (!condition.lawInSecond())
      result_.connect(condition, {first->subsystem, force}, {second->subsystem, second->force});
  }

  bool isAlongOneLine(const ConditionEntry& condition, const End& end) {
    if (condition.joint.value != mechanics::JointKind::atpoint) {
      findings_.mistake(condition.joint.place,
                        fmt::format("The condition '{}' holds orientations, but '{}' is a point without one.",
                                    condition.name.value, end.name()),
                        "Choose joint = \"atpoint\".");
      return false;
    }
    const auto* const spring = std::get_if<SpringDamperLaw>(&condition.law);
    if (spring != nullptr && std::max(spring->stiffness.size(), spring->damping.size()) > 1) {
      findings_.mistake(
          condition.name.place,
          fmt::format("The condition '{}' acts along one line; stiffness and damping are one number each.",
                      condition.name.value),
          "One for each row is for joints between bodies.");
      return false;
    }
    if (end.size == 1) return true;
    findings_.mistake(condition.name.place,
                      fmt::format("The condition '{}' acts along one line, but '{}' has {} components.",
                                  condition.name.value, end.name(), end.size),
                      "Name markers with one component, or make it a joint.");
    return false;
  }

  /// A rigid joint between points: its member tells how far they are apart, its multipliers are the force.
  void hold(const ConditionEntry& condition, const End& first, const End& second) {
    const auto& law = std::get<RigidLaw>(condition.law);
    const std::string& name = condition.name.value;
    if (condition.joint.value != mechanics::JointKind::atpoint) {
      findings_.mistake(
          condition.joint.place,
          fmt::format("The joint '{}' between '{}' and '{}' holds orientations, which points do not have.", name,
                      first.name(), second.name()),
          "Choose joint = \"atpoint\", or name markers of two multibody models.");
      return;
    }
    if (first.size != second.size) {
      findings_.mistake(condition.name.place,
                        fmt::format("The joint '{}' connects '{}' with {} components and '{}' with {}.", name,
                                    first.name(), first.size, second.name(), second.size),
                        "Name markers with the same number of components.");
      return;
    }
    for (const End* end : {&first, &second}) {
      if (law.method == coupling::ConstraintMethod::stabilisedIndex2 && end->projection.empty()) {
        findings_.mistake(
            condition.name.place,
            fmt::format("The joint '{}' projects velocities (method = \"stabilised-index-2\"), but the marker '{}' has "
                        "no input for that.",
                        name, end->name()),
            "Choose method = \"baumgarte\" or \"weighted-multipliers\", or give the marker projection = \"...\", an "
            "input (m/s) that moves the point without being its velocity.");
        return;
      }
      if (law.needsAccelerations() && end->acceleration.empty()) {
        findings_.mistake(
            condition.name.place,
            fmt::format(
                "The joint '{}' looks at accelerations (gamma, acceleration_weight), but the marker '{}' has no "
                "output for them.",
                name, end->name()),
            "Set them to 0, or give the marker acceleration = \"...\", an output (m/s2) with the present force.");
        return;
      }
    }
    const bool accelerations = !first.acceleration.empty() && !second.acceleration.empty();
    result_.addMember(condition, mechanics::rigidLink(first.size));
    result_.joints.push_back({result_.project.subsystems.size() - 1, law, accelerations});
    giveMotionTo(condition, first, name, "first.", accelerations);
    giveMotionTo(condition, second, name, "second.", accelerations);
    result_.connect(condition, {name, "lambda"}, {first.subsystem, first.force});
    result_.connect(condition, {name, "lambda"}, {second.subsystem, second.force}, -1.0);
    if (law.method != coupling::ConstraintMethod::stabilisedIndex2) return;
    result_.connect(condition, {name, "mu"}, {first.subsystem, first.projection});
    result_.connect(condition, {name, "mu"}, {second.subsystem, second.projection}, -1.0);
  }

  void giveMotionTo(const ConditionEntry& condition, const End& from, const std::string& joint,
                    const std::string& prefix, bool accelerations) {
    result_.connect(condition, {from.subsystem, from.position}, {joint, prefix + "position"});
    result_.connect(condition, {from.subsystem, from.velocity}, {joint, prefix + "velocity"});
    if (accelerations)
      result_.connect(condition, {from.subsystem, from.acceleration}, {joint, prefix + "acceleration"});
  }

  bool attach(const ConditionEntry& condition, const End& end, Side side) {
    const std::string other = side == Side::first ? "force-displacement" : "displacement-force";
    if (!equations_[end.member]) {
      if (source_.subsystems[end.member].model) return false;  // reported
      findings_.mistake(
          condition.decomposition.place,
          fmt::format("The condition '{}' puts its law into '{}', which is an FMU: nothing can be composed into it.",
                      condition.name.value, end.subsystem),
          fmt::format("Choose decomposition = \"force-force\" or \"{}\".", other));
      return false;
    }
    try {
      equations_[end.member] =
          solver::attach(std::move(equations_[end.member]), end.marker, side, makeLaw(condition), condition.name.value);
      return true;
    } catch (const core::InputError& refusal) {
      report(findings_, condition, condition.decomposition.place, refusal);
      return false;
    }
  }

  void giveMotion(const ConditionEntry& condition, const End& from, const End& to) {
    const std::string& name = condition.name.value;
    result_.connect(condition, {from.subsystem, from.position}, {to.subsystem, name + ".position"});
    result_.connect(condition, {from.subsystem, from.velocity}, {to.subsystem, name + ".velocity"});
  }

  void evaluateInCoupling(const ConditionEntry& condition, const End& first, const End& second) {
    const std::string& name = condition.name.value;
    result_.addMember(condition, subsystem::evaluateInCoupling(makeLaw(condition)));
    result_.laws.push_back(result_.project.subsystems.size() - 1);
    result_.connect(condition, {first.subsystem, first.position}, {name, "x1"});
    result_.connect(condition, {first.subsystem, first.velocity}, {name, "v1"});
    result_.connect(condition, {second.subsystem, second.position}, {name, "x2"});
    result_.connect(condition, {second.subsystem, second.velocity}, {name, "v2"});
    result_.connect(condition, {name, "force"}, {first.subsystem, first.force});
    result_.connect(condition, {name, "force"}, {second.subsystem, second.force}, -1.0);
  }

  const Project& source_;
  const std::vector<const Description*>& descriptions_;
  std::vector<std::unique_ptr<solver::Equations>>& equations_;
  Findings& findings_;
  SubsystemIndex index_;
  std::vector<std::vector<Marker>> markers_;  ///< by member
  Composition result_;
};

}  // namespace

void Composition::addMember(const ConditionEntry& condition, std::unique_ptr<subsystem::Subsystem> member) {
  SubsystemEntry entry;
  entry.name = condition.name;
  project.subsystems.push_back(std::move(entry));
  evaluated.push_back(std::move(member));
}

void Composition::connect(const ConditionEntry& condition, PortReference from, PortReference to, double scale) {
  const core::Place place = condition.name.place;
  from.place = to.place = place;
  project.connections.push_back({std::move(from), std::move(to), Placed<double>{scale, place}, {}});
}

void report(Findings& findings, const ConditionEntry& condition, const core::Place& place,
            const core::InputError& refusal) {
  for (const core::Problem& problem : refusal.problems())
    findings.mistake(place, fmt::format("The condition '{}': {}", condition.name.value, problem.message),
                     problem.remedy);
}

Composition compose(const Project& project, const std::vector<const Description*>& descriptions,
                    std::vector<std::unique_ptr<solver::Equations>>& equations, Findings& findings) {
  return Composer(project, descriptions, equations, findings).compose();
}

}  // namespace koppla::project
