#include "koppla/core/suggest.hpp"

#include <algorithm>
#include <vector>

namespace koppla::core {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Edit distance after Damerau (optimal string alignment), blind to ASCII case: a swap of neighbours counts as one
/// slip.
class Distance {
 public:
  /// Exact up to `most`, above it whatever is more. Only the band of the table that can hold so little is filled in
  /// (Ukkonen), and its rows are reused: a large project may have thousands of names, all of them mistyped. What lies
  /// right of the band still holds tooMuch.
  std::size_t operator()(std::string_view a, std::string_view b, std::size_t most) {
    const std::size_t tooMuch = most + 1;
    if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) return tooMuch;
    for (std::vector<std::size_t>* row : {&beforeLast_, &last_, &current_}) row->assign(b.size() + 1, tooMuch);
    for (std::size_t j = 0; j <= std::min(b.size(), most); ++j) last_[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      const std::size_t from = i > most ? i - most : 1;
      const std::size_t to = std::min(b.size(), i + most);
      current_[from - 1] = from == 1 ? i : tooMuch;
      for (std::size_t j = from; j <= to; ++j) {
        const bool same = lower(a[i - 1]) == lower(b[j - 1]);
        current_[j] = std::min({last_[j] + 1, current_[j - 1] + 1, last_[j - 1] + (same ? 0U : 1U)});
        if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
          current_[j] = std::min(current_[j], beforeLast_[j - 2] + 1);
      }
      std::swap(beforeLast_, last_);
      std::swap(last_, current_);
    }
    return last_[b.size()];
  }

 private:
  std::vector<std::size_t> beforeLast_;
  std::vector<std::size_t> last_;
  std::vector<std::size_t> current_;
};

}  // namespace

std::string nearest(std::string_view typed, std::span<const std::string> candidates) {
  constexpr std::size_t kMaxCandidates = 20000;  // large FMUs have more variables than a suggestion is worth
  const std::size_t accepted = std::max<std::size_t>(1, typed.size() / 3);
  Distance distance;
  std::string best;
  std::size_t bestDistance = accepted + 1;
  for (const std::string& candidate : candidates.first(std::min(candidates.size(), kMaxCandidates))) {
    if (bestDistance == 0) break;
    const std::size_t d = distance(typed, candidate, bestDistance - 1);
    if (d < bestDistance) {
      bestDistance = d;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view typed, std::span<const std::string> candidates) {
  if (candidates.empty()) return {};
  if (const std::string best = nearest(typed, candidates); !best.empty()) return "Did you mean '" + best + "'?";
  constexpr std::size_t kShown = 12;
  std::string result = "Known here: ";
  for (std::size_t i = 0; i < std::min(kShown, candidates.size()); ++i) {
    if (i > 0) result += ", ";
    result += candidates[i];
  }
  if (candidates.size() > kShown) result += ", ... (" + std::to_string(candidates.size()) + " in all)";
  return result + ".";
}

}  // namespace koppla::core
