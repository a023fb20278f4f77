#include "koppla/coupling/sizes.hpp"

#include <algorithm>

namespace koppla::coupling {

Sizes::Sizes(const Network& network, std::vector<std::size_t> values)
    : values_(std::move(values)), ports_(portsAmong(network, values_)), shown_(values_.size()) {
  for (const std::size_t value : values_) sizes_.push_back(network.outputName(value).nominal);
  for (std::size_t p = 0; p < ports_.size(); ++p)
    portOf_.insert(portOf_.end(), ports_[p].last - ports_[p].first, static_cast<std::uint32_t>(p));
}

std::vector<double> startSizes(const Network& network, std::span<const std::size_t> values) {
  Sizes sizes(network, {values.begin(), values.end()});
  std::vector<double> present;
  for (const std::size_t value : values) present.push_back(network.outputs()[value]);
  sizes.show(present);
  return {sizes.all().begin(), sizes.all().end()};
}

double Sizes::of(std::size_t value) const {
  const auto place = std::ranges::lower_bound(values_, value);
  return sizes_[static_cast<std::size_t>(place - values_.begin())];
}

double Sizes::shown(Block port) const {
  return std::ranges::max(std::span(shown_).subspan(port.first, port.last - port.first));
}

/// What depends on sizes is renewed with every change, so they follow at a distance.
void Sizes::grow(std::size_t i, double magnitude) {
  constexpr double kNotable = 1.1;
  shown_[i] = magnitude;
  if (!(magnitude > kNotable * sizes_[i])) return;
  const Block port = ports_[portOf_[i]];
  for (std::size_t k = port.first; k < port.last; ++k) sizes_[k] = magnitude;
  ++version_;
}

}  // namespace koppla::coupling
