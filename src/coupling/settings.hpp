#pragma once

#include <cstdint>

#include "koppla/core/weighted_norm.hpp"

namespace koppla::coupling {

enum class AlgorithmKind : std::uint8_t { jacobi, gaussSeidel, iteratedJacobi, iteratedGaussSeidel, newton };

using core::Norm;

/// Integers, booleans, strings and enumerations cannot be measured, only compared.
enum class DiscreteTest : std::uint8_t { compare, ignore };

/// What happens to a step whose iteration did not converge, where step control cannot repeat it with a shorter step.
enum class WithoutConvergence : std::uint8_t { stop, accept };

struct AlgorithmSettings {
  AlgorithmKind kind = AlgorithmKind::gaussSeidel;
  unsigned maxIterations = 20;  ///< of iterating algorithms: evaluations of a cycle in one step
  double rtol = 1e-5;
  double atol = 1e-6;
  Norm norm = Norm::rms;
  DiscreteTest discrete = DiscreteTest::compare;
  WithoutConvergence withoutConvergence = WithoutConvergence::stop;

  [[nodiscard]] bool iterates() const { return kind != AlgorithmKind::jacobi && kind != AlgorithmKind::gaussSeidel; }
};

}  // namespace koppla::coupling
