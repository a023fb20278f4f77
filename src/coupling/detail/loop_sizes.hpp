#pragma once

#include <vector>

#include <Eigen/Core>

namespace koppla::coupling::detail {

/// What values z of a loop are measured by while it is solved: how large they are and will be after a change. Where
/// nothing tells, by the largest of the others, for want of anything better.
std::vector<double> unitsAt(const Eigen::VectorXd& z, const Eigen::VectorXd& change, std::vector<double> sizes);

/// Terms may cancel: y = 0.5 (-2) + 1 is no more exact than 1 is. By the derivatives J the answers x consist of J z
/// and a rest; what they lose comes back in the solution by (I - J)^-1.
struct LoopRounding {
  Eigen::VectorXd ofAnswers;
  Eigen::VectorXd ofSolution;

  /// At z, where the answers are z + r.
  LoopRounding(const Eigen::MatrixXd& derivatives, const Eigen::VectorXd& z, const Eigen::VectorXd& r);
};

/// Sizes so large that tolerances by them are not below rounding.
std::vector<double> notBelow(const Eigen::VectorXd& rounding, double rtol, std::vector<double> sizes);

}  // namespace koppla::coupling::detail
