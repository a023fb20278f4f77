#include "koppla/fmi/findings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace koppla::fmi {

namespace {

constexpr std::size_t kShown = 5;

}  // namespace

void Findings::add(const Rule& rule, Position position, std::string culprit) {
  auto group = std::ranges::find_if(groups_, [&](const Group& g) { return g.rule.broken == rule.broken; });
  if (group == groups_.end()) group = groups_.insert(group, Group{rule, position, {}, 0});
  ++group->count;
  if (!culprit.empty() && group->culprits.size() < kShown) group->culprits.push_back(std::move(culprit));
}

std::vector<core::Problem> Findings::problems(const std::string& file) const {
  std::vector<core::Problem> result;
  result.reserve(groups_.size());
  for (const Group& group : groups_) {
    std::string message;
    if (!group.rule.section.empty()) message = fmt::format("FMI 2.0.4, {}: ", group.rule.section);
    message += group.rule.broken;
    if (!group.culprits.empty()) {
      message += fmt::format(" ({}", fmt::join(group.culprits, ", "));
      if (group.count > group.culprits.size())
        message += fmt::format(" and {} more", group.count - group.culprits.size());
      message += ")";
    }
    message += ".";
    result.push_back({{file, group.position.line, group.position.column}, message, std::string(group.rule.then)});
  }
  return result;
}

core::InputError inputError(const std::string& file, std::string message, std::string_view remedy, Position position) {
  std::vector<core::Problem> problems;
  problems.push_back({{file, position.line, position.column}, std::move(message), std::string(remedy)});
  return core::InputError(std::move(problems));
}

}  // namespace koppla::fmi
