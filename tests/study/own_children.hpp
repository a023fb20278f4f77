#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

namespace koppla::test {

/// The processes that this thread has started and not yet buried; nothing where the system does not tell.
inline std::optional<std::vector<pid_t>> ownChildren() {
  std::ifstream file("/proc/self/task/" + std::to_string(::gettid()) + "/children");
  if (!file) return std::nullopt;
  std::vector<pid_t> children;
  for (pid_t id = 0; file >> id;) children.push_back(id);
  return children;
}

/// How many there are.
inline std::size_t countOfOwnChildren() {
  const std::optional<std::vector<pid_t>> children = ownChildren();
  return children ? children->size() : 0;
}

}  // namespace koppla::test
