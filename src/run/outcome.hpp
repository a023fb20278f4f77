#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace koppla::run {

enum class OutcomeKind : std::uint8_t {
  ok,               ///< went as asked
  interrupted,      ///< ended early because the user wanted it
  subsystemFailed,  ///< a subsystem reported an error or could not be stepped
  notConverged,     ///< an iteration or a test failed and no shorter step was allowed
  stagnated,        ///< an iteration came to rest above its tolerance, at the precision of the subsystems
  unstable,         ///< values of a cycle grow because of the coupling
  exploded,         ///< a value is beyond the explosion limit, or an iteration left all that was ever computed behind
  notFinite,        ///< a value is not a finite number
  outputFailed,     ///< rows, a program's files or others could not be written: a full disk, a broken pipe
};

std::string_view word(OutcomeKind kind);

struct Outcome {
  OutcomeKind kind = OutcomeKind::ok;
  /// For the user: who, what, when, and what to do next. When ok it is empty, or tells which subsystem asked to end.
  std::string message;

  [[nodiscard]] bool ok() const { return kind == OutcomeKind::ok; }
};

}  // namespace koppla::run
