// Predictors, splines and memories of differences against plain calculations of what they promise.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <optional>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "koppla/core/detail/dense.hpp"
#include "koppla/coupling/predictor.hpp"
#include "koppla/coupling/secant_memory.hpp"
#include "koppla/coupling/waveform.hpp"

namespace koppla::coupling::predictions_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Reals = std::vector<double>;

/// The rule of the predictor without any thrift: every degree predicts every step from the newest samples, the squares
/// of its relative errors are averaged with 0.3 for the newest; a degree is chosen whose mean is the least and below a
/// quarter of that of the constant. Where the chosen one was not better than that, or the constant was off by ten times
/// as much as usual, all begins anew.
class Plain {
 public:
  Plain(std::size_t values, std::vector<bool> held) : values_(values), held_(std::move(held)) {}

  void add(double t, const Reals& y) {
    if (!samples_.empty()) judge(t, y);
    samples_.insert(samples_.begin(), {t, y});
    if (samples_.size() > 6) samples_.pop_back();
  }
  void begin() {
    degree = 0;
    for (std::size_t d = 1; d < samples_.size(); ++d)
      if (errors_[d] && *errors_[d] < *errors_[degree] && *errors_[d] < 0.25 * *errors_[0]) degree = d;
  }
  [[nodiscard]] double predict(double t, std::size_t value) const {
    return held_[value] ? samples_[0].second[value] : by(degree, t, value);
  }
  std::size_t degree = 0;
  int begunAnew = 0;

 private:
  [[nodiscard]] double by(std::size_t d, double t, std::size_t value) const {
    double sum = 0.0;
    for (std::size_t i = 0; i <= d; ++i) {
      double weight = 1.0;
      for (std::size_t j = 0; j <= d; ++j)
        if (j != i) weight *= (t - samples_[j].first) / (samples_[i].first - samples_[j].first);
      sum += weight * samples_[i].second[value];
    }
    return sum;
  }
  void judge(double t, const Reals& y) {
    std::array<double, 6> squares{};
    for (std::size_t d = 0; d < samples_.size(); ++d)
      for (std::size_t v = 0; v < values_; ++v) {
        const double size = std::max(std::fabs(y[v]), std::fabs(samples_[0].second[v]));
        if (held_[v] || size == 0.0) continue;
        squares[d] += std::pow((by(d, t, v) - y[v]) / size, 2);
      }
    if (degree > 0 ? squares[degree] > 0.25 * squares[0] : errors_[0] && squares[0] > 100.0 * *errors_[0]) {
      samples_.clear();
      errors_.fill(std::nullopt);
      degree = 0;
      ++begunAnew;
      return;
    }
    for (std::size_t d = 0; d < samples_.size(); ++d)
      errors_[d] = errors_[d] ? 0.7 * *errors_[d] + 0.3 * squares[d] : squares[d];
  }

  std::size_t values_;
  std::vector<bool> held_;
  std::vector<std::pair<double, Reals>> samples_;  // newest first
  std::array<std::optional<double>, 6> errors_{};
};

/// Courses with all that happens: smooth, rough, still, jumping.
Reals signal(int kind, double t) {
  const double noise = 1e-4 * std::sin(1e4 * t * t);
  switch (kind) {
    case 0:
      return {std::sin(2.0 * t) + noise, std::exp(-t), t < 3.0 ? 1.0 : 2.0, 0.0};
    case 1:
      return {1.0 + noise, t * t * t - t + noise, std::floor(t), std::cos(5.0 * t)};
    case 2:
      return {t < 2.0 ? 1.0 : 1.0 + 3.0 * t, t < 4.0 ? std::sin(t) : -7.0 + t, 5.0, noise};
    default:
      return {std::sin(30.0 * t), std::cos(17.0 * t * t), 1.0, std::sin(11.0 * t)};
  }
}

TEST(Predictor, FollowsItsRule) {
  int begunAnew = 0;
  std::array<int, 6> chosen{};
  for (int kind = 0; kind < 4; ++kind)
    for (const double growth : {1.0, 1.03}) {
      Predictor predictor(4, std::nullopt, {2});
      Plain plain(4, {false, false, true, false});
      double t = 0.0;
      double h = 0.1;
      for (int n = 0; n < 60; ++n) {
        predictor.add(t, signal(kind, t));
        plain.add(t, signal(kind, t));
        h *= growth;
        if (n % 7 != 3) {  // not every step is predicted
          predictor.begin(Reals{t + 0.5 * h, t + h});
          plain.begin();
          ASSERT_EQ(predictor.degree(), plain.degree) << kind << ' ' << n;
          ++chosen.at(plain.degree);
          for (std::size_t v = 0; v < 4; ++v) {
            EXPECT_NEAR(predictor.predict(0, v), plain.predict(t + 0.5 * h, v), 1e-9) << kind << ' ' << n;
            EXPECT_NEAR(predictor.predict(1, v), plain.predict(t + h, v), 1e-9) << kind << ' ' << n;
          }
        }
        t += h;
      }
      begunAnew += plain.begunAnew;
    }
  EXPECT_GT(begunAnew, 4);
  EXPECT_GT(chosen[0], 20);
  EXPECT_GT(chosen[1] + chosen[2], 10);
  EXPECT_GT(chosen[3] + chosen[4] + chosen[5], 20);
}

/// With a degree that is given, the polynomial through so many samples, on any grid.
TEST(Predictor, OfAFixedDegreeIsItsPolynomial) {
  const Reals times{0.0, 0.5, 0.75, 2.0, 2.25, 3.5, 4.0, 4.125};
  for (const unsigned degree : {0U, 1U, 3U, 5U, 9U}) {
    Predictor predictor(2, degree, {});
    for (std::size_t n = 0; n < times.size(); ++n) {
      predictor.add(times[n], Reals{std::sin(times[n]), times[n] * times[n]});
      predictor.begin(Reals{times[n] + 0.3});
      const std::size_t used = std::min<std::size_t>({degree, 5, n});
      EXPECT_EQ(predictor.degree(), used);
      double expected = 0.0;
      for (std::size_t i = n - used; i <= n; ++i) {
        double weight = 1.0;
        for (std::size_t j = n - used; j <= n; ++j)
          if (j != i) weight *= (times[n] + 0.3 - times[j]) / (times[i] - times[j]);
        expected += weight * std::sin(times[i]);
      }
      EXPECT_NEAR(predictor.predict(0, 0), expected, 1e-9 * (1.0 + std::fabs(expected)));
    }
  }
}

/// Coefficient of the highest power of each piece of the spline through values of sin at equidistant points.
Reals highestPowers(unsigned points, unsigned degree) {
  Waveform waveform(1, points, degree, {});
  waveform.begin(Reals{0.0});
  for (unsigned j = 1; j <= points; ++j) waveform.at(j)[0] = std::sin(1.3 * j * j);
  waveform.fit({0, 1});
  Reals result;
  for (unsigned j = 0; j < points; ++j) result.push_back(waveform.piece(j).powers[degree]);
  return result;
}

/// All points but the degree - 1 next to the ends are knots; of an odd number one more is left out at the beginning.
TEST(Spline, LeavesOutThePointsNextToItsEnds) {
  struct Case {
    unsigned degree, first, last;
  };
  for (const Case& c : {Case{1, 0, 0}, Case{2, 1, 0}, Case{3, 1, 1}, Case{4, 2, 1}, Case{5, 2, 2}})
    for (const unsigned points : {c.degree + 2, 9U}) {
      const Reals highest = highestPowers(points, c.degree);
      for (unsigned j = 1; j < points; ++j) {
        const bool knot = j > c.first && j + c.last < points;
        const double jump = std::fabs(highest[j] - highest[j - 1]);
        if (knot) {
          EXPECT_GT(jump, 1e-6) << c.degree << " point " << j;
        } else {
          EXPECT_LT(jump, 1e-9) << c.degree << " point " << j;
        }
      }
    }
}

TEST(Spline, HasNoMoreDegreesThanPiecesAndTheDegreesOfATrajectory) {
  EXPECT_EQ(Spline(3, 5).degree(), 3U);
  EXPECT_EQ(Spline(9, 5).degree(), 5U);
  EXPECT_EQ(Spline(9, 7).degree(), subsystem::kMaxDegree);
  EXPECT_EQ(Spline(1, 3).degree(), 1U);
  EXPECT_EQ(Spline(4, 0).degree(), 0U);
  EXPECT_EQ(Spline(4, 2).pieces(), 4U);
  // Degree 0: the value at the end of the piece.
  const Spline steps(3, 0);
  for (unsigned piece = 0; piece < 3; ++piece)
    for (unsigned point = 0; point <= 3; ++point)
      EXPECT_EQ(steps.weight(piece, 0, point), point == piece + 1 ? 1.0 : 0.0);
  // The constant power is exactly the value at the beginning.
  const Spline cubic(4, 3);
  for (unsigned piece = 0; piece < 4; ++piece)
    for (unsigned point = 0; point <= 4; ++point) EXPECT_EQ(cubic.weight(piece, 0, point), point == piece ? 1.0 : 0.0);
}

std::span<const double> spanOf(const VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}
std::span<double> spanOf(VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

VectorXd someVector(Eigen::Index n, int number) {
  return VectorXd::NullaryExpr(n, [=](Eigen::Index i) {
    const auto k = static_cast<double>(i);
    return std::sin(1.7 * k * number + 0.3 * number + k * k);
  });
}

/// c = c0 + (V^T V + D)^-1 D c0, c0 = (V^T V + D)^-1 V^T r, D_jj = (1e-3 (1 + age_j))^2, columns of length one.
TEST(SecantMemory, EstimatesAsItsFormula) {
  constexpr Eigen::Index n = 7;
  for (const bool weighted : {false, true}) {
    SecantMemory memory(n, 4);
    VectorXd weights = VectorXd::Ones(n);
    if (weighted) {
      memory.weigh(std::vector<Block>{{0, 3}, {3, 7}}, Reals{0.5, 4.0});
      weights << 0.5, 0.5, 0.5, 4.0, 4.0, 4.0, 4.0;
    }
    std::vector<VectorXd> v, w;
    std::vector<std::uint64_t> steps;
    for (int i = 1; i <= 6; ++i) {
      const VectorXd a = someVector(n, i) * std::pow(10.0, i - 3);
      const VectorXd b = someVector(n, -i) * std::pow(10.0, i - 3);
      const auto step = static_cast<std::uint64_t>(i / 2);
      ASSERT_TRUE(memory.add(spanOf(a), spanOf(b), step));
      const double length = weights.cwiseProduct(a).norm();
      EXPECT_NEAR(memory.length(spanOf(a)), length, 1e-12 * length);
      v.push_back(weights.cwiseProduct(a) / length);
      w.push_back(b / length);
      steps.push_back(step);
      if (v.size() > 4) {
        v.erase(v.begin());
        w.erase(w.begin());
        steps.erase(steps.begin());
      }
      const auto k = static_cast<Eigen::Index>(v.size());
      MatrixXd V(n, k), W(n, k), D = MatrixXd::Zero(k, k);
      for (Eigen::Index j = 0; j < k; ++j) {
        const auto place = static_cast<std::size_t>(j);
        V.col(j) = v[place];
        W.col(j) = w[place];
        D(j, j) = std::pow(1e-3 * (1.0 + 5.0 - static_cast<double>(steps[place])), 2);
      }
      const VectorXd r = someVector(n, 9);
      const MatrixXd A = V.transpose() * V + D;
      const VectorXd c0 = core::detail::solve(A, VectorXd(V.transpose() * weights.cwiseProduct(r)));
      const VectorXd c = c0 + core::detail::solve(A, VectorXd(D * c0));
      VectorXd result = someVector(n, 11);
      const VectorXd expected = result - W * c;
      ASSERT_TRUE(memory.subtract(spanOf(r), 5, spanOf(result)));
      EXPECT_LT((result - expected).norm(), 1e-8 * expected.norm()) << i;
    }
  }
}

TEST(SecantMemory, UsesAllItsPlacesAgainAfterForgettingAStep) {
  SecantMemory memory(4, 3);
  for (Eigen::Index i = 0; i < 3; ++i) {
    const VectorXd unit = VectorXd::Unit(4, i);
    ASSERT_TRUE(memory.add(spanOf(unit), spanOf(unit), i == 1 ? 2 : 1));
  }
  memory.forgetStep(1);
  EXPECT_EQ(memory.pairs(), 1U);
  for (const Eigen::Index i : {2, 0, 3}) {
    const VectorXd unit = VectorXd::Unit(4, i);
    const VectorXd answer = 5.0 * unit;
    ASSERT_TRUE(memory.add(spanOf(unit), spanOf(answer), 3));
  }
  EXPECT_EQ(memory.pairs(), 3U);
  VectorXd result = VectorXd::Zero(4);
  ASSERT_TRUE(memory.subtract(spanOf(VectorXd(VectorXd::Ones(4))), 3, spanOf(result)));
  const VectorXd expected{{-5.0, 0.0, -5.0, -5.0}};
  EXPECT_LT((result - expected).norm(), 1e-5) << "the oldest one had to go";
}

/// B M B^-1.
MatrixXd inBasis(const MatrixXd& B, const MatrixXd& M) {
  return core::detail::solve(MatrixXd(B.transpose()), MatrixXd((B * M).transpose())).transpose();
}

/// Three real numbers on the diagonal, and a + b i as (a, b; -b, a), which adds and multiplies as it does.
MatrixXd blocks(const std::array<double, 3>& real, std::complex<double> pair) {
  MatrixXd result = MatrixXd::Zero(5, 5);
  for (Eigen::Index i = 0; i < 3; ++i) result(i, i) = real[static_cast<std::size_t>(i)];
  result(3, 3) = result(4, 4) = pair.real();
  result(3, 4) = pair.imag();
  result(4, 3) = -pair.imag();
  return result;
}

/// With pairs in all directions J is known, and a proposal is sent + f(J) r: 1 / (1 - lambda) on each mode, at most
/// 1.9 where the real part is positive.
TEST(SecantMemory, BoundsTheFactorsOfAllModes) {
  struct Case {
    std::array<double, 3> real;
    std::complex<double> pair;
    bool repels;
  };
  const auto factor = [](std::complex<double> lambda) {
    const std::complex<double> exact = 1.0 / (1.0 - lambda);
    return lambda.real() > 0.0 && (lambda.real() >= 1.0 || std::abs(exact) >= 1.9) ? 1.9 : exact;
  };
  for (const Case& c : {Case{{2.0, -3.0, 0.25}, {-1.0, 2.0}, true}, Case{{0.9, -0.5, 0.1}, {0.75, 0.25}, false},
                        Case{{1.5, 0.8, -20.0}, {0.5, 3.0}, true}, Case{{-2.0, -3.0, 0.4}, {3.0, 1.0}, false}})
    for (const bool always : {false, true})
      for (const bool weighted : {false, true}) {
        constexpr Eigen::Index n = 5;
        MatrixXd basis(n, n);
        for (Eigen::Index i = 0; i < n; ++i) basis.col(i) = someVector(n, static_cast<int>(i) + 1);
        basis += 2.0 * MatrixXd::Identity(n, n);
        const MatrixXd J = inBasis(basis, blocks(c.real, c.pair));
        SecantMemory memory(n, 10);
        if (weighted) memory.weigh(std::vector<Block>{{0, 2}, {2, 5}}, Reals{0.5, 2.0});
        ASSERT_TRUE(memory.add(spanOf(someVector(n, 77)), spanOf(someVector(n, 78)), 1)) << "of another step";
        for (int i = 0; i < n; ++i) {
          const VectorXd d = someVector(n, 20 + i) * std::pow(3.0, i);  // what was sent
          const VectorXd w = J * d;
          ASSERT_TRUE(memory.add(spanOf(VectorXd(w - d)), spanOf(w), 2));
        }
        const VectorXd r = someVector(n, 40);
        const VectorXd sent = someVector(n, 41);
        VectorXd answers = sent + r;
        const SecantMemory::Bounded bounded = memory.propose(spanOf(r), 2, 10, 1.9, always, spanOf(answers));
        EXPECT_EQ(bounded.repels, c.repels);
        EXPECT_EQ(bounded.proposed, c.repels || always);
        if (!bounded.proposed) {
          EXPECT_EQ(answers, sent + r);
          continue;
        }
        std::array<double, 3> factors{};
        std::ranges::transform(c.real, factors.begin(), [&](double lambda) { return factor(lambda).real(); });
        const VectorXd expected = sent + inBasis(basis, blocks(factors, factor(c.pair))) * r;
        EXPECT_LT((answers - expected).norm(), 1e-6 * (1.0 + expected.norm())) << c.real[0] << always << weighted;
      }
}

/// The newest ones count, as many as are asked for.
TEST(SecantMemory, LooksAtTheNewestPairsOfAStep) {
  SecantMemory memory(3, 5);
  const auto add = [&](Eigen::Index i, double lambda) {
    const VectorXd d = VectorXd::Unit(3, i);
    ASSERT_TRUE(memory.add(spanOf(VectorXd((lambda - 1.0) * d)), spanOf(VectorXd(lambda * d)), 4));
  };
  add(0, 3.0);
  add(1, 0.5);
  add(2, -1.0);
  const VectorXd r = VectorXd::Ones(3);
  for (const std::size_t most : {1U, 2U, 3U}) {
    VectorXd answers = r;
    const SecantMemory::Bounded bounded = memory.propose(spanOf(r), 4, most, 1.9, true, spanOf(answers));
    EXPECT_EQ(bounded.repels, most == 3);
    EXPECT_NEAR(answers[2], 0.5, 1e-12);
    EXPECT_NEAR(answers[1], most >= 2 ? 1.9 : 1.0, 1e-12) << "2, bounded";
    EXPECT_NEAR(answers[0], most >= 3 ? 1.9 : 1.0, 1e-12);
  }
}

/// A direction counts only where the pairs agree that it is one: two pairs along the same way that say 3 and something
/// else across.
TEST(SecantMemory, DirectionsThatPairsDoNotAgreeOnDoNotRepel) {
  for (const double across : {0.05, 3.0}) {
    SecantMemory memory(3, 5);
    const VectorXd d = VectorXd::Unit(3, 0);
    const VectorXd w = 3.0 * d + across * VectorXd::Unit(3, 1);
    ASSERT_TRUE(memory.add(spanOf(VectorXd(w - d)), spanOf(w), 1));
    VectorXd answers = VectorXd::Ones(3);
    EXPECT_EQ(memory.propose(spanOf(VectorXd(VectorXd::Ones(3))), 1, 5, 1.9, false, spanOf(answers)).repels,
              across < 0.3);
  }
}

}  // namespace
}  // namespace koppla::coupling::predictions_test
