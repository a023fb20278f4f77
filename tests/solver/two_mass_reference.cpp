#include "two_mass_reference.hpp"

#include <cmath>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <unsupported/Eigen/MatrixFunctions>

namespace koppla::solver::test {

namespace {

using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

double globalError(Rig& rig, double H) {
  const Model model = twoMasses();
  const Matrix a = Eigen::Map<const RowMajor>(model.linear.a.data(), 4, 4).cast<long double>();
  const Matrix c = Eigen::Map<const RowMajor>(model.linear.c.data(), 3, 4).cast<long double>();
  const Matrix phi = (a * static_cast<long double>(H)).exp();
  Matrix z = Eigen::Map<const Eigen::VectorXd>(model.x0.data(), 4).cast<long double>();
  const auto steps = static_cast<int>(std::lround(1.0 / H));
  Matrix exact(3, steps), error(3, steps);
  for (int n = 0; n < steps; ++n) {
    rig.step(n * H, (n + 1) * H);
    z = phi * z;
    exact.col(n) = c * z;
    for (int i = 0; i < 3; ++i)
      error(i, n) = exact(i, n) - static_cast<long double>(rig.y[static_cast<std::size_t>(i)]);
  }
  long double sum = 0.0L;
  for (int i = 0; i < 3; ++i)
    sum += error.row(i).squaredNorm() / (exact.row(i).array() - exact.row(i).mean()).square().sum();
  return static_cast<double>(std::sqrt(sum));
}

double spectralRadius(Rig& rig, double h) {
  const std::size_t n = rig.system->states().size();
  Eigen::MatrixXd map(n, n);
  for (std::size_t column = 0; column < n; ++column) {
    std::vector<double> unit(n, 0.0);
    unit[column] = 1.0;
    rig.system->setStates(unit);
    rig.step(0.0, h);
    const std::vector<double> image = rig.system->states();
    map.col(static_cast<Eigen::Index>(column)) =
        Eigen::Map<const Eigen::VectorXd>(image.data(), static_cast<Eigen::Index>(n));
  }
  return map.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace koppla::solver::test
