#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "koppla/mapping/mapping.hpp"
#include "koppla/project/placed.hpp"

namespace koppla::project {

enum class MappingKind : std::uint8_t { nearest, linear, radialBasis };

/// Where a port has its values.
struct PointsEntry {
  Placed<std::filesystem::path> file;
  Placed<std::string> part{};  ///< node set or physical group; empty: all points
};

/// How a connection goes from the points of its output to those of its input.
struct MappingEntry {
  core::Place place;
  MappingKind kind = MappingKind::linear;
  mapping::Form form = mapping::Form::consistent;
  PointsEntry from;
  PointsEntry to;
  mapping::RadialBasisSettings radialBasis{};
  std::optional<unsigned> components{};  ///< values a point; absent: as the ports tell, or 1
  bool sound = true;                     ///< nothing was wrong with its options
};

/// The words of the project file.
std::string_view word(MappingKind kind);
std::string_view word(mapping::Form form);

}  // namespace koppla::project
