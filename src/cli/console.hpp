#pragma once

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>

#include "koppla/core/log.hpp"

namespace koppla::cli {

/// Foreign texts, such as an FMU's description, must not command the terminal: control characters but tabs and line
/// ends become question marks.
inline std::string printable(std::string text) {
  const auto commands = [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == '\x7f';
  };
  std::ranges::replace_if(text, commands, '?');
  return text;
}

/// Lets warnings and errors of a log also appear on standard error.
inline void showWarnings(core::Log& log) {
  log.addSink(
      [](core::Severity severity, std::string_view who, std::string_view message) {
        std::cerr << core::word(severity) << ": " << who << ": " << printable(std::string(message)) << "\n";
      },
      core::Severity::warning);
}

}  // namespace koppla::cli
