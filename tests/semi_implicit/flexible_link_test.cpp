#include <cmath>

#include <gtest/gtest.h>

#include "two_masses.hpp"

namespace koppla::test {
namespace {
TEST(FlexibleLink, Try) {
  for (auto d : {Decomposition::forceForce, Decomposition::forceDisplacement, Decomposition::displacementDisplacement})
    for (unsigned k : {0U, 1U, 2U}) {
      FlexibleLink c;
      c.decomposition = d;
      c.degree = k;
      auto motion = simulate(c);
      printf("%s\n", motion.outcome.message.c_str());
      if (!motion.outcome.ok()) continue;
      auto e = relativeErrors(c, motion);
      printf("%.8f %.8f %.8f  err %.3g rho %.8f\n", motion.x1[motion.at(0.1)], motion.v1[motion.at(0.1)],
             motion.x1[motion.at(0.5)], e.x, spectralRadius(c));
    }
}
}  // namespace
}  // namespace koppla::test
