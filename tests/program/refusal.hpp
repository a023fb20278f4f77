#pragma once

#include <string>

#include "koppla/core/error.hpp"

namespace koppla::test {

/// The texts of all problems of an action that must fail with an InputError, one a line.
template <typename Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const core::InputError& error) {
    std::string result;
    for (const core::Problem& problem : error.problems()) result += core::text(problem) + "\n";
    return result;
  }
  return "no error";
}

}  // namespace koppla::test
