#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "koppla/native/two_mass_oscillator.hpp"

namespace koppla::native {

/// What a run can be compared with. One thread at a time may use an instance.
class ExactSolution {
 public:
  ExactSolution() = default;
  virtual ~ExactSolution() = default;
  ExactSolution(const ExactSolution&) = delete;
  ExactSolution& operator=(const ExactSolution&) = delete;

  [[nodiscard]] virtual const std::vector<std::string>& names() const = 0;
  /// One value for each name at time t (s).
  virtual void values(double t, std::span<double> y) const = 0;
};

/// y = C z, z' = A z, at any time before or after its start. It can start anew from any state: local errors are
/// measured against the exact solution through the last computed point (Schmoll 2.5.2).
class LinearSolution : public ExactSolution {
 public:
  [[nodiscard]] virtual std::vector<double> state(double t) const = 0;
  /// The values at t of the solution that has the state z0 at t0.
  virtual void valuesFrom(double t0, std::span<const double> z0, double t, std::span<double> y) const = 0;
};

/// z(t0) = z0; matrices as vectors of rows, one row of C for each name. Throws core::InputError where sizes do not fit.
std::unique_ptr<LinearSolution> linearSolution(const std::vector<std::vector<double>>& A,
                                               const std::vector<std::vector<double>>& C, const std::vector<double>& z0,
                                               std::vector<std::string> names, double t0 = 0.0);

/// Of x1, v1, x2, v2, F, with the state z = (x1, v1, x2, v2) of Schmoll (2.3), which is the states of the two parts one
/// after the other. (twoMassOscillator() has its positions first.)
std::unique_ptr<LinearSolution> twoMassSolution(const TwoMassOscillator& parameters = {});

/// Each name's value is a formula of t. Throws core::InputError with all mistakes in them.
std::unique_ptr<ExactSolution> formulaSolution(const std::map<std::string, std::string>& formulas);

}  // namespace koppla::native
