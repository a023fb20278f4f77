#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/results/recorder.hpp"

namespace koppla::results::detail {

/// Takes `q[3].residual` apart: the last number in brackets is the index of an element.
struct ElementName {
  std::string whole;  ///< `q[].residual`
  std::size_t index;  ///< from 1
};
std::optional<ElementName> elementName(std::string_view name);
/// The way back, index from 1.
std::string nameOfElement(std::string_view whole, std::size_t index);

/// A dataset of an HDF5 file: one column, or the elements of a vector, which are columns at equal distances.
struct Hdf5Dataset {
  std::string path;  ///< `subsystem/port`
  std::string name;  ///< `subsystem.port`; of vectors with `[]` where the index is
  core::Type type;
  std::string unit;
  std::string description;
  std::size_t column;          ///< of its first element, from 0
  std::size_t columnStep = 1;  ///< from one element to the next
  std::size_t first;           ///< in a row's array of its type
  std::size_t step = 1;        ///< in that array
  std::size_t elements = 1;

  [[nodiscard]] bool vector() const { return elements > 1; }
};

/// Puts columns into datasets. What is before the first dot becomes a group, unless a dataset has that name; characters
/// that a path cannot have become '_', and equal paths are numbered.
std::vector<Hdf5Dataset> hdf5Layout(const std::vector<Column>& columns);

inline constexpr char kTimePath[] = "time";

}  // namespace koppla::results::detail
