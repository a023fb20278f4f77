#pragma once

namespace koppla::run {

/// The lengths of steps behind an instant before which no values are known, for polynomials of degree p: 2p steps of
/// length H/2^m, then p of each twice as long as those before, up to H/2. They end p macro steps H behind the instant
/// and meet all communication points in between:
///
///     the steps of length h = H/2^j end at all multiples of h in (p h, 2 p h], from 0 on those of H/2^m
///
/// The degree rises with the first p steps, which cost an error O((H/2^m)^2). Extrapolation over twice the distance of
/// its samples stays tame because p of the longer ones follow: its weights add up to at most 444 for p = 5, where steps
/// of one length have 63 and lengths that double with every step have 1.5e5.
class ShortSteps {
 public:
  ShortSteps() = default;  ///< none at all
  /// From `begin` (s) on; macro steps of `length` (s) are halved so many times.
  ShortSteps(double begin, double length, unsigned degree, unsigned halvings);

  [[nodiscard]] bool done() const { return halvings_ == 0; }
  // While there are steps left:
  [[nodiscard]] double next() const;  ///< s, end of the next one
  [[nodiscard]] bool endsMacroStep() const { return (taken_ + 1) % (1U << halvings_) == 0; }
  void take();

 private:
  double begin_ = 0.0;
  double length_ = 0.0;
  unsigned degree_ = 0;
  unsigned halvings_ = 0;
  unsigned taken_ = 0;  ///< steps of the present length from the beginning to where they stand
};

/// m for macro steps of that length (s) behind t (s).
[[nodiscard]] unsigned halvings(unsigned degree, double length, double t);

}  // namespace koppla::run
