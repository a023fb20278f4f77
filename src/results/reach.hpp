#pragma once

#include <compare>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

namespace koppla::results {

/// How far a record has come: its latest time, and how many rows it has of that (sides of a jump, iterations).
struct Reach {
  double time = -std::numeric_limits<double>::infinity();
  std::size_t rows = 0;

  void add(double rowTime) {
    if (rowTime > time) *this = {rowTime, 0};
    if (rowTime == time) ++rows;
  }
  auto operator<=>(const Reach&) const = default;
};

/// Of the record of that name in the folder of a run, whatever its formats; none where there is no row that can be
/// read.
std::optional<Reach> reachOf(const std::filesystem::path& folder, const std::string& name);

}  // namespace koppla::results
