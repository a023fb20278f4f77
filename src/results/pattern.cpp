#include "koppla/results/pattern.hpp"

#include <algorithm>
#include <cstddef>

namespace koppla::results {

// Only the last star can need more characters than were tried: all before it already stand at their first place that
// fits. So one way back suffices, and the cost is at most the product of the lengths.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t afterStar = 0;  // where in the name the last star's share ends
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      afterStar = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++afterStar;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool matchesAny(std::span<const std::string> patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [name](const std::string& pattern) { return matches(pattern, name); });
}

bool isPattern(std::string_view text) {
  return text.find_first_of("*?") != std::string_view::npos;
}

}  // namespace koppla::results
