#include "koppla/coupling/sizes.hpp"

#include <algorithm>

namespace koppla::coupling {

namespace {

// Tolerances of smaller values would have no digits, or be zero: doubles end at 5e-324.
constexpr double kLeastWithDigits = 1e-290;

}  // namespace

Sizes::Sizes(const Network& network, std::vector<std::size_t> values)
    : values_(std::move(values)),
      ports_(portsAmong(network, values_)),
      shown_(values_.size()),
      notable_(values_.size()),
      sizes_(values_.size()) {
  for (const Block port : ports_) setSize(port, network.outputName(values_[port.first]).nominal);
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

void Sizes::grow() {
  for (const Block port : ports_)
    if (const double magnitude = shown(port); magnitude > notable_[port.first])
      setSize(port, std::max(magnitude, kLeastWithDigits));
  ++version_;
}

/// What depends on sizes is renewed with every change, so they follow at a distance.
void Sizes::setSize(Block port, double size) {
  constexpr double kNotable = 1.1;
  for (std::size_t i = port.first; i < port.last; ++i) {
    sizes_[i] = size;
    notable_[i] = kNotable * size;
  }
}

}  // namespace koppla::coupling
