#include "koppla/project/markers.hpp"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"

namespace koppla::project {

namespace {

using subsystem::Causality;
using subsystem::Description;
using subsystem::Marker;
using subsystem::Port;
using subsystem::PortIndex;

class MarkerFinder {
 public:
  MarkerFinder(const SubsystemEntry& entry, const Description& description, Findings& findings)
      : entry_(entry), name_(entry.name.value), description_(description), findings_(findings) {}

  std::vector<Marker> find() {
    std::vector<Marker> markers = description_.markers;
    for (const MarkerEntry& written : entry_.markers)
      if (const std::optional<Marker> marker = find(written)) markers.push_back(*marker);
    return markers;
  }

 private:
  std::optional<Marker> find(const MarkerEntry& written) {
    const auto position = portOf(written.position, Causality::output, "m");
    const auto velocity = portOf(written.velocity, Causality::output, "m/s");
    const auto force = portOf(written.force, Causality::input, "N");
    std::optional<PortIndex> acceleration;
    std::optional<PortIndex> projection;
    if (!written.acceleration.value.empty()) acceleration = portOf(written.acceleration, Causality::output, "m/s2");
    if (!written.projection.value.empty()) projection = portOf(written.projection, Causality::input, "m/s");
    if (!position || !velocity || !force) return std::nullopt;
    const Marker marker{written.name.value, *position, *velocity, *force, acceleration, projection};
    if (!sizesAgree(written, marker)) return std::nullopt;
    return marker;
  }

  std::optional<PortIndex> portOf(const Placed<std::string>& name, Causality wanted, std::string_view unit) {
    const std::optional<PortIndex> index = description_.find(name.value);
    if (!index || description_.ports[*index].causality != wanted) {
      std::vector<std::string> names;
      for (const Port& port : description_.ports)
        if (port.causality == wanted) names.push_back(port.name);
      findings_.mistake(name.place, fmt::format("'{}' has no {} '{}'.", name_, word(wanted), name.value),
                        core::suggestion(name.value, names));
      return std::nullopt;
    }
    const Port& port = description_.ports[*index];
    if (port.type != core::Type::real) {
      findings_.mistake(name.place, fmt::format("'{}.{}' is not real.", name_, name.value),
                        "Motions and forces are real numbers.");
      return std::nullopt;
    }
    if (!port.unit.empty() && port.unit != unit)
      findings_.warning(name.place, fmt::format("'{}.{}' has the unit {}; a marker takes it for {}.", name_, name.value,
                                                port.unit, unit));
    return index;
  }

  bool sizesAgree(const MarkerEntry& written, const Marker& marker) {
    const std::size_t size = description_.ports[marker.position].size;
    for (const std::optional<PortIndex>& port :
         {std::optional(marker.velocity), std::optional(marker.force), marker.acceleration, marker.projection}) {
      if (!port || description_.ports[*port].size == size) continue;
      findings_.mistake(written.name.place,
                        fmt::format("The marker '{}.{}' has {} components of position but {} of '{}'.", name_,
                                    marker.name, size, description_.ports[*port].size, description_.ports[*port].name),
                        "All ports of a marker have the same size.");
      return false;
    }
    return true;
  }

  const SubsystemEntry& entry_;
  const std::string& name_;
  const Description& description_;
  Findings& findings_;
};

}  // namespace

std::vector<Marker> markersOf(const SubsystemEntry& entry, const Description& description, Findings& findings) {
  return MarkerFinder(entry, description, findings).find();
}

}  // namespace koppla::project
