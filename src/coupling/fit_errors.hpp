#pragma once

#include <vector>

#include "koppla/coupling/approximation.hpp"
#include "koppla/coupling/error_estimate.hpp"
#include "koppla/coupling/network.hpp"
#include "koppla/subsystem/trajectory_pieces.hpp"

namespace koppla::coupling {

/// What members lose that cannot follow the courses of their inputs and get fits of lower degree: the largest distance
/// in a step between course and fit.
class FitErrors {
 public:
  explicit FitErrors(Network& network);

  [[nodiscard]] bool isEmpty() const { return fits_.empty(); }
  /// Of an accepted step to t1 (s) of that length (s), while its courses are there.
  void add(double t1, double length, const Courses& courses);
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  /// Null where that member follows courses as they are.
  [[nodiscard]] const ErrorRecord* of(std::size_t position, std::size_t value) const;

 private:
  struct Fit {
    std::size_t position;
    double piece;  ///< s; 0: the whole step
    subsystem::TrajectoryPieces pieces;
    std::vector<std::size_t> values;
    std::vector<ErrorRecord> records;
  };
  std::vector<Fit> fits_;
  std::uint64_t steps_ = 0;
};

}  // namespace koppla::coupling
