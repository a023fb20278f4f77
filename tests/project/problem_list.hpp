#pragma once

#include <string>
#include <vector>

#include "koppla/project/reader.hpp"

namespace koppla::test {

/// "line:column message remedy", as the user sees it but without the file.
using ProblemList = std::vector<std::string>;

inline ProblemList list(const std::vector<core::Problem>& problems) {
  ProblemList result;
  for (const core::Problem& problem : problems) {
    const auto& [file, line, column] = problem.place;
    const std::string place = line > 0 ? std::to_string(line) + ":" + std::to_string(column) : file;
    result.push_back(place + " " + core::text({{}, problem.message, problem.remedy}));
  }
  return result;
}

inline ProblemList mistakes(const project::Reading& reading) {
  return list(reading.findings.mistakes);
}
inline ProblemList warnings(const project::Reading& reading) {
  return list(reading.findings.warnings);
}

/// The problems of an action that must fail with an InputError.
template <typename Action>
ProblemList problemsOf(Action action) {
  try {
    action();
  } catch (const core::InputError& error) {
    return list(error.problems());
  }
  return {"no error"};
}

}  // namespace koppla::test
