#include "koppla/native/detail/names.hpp"

#include <unordered_set>

#include <fmt/format.h>

namespace koppla::native::detail {

std::vector<core::Problem> nameProblems(const std::string& model, const std::vector<std::string>& names) {
  std::vector<core::Problem> problems;
  std::unordered_set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty())
      problems.push_back({{}, model + ": a name is empty.", "Give every port and state a name."});
    else if (!seen.insert(name).second)
      problems.push_back({{}, fmt::format("{}: the name '{}' is used twice.", model, name), "Rename one of the two."});
  }
  return problems;
}

}  // namespace koppla::native::detail
