#pragma once

#include <string>

#include "koppla/coupling/system.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::run {

/// The setting of an algorithm that solves a loop which explicit ones carry values round, such as `algorithm.kind =
/// "newton"`; empty where none is offered, because subsystems in cycles cannot restore a saved state, or because there
/// are no cycles.
std::string implicitAlgorithm(const coupling::System& system);

/// Whether Newton's method is offered in place of another that iterates, and has derivatives to go by: not inside a
/// waveform, nor where values in cycles come from text with few digits.
bool newtonIsOffered(const coupling::System& system, const Settings& settings);

/// Whether steps may be repeated with other lengths.
bool stepControlIsOffered(const coupling::System& system);

}  // namespace koppla::run
