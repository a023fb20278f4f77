#pragma once

#include <vector>

#include "koppla/coupling/interface_problem.hpp"
#include "koppla/coupling/network.hpp"

namespace koppla::coupling {

/// Watches force laws that the coupling evaluates for being too stiff for the degree of the polynomials: the relative
/// motion of the points, taken as free, then grows from step to step (see free_motion.hpp).
class StiffLaws {
 public:
  StiffLaws(const Network& network, const InterfaceProblem& problem, unsigned degree);

  struct Finding {
    std::size_t position;  ///< of the law's member
    double growth;         ///< per step
  };
  /// Laws that have become too stiff, each told once.
  [[nodiscard]] std::vector<Finding> examine(const InterfaceProblem& problem, const std::vector<Sensitivity>& blocks);

 private:
  struct Watched {
    PlacedLaw law;
    double stiffness = 0.0;  ///< times step^2 / mass, when it was last examined
    double damping = 0.0;    ///< times step / mass
    bool told = false;
  };

  const Network& network_;
  unsigned degree_;
  std::vector<Watched> laws_;
  std::vector<std::size_t> forces_;
};

}  // namespace koppla::coupling
