// The mappings as the notes on adaptive relaxation ask for them: constant fields exact, linear ones to the order of the
// interpolation, totals conserved.

#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "meshes.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::mapping::test::orders_test {
namespace {

using koppla::test::showAtMost;
using koppla::test::showFigure;

/// A disordered mesh of triangles with n cells along each side, and points elsewhere.
struct Pair {
  explicit Pair(std::size_t n) : mesh(gridMesh(2, n, 0.4)) {}
  Points mesh;
  Points points = randomCloud(2, 400, 7, 0.1);
};

/// How fast the error of a field falls with the size of the cells, between two meshes.
template <typename Method>
double orderOf(Method method, const Field& field) {
  const Pair coarse(12), fine(48);
  const auto error = [&](const Pair& pair) {
    return rootMeanSquareOf(method(pair.mesh, pair.points, Form::consistent), field, pair.mesh, pair.points);
  };
  return std::log(error(coarse) / error(fine)) / std::log(4.0);
}

Mapping radial(const Points& source, const Points& target, Form form) {
  return radialBasis(source, target, form);
}

TEST(Orders, ConstantFieldsAreExact) {
  const Pair pair(12);
  koppla::test::Largest worst;
  for (const auto& method : {nearest, linear, radial})
    worst.see(errorOf(method(pair.mesh, pair.points, Form::consistent), constantField, pair.mesh, pair.points));
  showAtMost({"jung 9", "constant", "constant fields exact (1e-12) by nearest, linear and radial-basis mapping"}, worst,
             1e-12);
}

TEST(Orders, LinearFieldsAreMappedToTheOrderOfTheInterpolation) {
  const Pair pair(12);
  koppla::test::Largest worst;
  for (const auto& method : {linear, radial})
    worst.see(errorOf(method(pair.mesh, pair.points, Form::consistent), linearField, pair.mesh, pair.points));
  showAtMost({"jung 9", "linear", "linear fields exact (1e-11) by linear and radial-basis mapping"}, worst, 1e-11);
  const double ofNearest = orderOf(nearest, linearField);
  const double ofLinear = orderOf(linear, smoothField);
  showFigure({"jung 9", "orders", "nearest on a linear field: order 1; linear on a smooth field: order 2; within 0.2"},
             fmt::format("{:.2f}, {:.2f}", ofNearest, ofLinear),
             std::fabs(ofNearest - 1.0) <= 0.2 && std::fabs(ofLinear - 2.0) <= 0.2);
}

TEST(Orders, TotalsAreConserved) {
  const Pair pair(12);
  const std::vector<double> forces = valuesOf(smoothField, pair.points);
  const double sent = std::accumulate(forces.begin(), forces.end(), 0.0);
  koppla::test::Largest worst;
  for (const auto& method : {nearest, linear, radial}) {
    const std::vector<double> received = applied(method(pair.points, pair.mesh, Form::conservative), forces);
    const double arrived = std::accumulate(received.begin(), received.end(), 0.0);
    worst.see(std::fabs(arrived / sent - 1.0));
  }
  showAtMost({"jung 9", "conserved", "totals kept (1e-12 relative) in conservative form by all three"}, worst, 1e-12);
}

}  // namespace
}  // namespace koppla::mapping::test::orders_test
