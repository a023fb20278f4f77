#pragma once

#include <optional>

namespace koppla::coupling {

/// The iteration on a single value u with answers F(u) and residual r = F(u) - u. With the slope g = dF/du between the
/// last two evaluations the secant leads to
///
///     u + r / (1 - g)            for g < 1
///
/// For g >= 1 that would lead back to a solution from which plain iteration moves away; the residual's sign says where
/// another one lies, and the way there is taken in steps that grow. Where the residual has changed its sign from plus
/// to minus the solution is enclosed, and no step leaves the interval.
class ScalarSecant {
 public:
  /// A step begins; the slope that the last accepted step ended with is the first guess.
  void begin();
  void accept() { kept_ = slope_; }
  void learn(double sent, double answered);
  [[nodiscard]] double propose();
  /// The last proposal could not be evaluated, or led to values beyond all measure: a shorter one, or, where steps have
  /// grown in vain, the solution from which they fled after all.
  [[nodiscard]] double retreat();

  [[nodiscard]] std::optional<double> slope() const { return slope_; }
  /// Factor on the residual of the last proposal.
  [[nodiscard]] double factor() const { return factor_; }
  /// The last proposal kept away from a solution that repels.
  [[nodiscard]] bool guarded() const { return guarded_; }

 private:
  struct Point {
    double u;
    double r;
  };

  void enclose(const Point& point);
  [[nodiscard]] double inside() const;

  std::optional<Point> last_;
  std::optional<double> slope_;
  std::optional<double> kept_;  ///< slope of the last accepted step
  std::optional<Point> left_;   ///< r > 0 there
  std::optional<Point> right_;  ///< r < 0 there, to the right of left_
  double width_ = 0.0;          ///< of the enclosure when it was last halved
  unsigned sinceHalved_ = 0;
  double move_ = 0.0;  ///< of the last proposal
  double factor_ = 1.0;
  bool guarded_ = false;
  bool gaveIn_ = false;  ///< in this step: steps that grow have led nowhere
};

}  // namespace koppla::coupling
