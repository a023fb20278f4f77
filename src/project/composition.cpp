#include "koppla/project/composition.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/mechanics/joint_member.hpp"
#include "koppla/project/check.hpp"
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
    for (std::size_t i = 0; i < project.subsystems.size(); ++i) markers_.push_back(markersOf(i));
  }

  Composition compose() && {
    for (const ConditionEntry& condition : source_.conditions) compose(condition);
    return std::move(result_);
  }

 private:
  /// A port of a marker that the project declares.
  std::optional<PortIndex> portOf(const std::string& subsystem, const Description& description,
                                  const Placed<std::string>& name, subsystem::Causality wanted, std::string_view unit) {
    const std::optional<PortIndex> index = description.find(name.value);
    if (!index || description.ports[*index].causality != wanted) {
      std::vector<std::string> names;
      for (const Port& port : description.ports)
        if (port.causality == wanted) names.push_back(port.name);
      findings_.mistake(name.place, fmt::format("'{}' has no {} '{}'.", subsystem, word(wanted), name.value),
                        core::suggestion(name.value, names));
      return std::nullopt;
    }
    const Port& port = description.ports[*index];
    if (port.type != core::Type::real) {
      findings_.mistake(name.place, fmt::format("'{}.{}' is not real.", subsystem, name.value),
                        "Motions and forces are real numbers.");
      return std::nullopt;
    }
    if (!port.unit.empty() && port.unit != unit)
      findings_.warning(name.place, fmt::format("'{}.{}' has the unit {}; a marker takes it for {}.", subsystem,
                                                name.value, port.unit, unit));
    return index;
  }

  std::vector<Marker> markersOf(std::size_t member) {
    using subsystem::Causality;
    if (descriptions_[member] == nullptr) return {};
    const Description& description = *descriptions_[member];
    const SubsystemEntry& entry = source_.subsystems[member];
    std::vector<Marker> markers = description.markers;
    for (const MarkerEntry& written : entry.markers) {
      const auto position = portOf(entry.name.value, description, written.position, Causality::output, "m");
      const auto velocity = portOf(entry.name.value, description, written.velocity, Causality::output, "m/s");
      const auto force = portOf(entry.name.value, description, written.force, Causality::input, "N");
      std::optional<PortIndex> acceleration;
      std::optional<PortIndex> projection;
      if (!written.acceleration.value.empty())
        acceleration = portOf(entry.name.value, description, written.acceleration, Causality::output, "m/s2");
      if (!written.projection.value.empty())
        projection = portOf(entry.name.value, description, written.projection, Causality::input, "m/s");
      if (!position || !velocity || !force) continue;
      const Marker marker{written.name.value, *position, *velocity, *force, acceleration, projection};
      if (sizesAgree(entry, description, written, marker)) markers.push_back(marker);
    }
    return markers;
  }

  bool sizesAgree(const SubsystemEntry& entry, const Description& description, const MarkerEntry& written,
                  const Marker& marker) {
    const std::size_t size = description.ports[marker.position].size;
    for (const std::optional<PortIndex>& port :
         {std::optional(marker.velocity), std::optional(marker.force), marker.acceleration, marker.projection}) {
      if (!port || description.ports[*port].size == size) continue;
      findings_.mistake(
          written.name.place,
          fmt::format("The marker '{}.{}' has {} components of position but {} of '{}'.", entry.name.value, marker.name,
                      size, description.ports[*port].size, description.ports[*port].name),
          "All ports of a marker have the same size.");
      return false;
    }
    return true;
  }

  std::optional<End> find(const PortReference& reference) {
    const std::optional<std::size_t> member = index_.find(reference.subsystem);
    if (!member || reference.port.empty() || descriptions_[*member] == nullptr) return std::nullopt;  // reported
    const std::vector<Marker>& markers = markers_[*member];
    const auto marker = std::ranges::find(markers, reference.port, &Marker::name);
    if (marker == markers.end()) {
      std::vector<std::string> names;
      for (const Marker& known : markers) names.push_back(known.name);
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

  void compose(const ConditionEntry& condition) {
    const std::optional<End> first = find(condition.first);
    const std::optional<End> second = find(condition.second);
    if (condition.isRigid()) {
      if (first && second) hold(condition, *first, *second);
      return;
    }
    try {
      makeLaw(condition);
    } catch (const core::InputError& refusal) {
      report(condition, std::get<FormulaLaw>(condition.law).force.place, refusal);
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
    if (!condition.lawInFirst()) connect(condition, {second->subsystem, force}, {first->subsystem, first->force});
    if (!condition.lawInSecond()) connect(condition, {first->subsystem, force}, {second->subsystem, second->force});
  }

  bool isAlongOneLine(const ConditionEntry& condition, const End& end) {
    if (condition.joint.value != mechanics::JointKind::atpoint) {
      findings_.mistake(condition.joint.place,
                        fmt::format("The condition '{}' holds orientations, but '{}' is a point without one.",
                                    condition.name.value, end.name()),
                        "Choose joint = \"atpoint\".");
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
      findings_.mistake(condition.joint.place,
                        fmt::format("The joint '{}' holds orientations, but '{}' and '{}' are points without one.",
                                    name, first.name(), second.name()),
                        "Choose joint = \"atpoint\".");
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
    addMember(condition, mechanics::rigidLink(first.size));
    result_.joints.push_back({result_.project.subsystems.size() - 1, law, accelerations});
    giveMotionTo(condition, first, name, "first.", accelerations);
    giveMotionTo(condition, second, name, "second.", accelerations);
    connect(condition, {name, "lambda"}, {first.subsystem, first.force});
    connect(condition, {name, "lambda"}, {second.subsystem, second.force}, -1.0);
    if (law.method != coupling::ConstraintMethod::stabilisedIndex2) return;
    connect(condition, {name, "mu"}, {first.subsystem, first.projection});
    connect(condition, {name, "mu"}, {second.subsystem, second.projection}, -1.0);
  }

  void giveMotionTo(const ConditionEntry& condition, const End& from, const std::string& joint,
                    const std::string& prefix, bool accelerations) {
    connect(condition, {from.subsystem, from.position}, {joint, prefix + "position"});
    connect(condition, {from.subsystem, from.velocity}, {joint, prefix + "velocity"});
    if (accelerations) connect(condition, {from.subsystem, from.acceleration}, {joint, prefix + "acceleration"});
  }

  void addMember(const ConditionEntry& condition, std::unique_ptr<subsystem::Subsystem> member) {
    SubsystemEntry entry;
    entry.name = condition.name;
    result_.project.subsystems.push_back(std::move(entry));
    result_.evaluated.push_back(std::move(member));
  }

  void report(const ConditionEntry& condition, const core::Place& place, const core::InputError& refusal) {
    for (const core::Problem& problem : refusal.problems())
      findings_.mistake(place, fmt::format("The condition '{}': {}", condition.name.value, problem.message),
                        problem.remedy);
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
      report(condition, condition.decomposition.place, refusal);
      return false;
    }
  }

  /// The scale is given in any case: what units the ports declare has been looked at.
  void connect(const ConditionEntry& condition, PortReference from, PortReference to, double scale = 1.0) {
    from.place = to.place = condition.name.place;
    result_.project.connections.push_back({std::move(from), std::move(to), Placed<double>{scale, from.place}, {}});
  }

  void giveMotion(const ConditionEntry& condition, const End& from, const End& to) {
    const std::string& name = condition.name.value;
    connect(condition, {from.subsystem, from.position}, {to.subsystem, name + ".position"});
    connect(condition, {from.subsystem, from.velocity}, {to.subsystem, name + ".velocity"});
  }

  void evaluateInCoupling(const ConditionEntry& condition, const End& first, const End& second) {
    const std::string& name = condition.name.value;
    addMember(condition, subsystem::evaluateInCoupling(makeLaw(condition)));
    result_.laws.push_back(result_.project.subsystems.size() - 1);
    connect(condition, {first.subsystem, first.position}, {name, "x1"});
    connect(condition, {first.subsystem, first.velocity}, {name, "v1"});
    connect(condition, {second.subsystem, second.position}, {name, "x2"});
    connect(condition, {second.subsystem, second.velocity}, {name, "v2"});
    connect(condition, {name, "force"}, {first.subsystem, first.force});
    connect(condition, {name, "force"}, {second.subsystem, second.force}, -1.0);
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

Composition compose(const Project& project, const std::vector<const Description*>& descriptions,
                    std::vector<std::unique_ptr<solver::Equations>>& equations, Findings& findings) {
  return Composer(project, descriptions, equations, findings).compose();
}

}  // namespace koppla::project
