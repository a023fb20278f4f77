#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "koppla/coupling/network.hpp"

namespace koppla::coupling {

/// How large some outputs of the network usually are: the largest of the nominal value that was declared, the value at
/// the start and what accepted steps have shown. A port of many values has one size for all of them.
class Sizes {
 public:
  Sizes(const Network& network, std::vector<std::size_t> values);

  /// Values as they are at the start or after an accepted step. Called in every step: a value that keeps growing costs
  /// no more than others.
  void show(std::span<const double> present) {
    bool grows = false;
    for (std::size_t i = 0; i < present.size(); ++i) {
      const double magnitude = std::fabs(present[i]);
      shown_[i] = std::max(shown_[i], magnitude);
      grows |= magnitude > notable_[i];
    }
    if (grows) [[unlikely]]
      grow();
  }

  /// One each, in the order of the values.
  [[nodiscard]] std::span<const double> all() const { return sizes_; }
  [[nodiscard]] double of(std::size_t value) const;
  /// Whether changes are rounding beside the largest of these values: what they were computed from may cancel.
  [[nodiscard]] bool hide(double largestChange) const {
    constexpr double kRounding = 1e-13;
    return !sizes_.empty() && largestChange <= kRounding * std::ranges::max(sizes_);
  }
  /// The largest magnitude that values of a port were seen with, by their places.
  [[nodiscard]] double shown(Block port) const;
  /// Which outputs belong to one port each, as places.
  [[nodiscard]] const std::vector<Block>& ports() const { return ports_; }
  /// Changes whenever a size does.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  [[gnu::noinline, gnu::cold]] void grow();
  void setSize(Block port, double size);

  std::vector<std::size_t> values_;
  std::vector<Block> ports_;
  std::vector<double> shown_;
  std::vector<double> notable_;  ///< from where on a magnitude changes the size
  std::vector<double> sizes_;
  std::uint64_t version_ = 0;
};

/// Before anything was solved: sizes by what values are declared to be and begin with.
std::vector<double> startSizes(const Network& network, std::span<const std::size_t> values);

}  // namespace koppla::coupling
