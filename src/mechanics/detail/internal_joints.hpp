#pragma once

#include <span>
#include <string>
#include <vector>

#include <Eigen/Cholesky>

#include "koppla/mechanics/detail/bodies.hpp"

namespace koppla::mechanics::detail {

/// Rigid joints between the bodies of one system, and between them and ground: reactions J^T lambda with given
/// multipliers or with (J M^-1 J^T) lambda = -(g'' without reactions + 2 rate g' + rate^2 g). Rates are those of the
/// states v and omega, so that projection terms of a coupling do not enter (Lu, sec. 3.3.3.4).
class InternalJoints {
 public:
  /// The settings have been checked for names and numbers.
  explicit InternalJoints(const MultibodySettings& settings);

  [[nodiscard]] std::size_t rows() const { return rows_; }

  /// Throws core::InputError where a joint is redundant or does not fit the motions.
  void checkStart(const Bodies& bodies, std::span<const Motion> motions);
  /// Adds what the reactions do to the accelerations, which are those of the applied loads.
  void react(const Bodies& bodies, std::span<Motion> motions);
  /// The same with given multipliers, one per row.
  void react(std::span<const double> lambda, const Bodies& bodies, std::span<Motion> motions);
  /// Of the last react(), one per row.
  [[nodiscard]] std::span<const double> multipliers() const { return {lambda_.data(), rows_}; }
  /// Adds M^-1 J^T mu, in the pose of the last react().
  void addProjection(std::span<const double> mu, const Bodies& bodies, std::span<Loads> projection) const;
  /// g, g' or g'' of all rows.
  void defects(Level level, std::span<const Motion> motions, std::span<double> g) const;

 private:
  struct Entry {
    std::string name;
    JointEquations equations;
    std::size_t first;   ///< body, or kGround
    std::size_t second;  ///< body, or kGround
    std::size_t firstRow;
  };
  [[nodiscard]] const Motion& motionOf(std::size_t body, std::span<const Motion> motions) const {
    return body == kGround ? ground_ : motions[body];
  }
  void differentiate(std::span<const Motion> motions);
  void assemble(const Bodies& bodies);
  void subtractDefects(Level level, double weight, std::span<const Motion> motions);
  void accelerate(const Bodies& bodies, std::span<Motion> motions) const;
  template <typename Act>
  void forEachLoad(const Act& act) const;

  std::vector<Entry> joints_;
  Motion ground_;
  double rate_;
  std::size_t rows_ = 0;
  // What an evaluation works on, so that it allocates nothing.
  std::vector<Loads> first_, second_;  ///< by row: loads of a unit multiplier, the columns of J^T
  std::vector<double> unit_, defect_;
  Eigen::MatrixXd mobility_;  ///< J M^-1 J^T
  Eigen::VectorXd lambda_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace koppla::mechanics::detail
