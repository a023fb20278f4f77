#pragma once

#include <iostream>
#include <string_view>

#include "koppla/core/log.hpp"
#include "koppla/core/printable.hpp"

namespace koppla::cli {

/// Texts for standard output and standard error. Foreign names and descriptions in them must not command the terminal.
inline void print(std::string_view text) {
  std::cout << core::printable(text, core::LineEnds::kept);
}
inline void complain(std::string_view text) {
  std::cerr << core::printable(text, core::LineEnds::kept);
}

/// Lets warnings and errors of a log also appear on standard error.
inline void showWarnings(core::Log& log) {
  log.addSink(
      [](core::Severity severity, std::string_view who, std::string_view message) {
        std::cerr << core::word(severity) << ": " << who << ": " << message << "\n";
      },
      core::Severity::warning);
}

}  // namespace koppla::cli
