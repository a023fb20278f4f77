#include <cmath>

#include <gtest/gtest.h>

#include "two_masses.hpp"

namespace koppla::test {
namespace {
TEST(RigidLink, Try) {
  RigidLink c;
  for (auto m : {coupling::ConstraintMethod::baumgarte, coupling::ConstraintMethod::weightedMultipliers,
                 coupling::ConstraintMethod::stabilisedIndex2}) {
    c.method = m;
    c.beta = 2e-3;
    auto motion = simulate(c);
    printf("%s\n", motion.outcome.message.c_str());
    if (!motion.outcome.ok()) continue;
    const auto i = motion.at(0.1);
    printf("%.10f %.10f %.8f\n", motion.x1[i], motion.v1[i], motion.lambda[i]);
    double g = 0, gd = 0;
    for (size_t k = 0; k < motion.t.size(); ++k) {
      g = std::fmax(g, std::fabs(motion.x1[k] - motion.x2[k]));
      gd = std::fmax(gd, std::fabs(motion.v1[k] - motion.v2[k]));
    }
    auto e = relativeErrors(c, motion);
    printf("err %.3g %.3g g %.3g %.3g lambda0 %.10g rho %.8f\n", e.x, e.v, g, gd, motion.lambda[0], spectralRadius(c));
  }
}
}  // namespace
}  // namespace koppla::test
