// Interpolation on one patch against its definition, solved as one dense system: s(x) = sum_i lambda_i phi(|x - x_i|) +
// p(x), sum_i lambda_i p(x_i) = 0 for all polynomials p of the space (docs/mapping.md).

#include "koppla/mapping/detail/local_basis.hpp"

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "koppla/core/detail/dense.hpp"

namespace koppla::mapping::local_basis_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Positions = std::vector<Position>;
using Term = std::function<double(const Eigen::Vector3d&)>;

double phi(const RadialBasisSettings& settings, double distance) {
  const double r = distance / settings.support;
  if (settings.basis == Basis::gaussian) return std::pow(1e9, -r * r);
  return r < 1.0 ? std::pow(1.0 - r, 4) * (4.0 * r + 1.0) : 0.0;
}

MatrixXd values(const std::vector<Term>& terms, const MatrixXd& at) {
  MatrixXd result(at.cols(), static_cast<Eigen::Index>(terms.size()));
  for (Eigen::Index i = 0; i < result.rows(); ++i)
    for (Eigen::Index j = 0; j < result.cols(); ++j) result(i, j) = terms[static_cast<std::size_t>(j)](at.col(i));
  return result;
}

Term constant() {
  return [](const Eigen::Vector3d&) { return 1.0; };
}
Term coordinate(int i) {
  return [i](const Eigen::Vector3d& x) { return x[i]; };
}
Term product(int i, int j) {
  return [i, j](const Eigen::Vector3d& x) { return x[i] * x[j]; };
}

/// What the notes say of a patch, step by step.
class Definition {
 public:
  Definition(const Positions& points, double radius, const Positions& places, const RadialBasisSettings& settings)
      : settings_(settings), points_(matrix(points)), places_(matrix(places)) {
    const Eigen::Vector3d mean = points_.rowwise().mean();
    points_ = (points_.colwise() - mean) / radius;
    places_ = (places_.colwise() - mean) / radius;
    const auto modes = core::detail::symmetricModes(points_ * points_.transpose());
    for (Eigen::Index i = 0; i < 3; ++i) {
      axes_.col(i) = modes.vectors.col(2 - i);
      spreads_[i] = std::sqrt(std::max(modes.values[2 - i], 0.0));
    }
    moveToSurface();
    chooseTerms();
  }

  [[nodiscard]] MatrixXd weights() const {
    const Eigen::Index n = points_.cols();
    const MatrixXd P = values(terms_, along(points_));
    const MatrixXd Q = values(terms_, along(places_));
    MatrixXd whole = MatrixXd::Zero(n + P.cols(), n + P.cols());
    MatrixXd right(n + P.cols(), places_.cols());
    whole.topRightCorner(n, P.cols()) = P;
    whole.bottomLeftCorner(P.cols(), n) = P.transpose();
    right.bottomRows(P.cols()) = Q.transpose();
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) whole(i, j) = phi(settings_, (points_.col(i) - points_.col(j)).norm());
      for (Eigen::Index j = 0; j < places_.cols(); ++j)
        right(i, j) = phi(settings_, (points_.col(i) - places_.col(j)).norm());
    }
    return core::detail::solve(whole, right).topRows(n);
  }

  [[nodiscard]] std::size_t terms() const { return terms_.size(); }
  [[nodiscard]] int extents() const { return extents_; }

 private:
  static MatrixXd matrix(const Positions& positions) {
    MatrixXd result(3, static_cast<Eigen::Index>(positions.size()));
    for (std::size_t i = 0; i < positions.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k)
        result(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) = positions[i][k];
    return result;
  }

  /// Where points are a surface (three tenths of the first spread or less), places are moved to it: to a quadratic
  /// function of the other coordinates and what points themselves are beside it, half of their range beyond included.
  void moveToSurface() {
    int wide = 0;
    for (int i = 0; i < 3; ++i)
      if (spreads_[i] >= 0.3 * spreads_[0]) ++wide;
    MatrixXd p = axes_.transpose() * points_;
    MatrixXd q = axes_.transpose() * places_;
    std::vector<Term> terms{constant(), coordinate(0), product(0, 0)};
    if (wide == 2) terms = {constant(), coordinate(0), coordinate(1), product(0, 0), product(0, 1), product(1, 1)};
    if (static_cast<std::size_t>(p.cols()) < 2 * terms.size()) terms = {constant()};
    for (int axis = wide; axis < 3; ++axis) {
      const VectorXd height = p.row(axis).transpose();
      const VectorXd surface = core::detail::leastSquares(values(terms, p), height);
      const VectorXd beside = height - values(terms, p) * surface;
      const double least = beside.minCoeff(), most = beside.maxCoeff();
      const VectorXd base = values(terms, q) * surface;
      for (Eigen::Index j = 0; j < q.cols(); ++j)
        q(axis, j) =
            base[j] + std::clamp(q(axis, j) - base[j], least - 0.5 * (most - least), most + 0.5 * (most - least));
    }
    places_ = axes_ * q;
  }

  /// Those of degree 1 along axes with extent (a millionth of the first), then those of degree 2 of which at least a
  /// twentieth is no combination of the others, as long as there are fewer than two thirds of the points.
  void chooseTerms() {
    while (extents_ < 3 && spreads_[extents_] > 1e-6 * spreads_[0]) ++extents_;
    terms_ = {constant()};
    for (int i = 0; i < extents_; ++i) terms_.push_back(coordinate(i));
    if (settings_.degree < 2) return;
    for (int j = 0; j < extents_; ++j)
      for (int i = 0; i <= j; ++i) {
        if (3 * (terms_.size() + 1) > 2 * static_cast<std::size_t>(points_.cols())) return;
        const VectorXd term = values({product(i, j)}, along(points_));
        const MatrixXd others = values(terms_, along(points_));
        const VectorXd rest = term - others * core::detail::leastSquares(others, term);
        if (rest.norm() > 0.05 * term.norm()) terms_.push_back(product(i, j));
      }
  }

  [[nodiscard]] MatrixXd along(const MatrixXd& x) const {
    MatrixXd result = axes_.transpose() * x;
    for (int i = 0; i < extents_; ++i) result.row(i) /= spreads_[i];
    return result;
  }

  RadialBasisSettings settings_;
  MatrixXd points_, places_;
  Eigen::Matrix3d axes_;
  Eigen::Vector3d spreads_;
  int extents_ = 1;
  std::vector<Term> terms_;
};

/// Numbers between -1 and 1.
class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  double operator()() { return real_(random_); }

 private:
  std::mt19937 random_;
  std::uniform_real_distribution<double> real_{-1.0, 1.0};
};

/// Askew, somewhere in space.
Position placed(double x, double y, double z) {
  return {5.0 + 2.0 * (0.36 * x - 0.48 * y + 0.8 * z), -3.0 + 2.0 * (-0.8 * x - 0.6 * y),
          7.0 + 2.0 * (0.48 * x - 0.64 * y - 0.6 * z)};
}

/// Points in a box with sides of 2 that is so thick along y and z, apart from each other along x; or places in it and
/// around.
Positions box(std::size_t count, double y, double z, Dice& dice, double around = 1.0) {
  Positions positions;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = around * ((2.0 * static_cast<double>(i) + 1.0 + 0.7 * dice()) / static_cast<double>(count) - 1.0);
    const double b = around * y * dice(), c = around * z * dice();
    positions.push_back(placed(a, b, c));
  }
  return positions;
}

constexpr double kRadius = 3.0;

/// Largest difference of the weights.
double difference(const Positions& points, const Positions& places, const RadialBasisSettings& settings) {
  const MatrixXd expected = Definition(points, kRadius, places, settings).weights();
  detail::LocalBasis basis(settings);
  const MatrixXd& found = basis.weights(points, kRadius, places);
  EXPECT_EQ(found.rows(), expected.rows());
  EXPECT_EQ(found.cols(), expected.cols());
  EXPECT_LT((found.colwise().sum().array() - 1.0).abs().maxCoeff(), 1e-9);
  return (found - expected).cwiseAbs().maxCoeff();
}

const std::vector<RadialBasisSettings> kSettings{{.degree = 1},
                                                 {.degree = 2},
                                                 {.degree = 2, .support = 1.5},
                                                 {.basis = Basis::gaussian, .degree = 1, .support = 1.0},
                                                 {.basis = Basis::gaussian, .degree = 2, .support = 0.7}};

TEST(LocalBasis, InSpaceItSolvesTheWholeSystem) {
  for (unsigned seed = 0; seed < 4; ++seed)
    for (const RadialBasisSettings& settings : kSettings) {
      Dice dice(seed);
      const Positions points = box(30, 0.9, 0.8, dice);
      EXPECT_LT(difference(points, box(12, 0.9, 0.8, dice, 1.2), settings), 1e-8);
    }
}

TEST(LocalBasis, OnLinesAndPlanesPolynomialsAreOnesAlongThem) {
  for (const RadialBasisSettings& settings : {kSettings[0], kSettings[1], kSettings[2]})  // the others: nearly singular
    for (const double width : {0.0, 0.7}) {
      Dice dice(7);
      const Positions points = box(24, width, 0.0, dice);
      EXPECT_EQ(Definition(points, kRadius, points, settings).extents(), width > 0.0 ? 2 : 1);
      EXPECT_LT(difference(points, box(12, width, 0.0, dice), settings), 1e-8);
    }
}

/// Places beside a surface or a rod are moved to it, farther ones than its own roughness.
TEST(LocalBasis, PlacesBesideASurfaceAreMovedToIt) {
  for (const RadialBasisSettings& settings : {kSettings[0], kSettings[1]})
    for (const auto& [y, z] : {std::pair(0.8, 0.1), std::pair(0.1, 0.05), std::pair(0.9, 0.0), std::pair(0.1, 0.0)})
      for (unsigned seed = 0; seed < 3; ++seed) {
        Dice dice(seed);
        Positions points, places;
        const auto bent = [&](double a, double b, double c) {
          return placed(a, y * b + (y < 0.5 ? 0.1 * a * a : 0.0), z * c + 0.1 * (a * a - a * b * y + 0.5 * a));
        };
        for (int i = 0; i < 30; ++i) {
          const double a = dice(), b = dice(), c = dice();
          points.push_back(bent(a, b, c));
        }
        for (int i = 0; i < 20; ++i) {
          const double a = dice(), b = dice(), c = dice();
          const double apart = i < 10 ? 1.0 : 4.0;  // these are far beside it
          places.push_back(bent(a, y < 0.5 ? apart * b : b, z == 0.0 ? 0.0 : apart * c));
          if (z == 0.0 && i >= 10) places.back()[2] += 0.3 * c;
        }
        EXPECT_LT(difference(points, places, settings), 1e-7) << y << " " << z;
      }
}

/// At three tenths of the first spread.
TEST(LocalBasis, FromSomeThicknessOnItIsNoSurface) {
  for (int i = 0; i < 12; ++i) {
    Dice dice(20);
    const double thickness = 0.2 + 0.04 * i;
    const Positions points = box(40, 1.0, thickness, dice);
    EXPECT_LT(difference(points, box(10, 1.0, 2.0 * thickness, dice), {.degree = 2}), 1e-8) << thickness;
    const Positions rod = box(40, thickness, 0.9 * thickness, dice);
    EXPECT_LT(difference(rod, box(10, 2.0 * thickness, 2.0 * thickness, dice), {.degree = 2}), 1e-8) << thickness;
  }
}

/// A millionth of the first extent still counts as one.
TEST(LocalBasis, WithoutExtentButByRoundingAnAxisHasNoTerms) {
  for (const double thickness : {0.5e-6, 0.8e-6, 1.3e-6, 1.7e-6, 4e-6}) {
    Dice dice(3);
    Positions points;
    for (int i = 0; i < 20; ++i)  // spreads 1 : 1 : thickness
      points.push_back({std::cos(0.1 * std::numbers::pi * i), std::sin(0.1 * std::numbers::pi * i),
                        i % 2 == 0 ? thickness : -thickness});
    points.push_back({0.0, 0.0, 0.0});
    Positions places;
    for (int i = 0; i < 6; ++i) places.push_back({0.6 * dice(), 0.6 * dice(), thickness * dice()});
    const RadialBasisSettings settings{.degree = 1};
    // The spread along the ring's plane is 1 / sqrt(2) of its radius.
    EXPECT_EQ(Definition(points, 1.0, places, settings).extents(), thickness * std::numbers::sqrt2 > 1e-6 ? 3 : 2);
    EXPECT_LT(difference(points, places, settings), 1e-5) << thickness;
  }
}

/// Close to a ring x^2 + y^2 tells nothing that 1 does not.
TEST(LocalBasis, QuadraticTermsCountThatPointsTellApart) {
  std::size_t least = 99, most = 0;
  for (int level = 0; level < 16; ++level) {
    Dice dice(5);
    Positions points;
    for (int i = 0; i < 24; ++i) {
      const double angle = 0.25 * i, radius = 1.0 + 0.015 * level * dice();
      points.push_back(placed(radius * std::cos(angle), radius * std::sin(angle), 0.0));
    }
    const std::size_t terms = Definition(points, kRadius, points, {.degree = 2}).terms();
    least = std::min(least, terms);
    most = std::max(most, terms);
    EXPECT_LT(difference(points, box(8, 0.7, 0.0, dice), {.degree = 2}), 1e-7) << level;
  }
  EXPECT_EQ(least, 5U);
  EXPECT_EQ(most, 6U);
}

TEST(LocalBasis, FewPointsHaveFewTerms) {
  for (std::size_t count = 2; count <= 16; ++count)
    for (const auto& [y, z] :
         {std::pair(0.0, 0.0), std::pair(0.9, 0.0), std::pair(0.9, 0.8), std::pair(0.8, 0.1), std::pair(0.1, 0.09)})
      for (const int degree : {1, 2}) {
        if (count < 4 && z > 0.0) continue;
        if (count < 3 && y > 0.0) continue;
        Dice dice(static_cast<unsigned>(count));
        const Positions points = box(count, y, z, dice);
        const Positions places = box(5, y, 3.0 * z, dice, 0.8);
        const double scale = Definition(points, kRadius, places, {.degree = degree}).weights().cwiseAbs().maxCoeff();
        EXPECT_LT(difference(points, places, {.degree = degree}), 1e-8 * std::max(1.0, scale))
            << count << " " << y << " " << z << " " << degree;
      }
}

/// Measured at the widest one, also where the plane is long and narrow.
TEST(LocalBasis, ExtentsAreRelativeToTheFirst) {
  for (const double thickness : {0.3e-6, 0.7e-6, 1.4e-6}) {
    Dice dice(4);
    Positions points, places;
    for (int i = 0; i < 20; ++i)
      points.push_back({std::cos(0.1 * std::numbers::pi * i), 0.4 * std::sin(0.1 * std::numbers::pi * i),
                        i % 2 == 0 ? thickness : -thickness});
    points.push_back({0.0, 0.0, 0.0});
    for (int i = 0; i < 6; ++i) places.push_back({0.6 * dice(), 0.2 * dice(), thickness * dice()});
    const RadialBasisSettings settings{.degree = 1};
    EXPECT_EQ(Definition(points, 1.0, places, settings).extents(), thickness * std::numbers::sqrt2 > 1e-6 ? 3 : 2);
    EXPECT_LT(difference(points, places, settings), 1e-5) << thickness;
  }
}

/// Of several points in one place nobody can tell which is which: the shortest solution gives them equal shares.
TEST(LocalBasis, WhereTheSystemIsSingularWeightsAreTheShortest) {
  for (const int degree : {1, 2}) {
    Dice dice(11);
    const RadialBasisSettings settings{.degree = degree};
    const Positions once = box(20, 0.9, 0.8, dice);
    Positions twice = once;
    twice.insert(twice.end(), once.begin(), once.end());
    const Positions places = box(10, 0.9, 0.8, dice);
    const MatrixXd expected = Definition(once, kRadius, places, settings).weights();
    detail::LocalBasis basis(settings);
    const MatrixXd found = basis.weights(twice, kRadius, places);
    EXPECT_LT((found.topRows(20) - 0.5 * expected).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((found.bottomRows(20) - 0.5 * expected).cwiseAbs().maxCoeff(), 1e-8);
    // What one patch needed does not linger in the next.
    EXPECT_LT((basis.weights(once, kRadius, places) - expected).cwiseAbs().maxCoeff(), 1e-8);
  }
}

/// A single pair, of which rounding may make a matrix that looks as if it were regular.
TEST(LocalBasis, TwoPointsInOnePlaceShareItsWeight) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Dice dice(seed);
    const RadialBasisSettings settings{.degree = 1};
    Positions points = box(20, 0.9, 0.8, dice);
    const Positions places = box(10, 0.9, 0.8, dice);
    const MatrixXd expected = Definition(points, kRadius, places, settings).weights();
    const std::size_t pair = seed % 20;
    points.push_back(points[pair]);
    detail::LocalBasis basis(settings);
    const MatrixXd found = basis.weights(points, kRadius, places);
    for (Eigen::Index i = 0; i < 21; ++i) {
      const bool shared = i == 20 || i == static_cast<Eigen::Index>(pair);
      const auto whole = expected.row(i == 20 ? static_cast<Eigen::Index>(pair) : i);
      EXPECT_LT((found.row(i) - (shared ? 0.5 : 1.0) * whole).cwiseAbs().maxCoeff(), 1e-8) << seed << " " << i;
    }
  }
}

}  // namespace
}  // namespace koppla::mapping::local_basis_test
