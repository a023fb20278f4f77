#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "koppla/coupling/network.hpp"

/// Steps of members whose inputs are held: the hot path of explicit coupling, in line in the loop over steps.
namespace koppla::coupling {

namespace detail {

/// The magnitude as an integer, the sign shifted out: larger for larger ones, and largest for what is not a number.
/// Unlike the number itself, one to compare with stays in a register across calls.
inline std::uint64_t magnitudeOf(double value) {
  return std::bit_cast<std::uint64_t>(value) << 1U;
}

constexpr unsigned kBoundShift = 48;  ///< 11 bits of the exponent and 5 more are left

/// What a bound of a few bits stands for: no more than was meant, so that nothing passes that should not.
inline std::uint64_t limitOf(std::uint16_t bound) {
  return std::uint64_t{bound} << kBoundShift;
}

inline bool bounded(std::span<const double> values, std::uint64_t limit) {
  for (const double value : values)
    if (magnitudeOf(value) > limit) [[unlikely]]
      return false;
  return true;
}

}  // namespace detail

inline void Network::gatherReals(std::uint32_t begin, std::uint32_t end) {
  double* const u = u_.data();
  const double* const y = y_.data();
  const std::uint32_t* const sources = sources_.data();
  for (std::uint32_t i = begin; i < end; ++i) u[i] = y[sources[i]];
}

/// Steps of a block, one after the other: what they share is looked up once, since the compiler must assume that a
/// subsystem changes any member of the network. Valid until the network's arrays change.
class HeldSweep {
 public:
  HeldSweep(Network& network, Block block, Form form)
      : network_(network),
        entries_(network.entries_.data() + block.first, network.entries_.data() + block.last),
        us_(network.u_.data()),
        ys_(network.y_.data()),
        sources_(network.sources_.data()),
        inSequence_(form == Form::sequence) {}

  Fault operator()(const subsystem::Step& step) const {
    if (inSequence_) return sweep<true>(step);
    if (entries_.empty()) return {};
    // Inputs of neighbours are neighbours: one pass gathers them all.
    const std::uint32_t end = entries_.back().uBegin + entries_.back().uCount;
    for (std::uint32_t i = entries_.front().uBegin; i < end; ++i) us_[i] = ys_[sources_[i]];
    if (network_.anySpecial_) [[unlikely]]
      for (const Network::Entry& entry : entries_) network_.gatherSpecial(positionOf(entry));
    return sweep<false>(step);
  }

 private:
  [[nodiscard]] std::size_t positionOf(const Network::Entry& entry) const {
    return static_cast<std::size_t>(&entry - network_.entries_.data());
  }

  template <bool kInSequence>
  Fault sweep(const subsystem::Step& step) const {
    for (Network::Entry& entry : entries_) {
      if constexpr (kInSequence) {
        double* const to = us_ + entry.uBegin;
        const std::uint32_t* const from = sources_ + entry.uBegin;
        for (std::size_t i = 0; i < entry.uCount; ++i) to[i] = ys_[from[i]];
        if (entry.special) [[unlikely]]
          network_.gatherSpecial(positionOf(entry));
      }
      const std::span<double> y(ys_ + entry.yBegin, entry.yCount);
      const subsystem::Trajectory u{us_ + entry.uBegin, entry.uCount};
      subsystem::StepResult result;
      if (entry.untimed != 0) [[likely]] {
        --entry.untimed;
        result = entry.subsystem->advance(step, u, y);
      } else {
        result = network_.advanceTimed(positionOf(entry), step, u, y);
      }
      if (result.status >= subsystem::Status::discard) [[unlikely]]
        return Network::faultOf(positionOf(entry), result.status, result.reached);
      if (!detail::bounded(y, detail::limitOf(entry.bound))) [[unlikely]]
        if (const Fault fault = network_.beyondBound(positionOf(entry), y)) return fault;
    }
    return {};
  }

  Network& network_;
  std::span<Network::Entry> entries_;
  double* us_;
  double* ys_;
  const std::uint32_t* sources_;
  bool inSequence_;
};

}  // namespace koppla::coupling
