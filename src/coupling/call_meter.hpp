#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace koppla::coupling {

/// Counts calls exactly and estimates the time spent in them. Two clock reads cost as much as ten small FMI calls, so
/// cheap calls are timed by sampling: the first ones, then one in 1024; expensive ones are always timed. What a timed
/// call took counts once; only cheap samples stand for the calls between them, so that one sample that met an
/// interruption of the process does not stand for a thousand.
///
/// All that an untimed call touches is a countdown, which may live elsewhere, next to other hot data.
class CallMeter {
 public:
  /// Untimed calls that are left before the next timed one.
  using Countdown = std::uint32_t;

  /// Calls that contain others are sampled in another rhythm than those, so that they do not time the clock reads
  /// inside.
  static constexpr Countdown kInnerRhythm = 1023;
  static constexpr Countdown kOuterRhythm = 996;  // with the timed call a prime number
  explicit CallMeter(Countdown betweenSamples = kInnerRhythm) : betweenSamples_(betweenSamples) {}

  /// Any call: times it where it is its turn.
  template <class Call>
  auto run(Countdown& countdown, Call&& call) {
    if (countdown == 0) [[unlikely]]
      return measure(countdown, call);
    --countdown;
    return call();
  }

  /// A call whose turn it is to be timed; for the others the caller counts down. Out of line, so that those stay short.
  template <class Call>
  [[gnu::noinline, gnu::cold]] auto measure(Countdown& countdown, Call&& call) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = call();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    countdown = note(std::max(0.0, taken.count() - clockSeconds()));
    return result;
  }

  [[nodiscard]] std::uint64_t count(Countdown countdown) const { return granted_ - countdown; }
  [[nodiscard]] double seconds(Countdown countdown) const {
    const double perUntimed = cheap_ > 0 ? cheapSeconds_ / static_cast<double>(cheap_) : leastSeconds_;
    const std::uint64_t untimed = count(countdown) - timed_;
    return untimed == 0 ? timedSeconds_ : timedSeconds_ + perUntimed * static_cast<double>(untimed);
  }

 private:
  static constexpr std::uint64_t kFirst = 16;
  static constexpr double kExpensive = 5e-6;  // s; two clock reads are then below 1 %

  /// What two reads of the clock cost by themselves, which would otherwise dominate the time of a cheap call.
  static double clockSeconds() {
    static const double seconds = [] {
      double least = 1.0;
      for (int i = 0; i < 100; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      }
      return least;
    }();
    return seconds;
  }

  /// Takes the time of a call; returns how many untimed ones may follow.
  Countdown note(double seconds) {
    const bool expensive = seconds > kExpensive;
    ++timed_;
    timedSeconds_ += seconds;
    leastSeconds_ = std::min(leastSeconds_, seconds);
    if (timed_ > kFirst && !expensive) {  // the first ones met cold caches
      ++cheap_;
      cheapSeconds_ += seconds;
    }
    const Countdown untimed = timed_ < kFirst || expensive ? 0 : betweenSamples_;
    granted_ += 1 + untimed;
    return untimed;
  }

  Countdown betweenSamples_;
  std::uint64_t granted_ = 0;  ///< calls up to the next timed one
  std::uint64_t timed_ = 0;
  double timedSeconds_ = 0.0;
  double leastSeconds_ = HUGE_VAL;
  std::uint64_t cheap_ = 0;  ///< timed ones that stand for others
  double cheapSeconds_ = 0.0;
};

/// What a meter says whose countdown lives elsewhere.
class MeterReading {
 public:
  MeterReading(const CallMeter& meter, CallMeter::Countdown countdown) : meter_(meter), countdown_(countdown) {}
  [[nodiscard]] std::uint64_t count() const { return meter_.count(countdown_); }
  [[nodiscard]] double seconds() const { return meter_.seconds(countdown_); }

 private:
  const CallMeter& meter_;
  CallMeter::Countdown countdown_;
};

/// A meter with its own countdown, where calls are not that many.
class CallCounter {
 public:
  template <class Call>
  auto measure(Call&& call) {
    return meter_.run(countdown_, call);
  }
  /// Calls of which a few are long in a way that sampling misses: `apart()` is the time of those parts so far, s, which
  /// somebody else measures.
  template <class Apart, class Call>
  auto measureApartFrom(Apart&& apart, Call&& call) {
    if (countdown_ > 0) return meter_.run(countdown_, call);
    const double before = apart();
    auto result = meter_.run(countdown_, call);
    apartInTimed_ += apart() - before;
    return result;
  }
  [[nodiscard]] std::uint64_t count() const { return meter_.count(countdown_); }
  [[nodiscard]] double seconds() const { return meter_.seconds(countdown_); }
  /// With all of those parts, each counted once.
  [[nodiscard]] double secondsWith(double apart) const { return seconds() + std::max(0.0, apart - apartInTimed_); }

 private:
  CallMeter meter_{CallMeter::kOuterRhythm};
  CallMeter::Countdown countdown_ = 0;
  double apartInTimed_ = 0.0;
};

}  // namespace koppla::coupling
