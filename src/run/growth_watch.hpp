#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/network.hpp"
#include "koppla/coupling/sizes.hpp"
#include "koppla/coupling/system.hpp"

namespace koppla::run {

/// A coupled value that keeps growing beyond what it regularly is.
struct Growth {
  std::size_t value;    ///< index of the network's outputs
  double regular;       ///< its regular size
  double factor;        ///< how much it has grown while it was under suspicion ...
  std::uint64_t steps;  ///< ... in so many accepted steps
  unsigned swings;      ///< how often it turned round meanwhile
  [[nodiscard]] double perStep() const;
};

/// How long values under suspicion are watched.
struct Patience {
  double further;  ///< they have to grow by this factor once more
  /// in at most so many times the time that they took to come under suspicion, and not less than some steps: what grows
  /// exponentially needs log(further) / log(kRegular) times as much, less if it came out of rounding; powers of time
  /// need more.
  double pace;
};

/// Looks for values that run away: those that others in their closed cycle depend on, since nothing else can be
/// unstable by coupling. Their *regular size* is the largest of nominal value, value at the start (the first one that
/// is not 0) and what they had when they last came to rest. Beyond 100 times of it a value is under suspicion; if it
/// goes on growing at that pace, that is a Growth for somebody to judge. A value that gets slower is at home there.
///
/// The network's bounds are the tripwire, one per member; see() looks at every value exactly.
class GrowthWatch {
 public:
  static constexpr double kRegular = 100.0;
  /// Where the growth can be checked by repeating it, and where it cannot.
  static constexpr Patience kChecked{4.0, 0.5};
  static constexpr Patience kUnchecked{100.0, 1.5};

  GrowthWatch(coupling::Network& network, const coupling::System& system, const std::vector<coupling::Cycle>& cycles,
              Patience patience);

  /// The network's outputs hold the values at the start, t (s). From now on `notice` becomes true where judge() should
  /// be asked.
  void begin(double t, std::atomic<bool>& notice);
  /// Looks at the values of an accepted step to t (s).
  void see(double t);
  /// Whether every step is to be seen.
  [[nodiscard]] bool isSuspicious() const { return suspicion_.has_value(); }
  /// So many steps are accepted, the last one to t (s): what keeps growing, if anything does.
  std::optional<Growth> judge(double t, std::uint64_t steps);
  /// What values are now, at t (s), is regular.
  void settle(double t);
  /// The same, and nobody can check what follows.
  void settleUnchecked(double t);
  /// Present values over their regular sizes: the largest.
  [[nodiscard]] double largestRatio() const { return mostGrown().ratio; }
  /// Takes the tripwire away, until values settle or for ever.
  void rest();

 private:
  struct Grown {
    double ratio = 0.0;
    std::size_t place = 0;  ///< in values_
  };
  struct Suspicion {
    Grown first;
    std::uint64_t steps;  ///< accepted until then
    double until;         ///< s, when it is dropped, but not before the second step
    double swingsUntil;   ///< s, the same where it turns back, as what oscillates does before it is larger still
    unsigned swings = 0;
    double last = 0.0;
    bool rising = true;
  };

  [[nodiscard]] Grown mostGrown() const;
  void suspect(const Grown& grown, double t, std::uint64_t steps);
  void follow(double t);
  void keepPeaks();
  [[nodiscard]] bool isOver(double t, std::uint64_t steps) const;
  void measureNewcomers(double t);
  void setLimits(double factor);
  void setBounds();
  void liftBounds();

  coupling::Network& network_;
  std::vector<std::size_t> values_;  ///< indices of the network's outputs
  coupling::Sizes sizes_;
  Patience patience_;
  std::vector<double> limits_;      ///< by place in values_
  std::vector<double> bounds_;      ///< by position
  std::vector<double> allowances_;  ///< by position: of what is not watched, and of iterates
  std::atomic<bool>* notice_ = nullptr;
  double factor_ = kRegular;
  double calmSince_ = 0.0;        ///< s
  std::vector<double> appeared_;  ///< s, by place: when it was first seen to be no longer 0
  std::optional<Suspicion> suspicion_;
  std::vector<double> peaks_;  ///< magnitudes since the last settlement that were noticed, by place
};

}  // namespace koppla::run
