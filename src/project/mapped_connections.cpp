#include "koppla/project/mapped_connections.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "koppla/mapping/mapping.hpp"

namespace koppla::project {

namespace {

using mapping::Points;

/// The shape of a program's port; null for other ports.
const program::Field* fieldOf(const SubsystemEntry& entry, const std::string& port) {
  if (!entry.program) return nullptr;
  for (const program::PortSettings& input : entry.program->settings.inputs)
    if (input.field.name == port) return &input.field;
  for (const program::OutputSettings& output : entry.program->settings.outputs)
    if (output.port.field.name == port) return &output.port.field;
  return nullptr;
}

/// One end of a mapped connection.
struct MappedEnd {
  std::string name;  ///< "subsystem.port"
  std::size_t size;
  const program::Field* field;
  const PointsEntry& points;
};

class MappingMaker {
 public:
  MappingMaker(const Parts& parts, Resolution& resolution, core::Log& log)
      : parts_(parts), resolution_(resolution), log_(log), descriptions_(parts.descriptions()) {}

  void makeAll() {
    for (const auto& [number, entry] : resolution_.mapped)
      make(resolution_.connections[number], parts_.project().connections[entry]);
  }

 private:
  Findings& findings() { return resolution_.findings; }

  void make(coupling::Connection& connection, const ConnectionEntry& entry) {
    if (!entry.mapping->sound || isSolvedInside(connection, entry)) return;
    const MappingEntry& asked = *entry.mapping;
    const MappedEnd from = end(connection.from, asked.from);
    const MappedEnd to = end(connection.to, asked.to);
    const std::optional<std::size_t> components = componentsOf(asked, from, to);
    if (!components) return;
    const std::optional<Points> source = pointsOf(from, *components);
    const std::optional<Points> target = pointsOf(to, *components);
    if (!source || !target) return;
    try {
      mapping::Mapping made = tie(asked, *source, *target);
      report(asked, from, to, *source, *target, made.quality);
      connection.mapping = {std::make_shared<const mapping::Operator>(std::move(made.map)), *components};
    } catch (const core::InputError& refusal) {
      refuse(asked.place, fmt::format("'{}' cannot be mapped to '{}'", from.name, to.name), refusal);
    }
  }

  /// Both ends are equations of one integrator, whose wires carry values as they are.
  bool isSolvedInside(const coupling::Connection& connection, const ConnectionEntry& entry) {
    const auto has = [](const Group& group, std::size_t member) {
      return std::ranges::find(group.members, member) != group.members.end();
    };
    const bool inside = std::ranges::any_of(parts_.groups(), [&](const Group& group) {
      return has(group, connection.from.member) && has(group, connection.to.member);
    });
    if (inside)
      findings().mistake(entry.mapping->place,
                         fmt::format("One integrator solves '{}' and '{}'; mappings are between coupled subsystems.",
                                     entry.from.subsystem, entry.to.subsystem),
                         "Remove 'inside', or choose another algorithm than \"model-coupling\".");
    return inside;
  }

  [[nodiscard]] MappedEnd end(const coupling::Endpoint& endpoint, const PointsEntry& points) const {
    const subsystem::Port& port = descriptions_[endpoint.member]->ports[endpoint.port];
    const SubsystemEntry& entry = parts_.project().subsystems[endpoint.member];
    return {entry.name.value + "." + port.name, port.size, fieldOf(entry, port.name), points};
  }

  std::optional<std::size_t> componentsOf(const MappingEntry& asked, const MappedEnd& from, const MappedEnd& to) {
    std::optional<std::size_t> components = asked.components;
    for (const MappedEnd* end : {&from, &to}) {
      if (end->field == nullptr) continue;
      if (components.value_or(end->field->components) != end->field->components) {
        findings().mistake(
            asked.place,
            fmt::format("'{}' has {} values a point, not {}.", end->name, end->field->components, *components),
            "Both ends of a mapping have the same number of components.");
        return std::nullopt;
      }
      components = end->field->components;
    }
    return components.value_or(1);
  }

  /// In whatever order: ports of programs without ids of their own count 1, 2, 3, ..., as many files of points do.
  static bool areTheSame(std::vector<std::int64_t> ids, std::vector<program::Id> others) {
    std::ranges::sort(ids);
    std::ranges::sort(others);
    return std::ranges::equal(ids, others);
  }

  /// In the order of the port's values.
  std::optional<Points> pointsOf(const MappedEnd& end, std::size_t components) {
    const Points* const all = read(end.points);
    if (all == nullptr) return std::nullopt;
    const std::string file = end.points.file.value.string();
    if (end.field != nullptr && (end.field->numbered || areTheSame(all->ids, end.field->ids))) {
      try {
        return mapping::select(*all, end.field->ids);
      } catch (const core::InputError& refusal) {
        refuse(end.points.file.place, fmt::format("The points of '{}' are not all in {}", end.name, file), refusal);
        return std::nullopt;
      }
    }
    if (all->size() * components == end.size) return *all;
    findings().mistake(
        end.points.file.place,
        fmt::format("'{}' has {} values, but {} has {} points{}.", end.name, end.size, file, all->size(),
                    components > 1 ? fmt::format(" with {} values each", components) : std::string()),
        end.field != nullptr
            ? "Name the part of the mesh that belongs to the port, or give the port the 'ids' of its points."
            : "Name the part of the mesh that belongs to the port; 'components' says how many values a point has.");
    return std::nullopt;
  }

  /// Null, with the reason, where they cannot be read. Every file is read once.
  const Points* read(const PointsEntry& entry) {
    const auto [place, fresh] = files_.try_emplace({entry.file.value, entry.part.value});
    std::optional<Points>& points = place->second;
    if (!fresh) return points ? &*points : nullptr;
    try {
      points = mapping::readPoints(entry.file.value, entry.part.value);
      for (const std::string& note : points->notes)
        log_.write(core::Severity::info, "mapping", entry.file.value.string() + ": " + note);
    } catch (const core::InputError& refusal) {
      refuse(entry.file.place, "The points cannot be used", refusal);
    }
    return points ? &*points : nullptr;
  }

  static mapping::Mapping tie(const MappingEntry& asked, const Points& source, const Points& target) {
    switch (asked.kind) {
      case MappingKind::nearest:
        return mapping::nearest(source, target, asked.form);
      case MappingKind::linear:
        return mapping::linear(source, target, asked.form);
      case MappingKind::radialBasis:
        return mapping::radialBasis(source, target, asked.form, asked.radialBasis);
    }
    throw core::InternalError("A mapping of unknown kind.");
  }

  void report(const MappingEntry& asked, const MappedEnd& from, const MappedEnd& to, const Points& source,
              const Points& target, const mapping::Quality& quality) {
    const bool consistent = asked.form == mapping::Form::consistent;
    const Points& receivers = consistent ? target : source;
    const std::string& receiving = consistent ? to.name : from.name;
    log_.write(core::Severity::info, "mapping",
               fmt::format("{} -> {}: {}, {}, from {} to {} points; the largest distance is {:.3g}, at the point {} of "
                           "'{}'; {} outside, {} unused.",
                           from.name, to.name, word(asked.kind), word(asked.form), source.size(), target.size(),
                           quality.largestDistance, receivers.ids[quality.farthest], receiving, quality.outside,
                           quality.unused));
    if (quality.outside > 0)
      findings().warning(
          asked.place,
          fmt::format("{} of {} points of '{}' lie outside the other mesh, up to {:.3g} away (point {}).",
                      quality.outside, receivers.size(), receiving, quality.largestDistance,
                      receivers.ids[quality.farthest]),
          "Check the parts of the meshes and their units of length.");
    if (quality.between > 0)
      findings().warning(
          asked.place,
          fmt::format("{} of {} points of '{}' lie between layers of the other mesh that are too far apart to be seen "
                      "together (the first is point {}): each takes the values of the layer that is nearest.",
                      quality.between, receivers.size(), receiving, receivers.ids[quality.firstBetween]),
          "Raise 'patch_points' until patches reach over the gap, map with elements (\"linear\"), or name the part "
          "that "
          "is meant.");
  }

  void refuse(const core::Place& place, const std::string& what, const core::InputError& refusal) {
    for (const core::Problem& problem : refusal.problems())
      findings().mistake(place, what + ": " + core::text({problem.place, problem.message, {}}), problem.remedy);
  }

  const Parts& parts_;
  Resolution& resolution_;
  core::Log& log_;
  std::vector<const subsystem::Description*> descriptions_;
  std::map<std::pair<std::filesystem::path, std::string>, std::optional<Points>> files_;
};

}  // namespace

void makeMappings(const Parts& parts, Resolution& resolution, core::Log& log) {
  MappingMaker(parts, resolution, log).makeAll();
}

}  // namespace koppla::project
