#include "koppla/coupling/fit_errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "koppla/subsystem/micro_steps.hpp"

namespace koppla::coupling {

namespace {

using subsystem::Trajectory;
using subsystem::TrajectoryPieces;

using Coefficients = std::array<double, subsystem::kMaxDegree + 1>;

Coefficients coefficientsOf(std::size_t value, const Courses& courses) {
  Coefficients coefficients{};
  for (unsigned k = 0; k <= courses.degree; ++k) coefficients.at(k) = courses.powers[k * courses.values + value];
  return coefficients;
}

/// The largest distance to the fit of one piece.
double lost(const Coefficients& course, unsigned degree, TrajectoryPieces& pieces, double begin, double length) {
  constexpr int kPoints = 4;
  const Trajectory whole{course.data(), 1, degree};
  const Trajectory fit = pieces.cut(whole, begin, length);
  double largest = 0.0;
  for (int i = 0; i <= kPoints; ++i) {
    const double sigma = static_cast<double>(i) / kPoints;
    largest = std::fmax(largest, std::fabs(whole.value(0, begin + length * sigma) - fit.value(0, sigma)));
  }
  return largest;
}

}  // namespace

FitErrors::FitErrors(Network& network) {
  for (std::size_t position = 0; position < network.size(); ++position) {
    const auto& fitted = network.subsystem(position).describe().capabilities.fitted;
    if (!fitted || network.isStatic(position)) continue;
    Fit fit{position, fitted->piece, TrajectoryPieces(1, fitted->degree), network.sourcesOf(position), {}};
    fit.records.resize(fit.values.size());
    fits_.push_back(std::move(fit));
  }
}

void FitErrors::add(double t1, double length, const Courses& courses) {
  ++steps_;
  for (Fit& fit : fits_) {
    const double piece = 1.0 / static_cast<double>(subsystem::microStepsIn(length, fit.piece));
    for (std::size_t i = 0; i < fit.values.size(); ++i) {
      const Coefficients course = coefficientsOf(fit.values[i], courses);
      const double first = lost(course, courses.degree, fit.pieces, 0.0, piece);
      const double last = lost(course, courses.degree, fit.pieces, 1.0 - piece, piece);
      fit.records[i].add(t1, std::fmax(first, last));
    }
  }
}

const ErrorRecord* FitErrors::of(std::size_t position, std::size_t value) const {
  const auto fit = std::ranges::find(fits_, position, &Fit::position);
  if (fit == fits_.end()) return nullptr;
  const auto found = std::ranges::find(fit->values, value);
  return found == fit->values.end() ? nullptr : &fit->records[static_cast<std::size_t>(found - fit->values.begin())];
}

}  // namespace koppla::coupling
