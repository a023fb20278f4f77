#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::study {

enum class Status : std::uint8_t {
  ok,
  unstable,            ///< the error is larger than any sense, a value exploded, or a subsystem gave up on the way
  notConverged,        ///< an iteration or an error test failed
  failed,              ///< it could not be run or measured, or its process crashed
  limitedByReference,  ///< the error is less than ten times the reference's own
  endedEarly,          ///< a subsystem asked to end before the end: its error is one of another interval
};

std::string_view word(Status status);

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// What is kept of one run. Numbers that it does not have are NaN.
struct Row {
  Status status = Status::failed;
  double error = kNone;           ///< of all variables together
  std::vector<double> errors;     ///< of each variable; empty if there are none
  double referenceError = kNone;  ///< the reference's own, by the same measure
  double meanStep = kNone;        ///< s
  double smallestStep = kNone;    ///< s
  double largestStep = kNone;     ///< s
  std::uint64_t acceptedSteps = 0;
  subsystem::Effort effort{};  ///< of all subsystems' own solvers, as far as they tell
  double wallClock = kNone;    ///< s, of initialisation and simulation
  double cpu = kNone;          ///< s, of the same
  std::string message;         ///< one line for the user; empty if all is well
};

/// One line without its end, fields separated by tabs; reads back to the same row.
std::string toLine(const Row& row);
/// Throws core::InputError for a line that is none.
Row rowFrom(std::string_view line);

}  // namespace koppla::study
