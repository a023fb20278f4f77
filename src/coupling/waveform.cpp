#include "koppla/coupling/waveform.hpp"

#include <algorithm>
#include <utility>

namespace koppla::coupling {

Waveform::Waveform(std::size_t values, unsigned points, unsigned degree, std::vector<std::size_t> held)
    : values_(values), spline_(points, degree), held_(std::move(held)) {
  samples_.resize((points + std::size_t{1}) * values_);
  powers_.resize(static_cast<std::size_t>(points) * (spline_.degree() + 1) * values_);
}

void Waveform::begin(std::span<const double> y) {
  for (unsigned point = 0; point <= points(); ++point) std::ranges::copy(y, at(point).begin());
  std::ranges::fill(powers_, 0.0);
  for (unsigned piece = 0; piece < points(); ++piece) std::ranges::copy(y, power(piece, 0));
}

void Waveform::fit(Block block) {
  for (unsigned piece = 0; piece < points(); ++piece)
    for (unsigned k = 0; k <= spline_.degree(); ++k) {
      double* const out = power(piece, k);
      std::fill(out + block.first, out + block.last, 0.0);
      for (unsigned point = 0; point <= points(); ++point) {
        const double weight = spline_.weight(piece, k, point);
        if (weight == 0.0) continue;
        const double* const sample = at(point).data();
        for (std::size_t v = block.first; v < block.last; ++v) out[v] += weight * sample[v];
      }
    }
  for (const std::size_t value : held_) {
    if (value < block.first || value >= block.last) continue;
    for (unsigned piece = 0; piece < points(); ++piece) {
      power(piece, 0)[value] = at(piece + 1)[value];
      for (unsigned k = 1; k <= spline_.degree(); ++k) power(piece, k)[value] = 0.0;
    }
  }
}

}  // namespace koppla::coupling
