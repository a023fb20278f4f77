#include <cmath>

#include <gtest/gtest.h>

#include "two_mass.hpp"

namespace koppla::test {
namespace {

TEST(Probe, Figures) {
  for (unsigned p = 0; p <= 5; ++p)
    for (const double k : {13.0, 14.0, 15.0, 16.0, 18.0, 20.0}) {
      TwoMassCase c;
      c.degree = p;
      c.H = std::pow(10.0, -k / 4.0);
      const auto j = errorsOf(c);
      c.algorithm = coupling::AlgorithmKind::gaussSeidel;
      const auto g = errorsOf(c);
      std::printf("p %u H %.3g jacobi %.3g (%.3g) gs %.3g (%.3g)\n", p, c.H, j.global, j.local, g.global, g.local);
    }
}

}  // namespace
}  // namespace koppla::test
