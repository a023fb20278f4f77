#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace koppla::run {

/// Whose doing it is that values grow.
enum class Origin : std::uint8_t { model, coupling, unknown };

/// The logarithm of what values are multiplied by over one and the same time, in steps that are divided by so much;
/// absent where nobody can tell.
using ExponentOf = std::function<std::optional<double>(unsigned divisor)>;

/// Growth that is the model's own is the same in shorter steps. `steps`: how many undivided ones the time has, in which
/// values grow.
Origin originOf(const ExponentOf& exponent, double steps);

}  // namespace koppla::run
