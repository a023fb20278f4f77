#pragma once

#include <span>

namespace koppla::coupling {

/// How fast values that go round an algebraic loop grow from step to step, however short the steps are: the largest |L|
/// with L^(p+1) = gamma sum_i (-1)^i C(p+1, i+1) L^(p-i) over the eigenvalues gamma of the loop's gain per step, a
/// square matrix row by row (Schmoll, sec. 2.5.1; the extrapolated value has these coefficients on an equidistant
/// grid). Below 1 the loop is zero-stable.
double growthPerStep(std::span<const double> gain, unsigned degree);

}  // namespace koppla::coupling
