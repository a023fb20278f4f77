#include "koppla/core/error.hpp"

namespace koppla::core {

std::string text(const Problem& problem) {
  std::string result;
  if (!problem.place.file.empty()) {
    result = problem.place.file + ":";
    if (problem.place.line > 0) result += std::to_string(problem.place.line) + ":";
    if (problem.place.line > 0 && problem.place.column > 0) result += std::to_string(problem.place.column) + ":";
    result += " ";
  }
  result += problem.message;
  if (!problem.remedy.empty()) result += " " + problem.remedy;
  return result;
}

namespace {

std::string joined(const std::vector<Problem>& problems) {
  std::string result;
  for (const Problem& problem : problems) {
    if (!result.empty()) result += "\n";
    result += text(problem);
  }
  return result;
}

}  // namespace

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

InputError::InputError(std::string message, std::string remedy)
    : InputError(std::vector{Problem{{}, std::move(message), std::move(remedy)}}) {}

}  // namespace koppla::core
