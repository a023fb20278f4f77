#pragma once

#include "koppla/core/error.hpp"

namespace koppla::project {

/// Something the user wrote, and where. The place is empty for projects that were made by a program.
template <typename T>
struct Placed {
  T value{};
  core::Place place{};
};

}  // namespace koppla::project
