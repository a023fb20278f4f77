#pragma once

#include <memory>

#include "koppla/coupling/interface_problem.hpp"
#include "koppla/coupling/settings.hpp"

namespace koppla::coupling {

/// How the solution of one cycle over one step ended.
struct Solution {
  bool converged = true;
  unsigned evaluations = 0;  ///< of the whole cycle, Jacobians not counted
  unsigned jacobians = 0;
  double norm = 0.0;  ///< of the last difference between sent and answered; converged at <= 1
  Fault fault;
};

/// Solves one cycle over one step. One object per cycle, so it may remember what helps the next step (a Jacobian, a
/// history); only accept() changes what it learned from values, since a solved step may still be rejected.
class Algorithm {
 public:
  Algorithm() = default;
  virtual ~Algorithm() = default;
  Algorithm(const Algorithm&) = delete;
  Algorithm& operator=(const Algorithm&) = delete;

  /// `problem` has begun. Untested: one evaluation is enough, whatever the residual.
  virtual Solution solve(InterfaceProblem& problem, bool untested) = 0;
  /// The step that was solved last is kept.
  virtual void accept(const InterfaceProblem& problem) = 0;
};

/// Repeats the evaluation with the answers until they stay (iterated Gauss-Seidel in sequence, iterated Jacobi in
/// parallel form; Nicolai, sec. 5.3).
std::unique_ptr<Algorithm> fixedPoint(const AlgorithmSettings& settings);

/// Newton's method on the cut: (I - d answered / d sent) correction = answered - sent.
std::unique_ptr<Algorithm> newton(const AlgorithmSettings& settings);

}  // namespace koppla::coupling
