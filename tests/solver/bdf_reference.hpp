#pragma once

#include <cstdint>
#include <vector>

#include "koppla/solver/settings.hpp"
#include "koppla/subsystem/subsystem.hpp"

#include "questions.hpp"

namespace koppla::solver::test {

/// The variable steps of docs/integrators.md, `bdf`, written down once more: on points with their times, with
/// Lagrange's polynomials as they are defined and every matrix solved anew. It keeps what it has asked.
class BdfReference {
 public:
  BdfReference(Derivatives f, std::vector<double> x0, IntegratorSettings settings);

  /// One accepted step from where it stands towards t = end; answers where it stands then.
  double step(double end);
  [[nodiscard]] const std::vector<double>& states() const { return points_.front().x; }
  [[nodiscard]] const std::vector<Question>& questions() const { return questions_; }
  [[nodiscard]] const subsystem::Effort& effort() const { return effort_; }

 private:
  using Vector = std::vector<double>;
  enum class Ending : std::uint8_t { converged, slow };

  Vector rates(double t, const Vector& x);
  [[nodiscard]] double norm(const Vector& difference, const Vector& x) const;
  /// Of the polynomial through the newest degree + 1 points at t.
  [[nodiscard]] Vector extrapolated(double t, unsigned degree) const;
  [[nodiscard]] bool isStartingUp() const { return given_ > 0 && !rising_ && points_.size() <= given_; }
  void begin(double length);
  void rise();
  bool explicitStep(double h);
  bool attempt(double h);
  bool corrected(double t);
  Ending iterate(double t, double alpha, const Vector& rest, bool wanted);
  void linearise(double t, const Vector& slopes);
  bool judgeGivenOrder(double error, double h);
  bool judgeAnyOrder(double error, double h);
  void chooseOrder(double error, double h);
  [[nodiscard]] double errorOf(unsigned order) const;

  Derivatives f_;
  IntegratorSettings settings_;
  std::vector<Question> points_;  ///< newest first
  std::vector<Question> questions_;
  subsystem::Effort effort_;
  Vector x_, predicted_, tangent_;  ///< of the attempt
  double t_ = 0.0;                  ///< its end, s
  double h_ = 0.0;
  unsigned given_;
  unsigned order_ = 0, since_ = 0, failed_ = 0;
  bool started_ = false, rising_ = false;
  Rows jacobian_;
  bool known_ = false;
  unsigned age_ = 0;
  double factored_ = 0.0;  ///< alpha of the matrix in use
};

}  // namespace koppla::solver::test
