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

template <bool kInSequence>
inline Fault Network::sweep(Block block, const subsystem::Step& step) {
  // Locals, since the compiler must assume that a subsystem changes any member.
  Entry* const entries = entries_.data();
  double* const us = u_.data();
  double* const ys = y_.data();
  const std::uint32_t* const sources = sources_.data();
  const std::uint64_t limit = detail::magnitudeOf(explosionLimit_);
  const auto position = [this](const Entry& entry) { return static_cast<std::size_t>(&entry - entries_.data()); };
  for (Entry& entry : std::span(entries + block.first, entries + block.last)) {
    if constexpr (kInSequence) {
      double* const to = us + entry.uBegin;
      const std::uint32_t* const from = sources + entry.uBegin;
      for (std::size_t i = 0; i < entry.uCount; ++i) to[i] = ys[from[i]];
      if (entry.special) [[unlikely]]
        gatherSpecial(position(entry));
    }
    const std::span<double> y(ys + entry.yBegin, entry.yCount);
    const subsystem::Trajectory u{us + entry.uBegin, entry.uCount};
    subsystem::StepResult result;
    if (entry.untimed != 0) [[likely]] {
      --entry.untimed;
      result = entry.subsystem->advance(step, u, y);
    } else {
      result = advanceTimed(position(entry), step, u, y);
    }
    if (result.status >= subsystem::Status::discard) [[unlikely]]
      return faultOf(position(entry), result.status, result.reached);
    if (!detail::bounded(y, limit)) [[unlikely]]
      return explodedAt(position(entry));
  }
  return {};
}

inline Fault Network::advanceHeld(Block block, const subsystem::Step& step, Form form) {
  if (form == Form::sequence) return sweep<true>(block, step);
  if (block.first == block.last) return {};
  // Inputs of neighbours are neighbours: one pass gathers them all.
  gatherReals(entries_[block.first].uBegin, entries_[block.last - 1].uBegin + entries_[block.last - 1].uCount);
  if (anySpecial_)
    for (std::size_t position = block.first; position < block.last; ++position) gatherSpecial(position);
  return sweep<false>(block, step);
}

}  // namespace koppla::coupling
