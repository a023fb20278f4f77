// Quasi-Newton methods against their formulas with plain matrices, and the weights of their fields.

#include <cmath>
#include <limits>
#include <optional>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "koppla/core/detail/dense.hpp"
#include "koppla/core/error.hpp"
#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/adaptive_relaxation.hpp"
#include "koppla/coupling/field_weights.hpp"
#include "koppla/coupling/scalar_secant.hpp"

namespace koppla::coupling::secants_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Reals = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Reals next(Accelerator& accelerator, const Reals& sent, Reals answered) {
  accelerator.learn(sent, answered);
  accelerator.propose(answered);
  return answered;
}

FieldWeights weightsOf(Scaling scaling) {
  return FieldWeights(scaling, {.size = 3, .fields = {{0, 2}, {2, 3}}});
}

Reals copyOf(std::span<const double> values) {
  return {values.begin(), values.end()};
}

TEST(FieldWeights, AreReciprocalNormsOfTheLargestValues) {
  FieldWeights weights = weightsOf(Scaling::value);
  EXPECT_EQ(copyOf(weights.weights()), (Reals{1.0, 1.0}));
  EXPECT_TRUE(weights.observe(Reals{9.0, 9.0, 9.0}, Reals{3.0, -4.0, 0.25}, true));
  EXPECT_EQ(copyOf(weights.weights()), (Reals{0.2, 4.0}));
  EXPECT_EQ(copyOf(weights.changes()), (Reals{0.2, 4.0}));
  Reals vector{1.0, 2.0, 3.0};
  weights.apply(vector);
  EXPECT_EQ(vector, (Reals{0.2, 0.4, 12.0}));
  EXPECT_EQ(copyOf(weights.applied(Reals{10.0, 0.0, -1.0})), (Reals{2.0, 0.0, -4.0}));
  // Smaller values change nothing, were there nothing to rescale or not.
  weights.begin();
  EXPECT_TRUE(weights.observe(Reals{9.0, 9.0, 9.0}, Reals{0.0, 1e-3, 0.125}, true));
  EXPECT_EQ(copyOf(weights.weights()), (Reals{0.2, 4.0}));
  EXPECT_EQ(copyOf(weights.changes()), (Reals{1.0, 1.0}));
}

TEST(FieldWeights, ChangeWhereFieldsDifferByMoreThanATenthOfWhatIsInUse) {
  for (const double growth : {10.0, 11.0, 0.5}) {
    FieldWeights weights = weightsOf(Scaling::residual);
    ASSERT_TRUE(weights.observe(Reals{1.0, 0.0, 1.0}, Reals{9.0, 9.0, 9.0}, true));
    EXPECT_EQ(weights.observe(Reals{growth, 0.0, 1.0}, Reals{9.0, 9.0, 9.0}, false), growth > 10.0);
    EXPECT_EQ(weights.weights()[0], growth > 10.0 ? 1.0 / growth : 1.0);
    EXPECT_FALSE(weights.observe(Reals{20.0 * growth, 0.0, 20.0}, Reals{9.0, 9.0, 9.0}, false))
        << "a common factor has no influence";
  }
}

TEST(FieldWeights, OfAFieldThatIsZeroOrNotFiniteStay) {
  for (const double bad : {0.0, kNan, kInfinity}) {
    FieldWeights weights = weightsOf(Scaling::residual);
    ASSERT_TRUE(weights.observe(Reals{0.0, 2.0, 4.0}, Reals{1.0, 1.0, 1.0}, true));
    EXPECT_TRUE(weights.observe(Reals{0.0, bad, 8.0}, Reals{1.0, 1.0, 1.0}, true));
    EXPECT_EQ(copyOf(weights.weights()), (Reals{0.5, 0.125}));
    EXPECT_EQ(copyOf(weights.changes()), (Reals{1.0, 0.5}));
    EXPECT_FALSE(weights.observe(Reals{0.0, bad, 8e3}, Reals{1.0, 1.0, 1.0}, false)) << "one field alone";
    EXPECT_FALSE(weights.observe(Reals{0.0, 0.0, 0.0}, Reals{1.0, 1.0, 1.0}, false));
  }
}

TEST(FieldWeights, ByResidualsMayAddUpTheirShares) {
  FieldWeights weights = weightsOf(Scaling::residualSum);
  weights.begin();
  ASSERT_TRUE(weights.observe(Reals{3.0, 0.0, 4.0}, Reals{1.0, 1.0, 1.0}, true));
  EXPECT_DOUBLE_EQ(weights.weights()[0], 1.0 / 0.6);
  EXPECT_DOUBLE_EQ(weights.weights()[1], 1.0 / 0.8);
  ASSERT_TRUE(weights.observe(Reals{0.0, 80.0, 60.0}, Reals{1.0, 1.0, 1.0}, true));
  EXPECT_DOUBLE_EQ(weights.weights()[0], 1.0 / 1.4);
  ASSERT_TRUE(weights.observe(Reals{0.0, 0.0, 0.0}, Reals{1.0, 1.0, 1.0}, true));
  EXPECT_DOUBLE_EQ(weights.weights()[0], 1.0 / 1.4) << "no residual has no shares";
  weights.begin();
  ASSERT_TRUE(weights.observe(Reals{3.0, 0.0, 4.0}, Reals{1.0, 1.0, 1.0}, true));
  EXPECT_DOUBLE_EQ(weights.weights()[0], 1.0 / 0.6) << "a new step";
}

TEST(FieldWeights, AreNoneWithoutScalingOrFields) {
  FieldWeights none = weightsOf(Scaling::none);
  EXPECT_FALSE(none.observe(Reals{1.0, 2.0, 3.0}, Reals{1.0, 2.0, 3.0}, true));
  const Reals vector{1.0, 2.0, 3.0};
  EXPECT_EQ(none.applied(vector).data(), vector.data());
  FieldWeights one(Scaling::value, {.size = 3});
  EXPECT_FALSE(one.observe(vector, vector, true));
}

VectorXd vectorOf(const Reals& values) {
  return VectorXd::Map(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// A mildly nonlinear map of five values that moves on from step to step.
Reals answersTo(const Reals& u, int step) {
  const std::size_t n = u.size();
  Reals a(n);
  for (std::size_t i = 0; i < n; ++i)
    a[i] = -1.5 * std::sin(1.0 + static_cast<double>(i)) * u[i] + 0.4 * u[(i + 1) % n] + 0.05 * u[i] * u[i] + 1.0 +
           0.3 * std::cos(static_cast<double>(step) + static_cast<double>(i));
  return a;
}

/// What a method makes of an iteration, by plain matrices. Called as accelerators are.
class Reference {
 public:
  virtual ~Reference() = default;
  virtual void begin() = 0;
  virtual VectorXd next(const VectorXd& u, const VectorXd& a) = 0;
  virtual void accept() = 0;
};

MatrixXd joined(const std::vector<VectorXd>& columns) {
  MatrixXd matrix(columns[0].size(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) matrix.col(static_cast<Eigen::Index>(j)) = columns[j];
  return matrix;
}

VectorXd leastSquares(const MatrixXd& matrix, const VectorXd& right) {
  return core::detail::shortestLeastSquares(matrix, right);
}

MatrixXd pseudoInverse(const MatrixXd& matrix) {
  return core::detail::shortestLeastSquares(matrix, MatrixXd::Identity(matrix.rows(), matrix.rows()));
}

/// u + beta r + W c, V c = -r: Anderson, and with beta = 1 and columns of earlier steps IQN-ILS.
class LeastSquares final : public Reference {
 public:
  LeastSquares(double factor, double beta, int reused) : factor_(factor), beta_(beta), reused_(reused) {}
  void begin() override {
    v_.resize(kept_);
    w_.resize(kept_);
    last_.reset();
    while (static_cast<int>(counts_.size()) > reused_) {
      v_.erase(v_.begin(), v_.begin() + counts_[0]);
      w_.erase(w_.begin(), w_.begin() + counts_[0]);
      counts_.erase(counts_.begin());
    }
    kept_ = v_.size();
  }
  VectorXd next(const VectorXd& u, const VectorXd& a) override {
    const VectorXd r = a - u;
    const VectorXd g = u + beta_ * r;
    if (last_) {
      v_.push_back(r - last_->first);
      w_.push_back(g - last_->second);
    }
    last_.emplace(r, g);
    if (v_.empty()) return u + factor_ * r;
    return g + joined(w_) * leastSquares(joined(v_), -r);
  }
  void accept() override {
    counts_.push_back(static_cast<std::ptrdiff_t>(v_.size() - kept_));
    kept_ = v_.size();
  }

 private:
  double factor_, beta_;
  int reused_;
  std::vector<VectorXd> v_, w_;  // oldest first
  std::size_t kept_ = 0;
  std::vector<std::ptrdiff_t> counts_;  // of accepted steps
  std::optional<std::pair<VectorXd, VectorXd>> last_;
};

/// J = J_before + (W - J_before V) V^+, next = a - J r.
class MultiVector final : public Reference {
 public:
  /// `single`: only the last accepted step is kept, as if the run had begun with it.
  MultiVector(double factor, Eigen::Index n, bool single = false)
      : factor_(factor), single_(single), before_(MatrixXd::Zero(n, n)) {}
  void begin() override {
    v_.clear();
    w_.clear();
    last_.reset();
  }
  VectorXd next(const VectorXd& u, const VectorXd& a) override {
    const VectorXd r = a - u;
    if (last_) {
      v_.push_back(r - last_->first);
      w_.push_back(a - last_->second);
    }
    last_.emplace(r, a);
    if (v_.empty() && !knows_) return u + factor_ * r;
    return a - jacobian() * r;
  }
  void accept() override {
    if (single_ && !v_.empty())
      before_ = joined(w_) * pseudoInverse(joined(v_));
    else
      before_ = jacobian();
    knows_ = knows_ || !v_.empty();
  }

 private:
  [[nodiscard]] MatrixXd jacobian() const {
    if (v_.empty()) return before_;
    const MatrixXd V = joined(v_);
    return before_ + (joined(w_) - before_ * V) * pseudoInverse(V);
  }
  double factor_;
  bool single_;
  MatrixXd before_;
  bool knows_ = false;
  std::vector<VectorXd> v_, w_;
  std::optional<std::pair<VectorXd, VectorXd>> last_;
};

/// The good update of H, the inverse Jacobian of r, next = u - H r; where the determinant would shrink to less than a
/// tenth only a part of the update (More and Trangenstein).
class Broyden final : public Reference {
 public:
  Broyden(double factor, Eigen::Index n) : h_(-factor * MatrixXd::Identity(n, n)), kept_(h_) {}
  void begin() override {
    h_ = kept_;
    last_.reset();
  }
  VectorXd next(const VectorXd& u, const VectorXd& a) override {
    const VectorXd r = a - u;
    if (last_) {
      const VectorXd s = u - last_->first;
      const VectorXd y = r - last_->second;
      const double delta = s.dot(h_ * y) / s.squaredNorm();
      double theta = 1.0;
      if (std::fabs(delta) < 0.1) {
        theta = (1.0 - (delta < 0.0 ? -0.1 : 0.1)) / (1.0 - delta);
        ++damped;
      }
      const VectorXd p = theta * (s - h_ * y) / ((1.0 - theta + theta * delta) * s.squaredNorm());
      h_ = (h_ + p * (s.transpose() * h_)).eval();
    }
    last_.emplace(u, r);
    return u - h_ * r;
  }
  void accept() override { kept_ = h_; }
  int damped = 0;

 private:
  MatrixXd h_, kept_;
  std::optional<std::pair<VectorXd, VectorXd>> last_;
};

AccelerationSettings plain(AcceleratorKind kind, unsigned reused = 8) {
  return {.kind = kind, .factor = 0.3, .reusedSteps = reused, .columns = 50, .filter = Filter::none};
}

/// Steps of so many iterations, some of which are thrown away.
void expectSame(const AccelerationSettings& settings, Reference& reference, const std::vector<int>& iterations,
                std::string_view method, std::size_t n = 9) {
  const auto accelerator = quasiNewton(settings, {.size = n});
  for (std::size_t step = 0; step < iterations.size(); ++step) {
    accelerator->begin();
    reference.begin();
    Reals u(n, 0.1 * static_cast<double>(step));
    for (int i = 0; i < iterations[step]; ++i) {
      const Reals answered = answersTo(u, static_cast<int>(step));
      const VectorXd expected = reference.next(vectorOf(u), vectorOf(answered));
      u = secants_test::next(*accelerator, u, answered);
      EXPECT_LT((vectorOf(u) - expected).norm(), 1e-8 * (1.0 + expected.norm())) << method << ' ' << step << ' ' << i;
    }
    EXPECT_EQ(accelerator->doings().method, method);
    if (step == 0) {
      EXPECT_EQ(accelerator->doings().dropped, 0U);
      EXPECT_EQ(accelerator->doings().columns, static_cast<unsigned>(iterations[0] - 1));
    }
    if (step % 3 == 2) continue;
    accelerator->accept();
    reference.accept();
  }
}

TEST(QuasiNewton, ByLeastSquaresSolvesForTheColumnsOfItsSteps) {
  for (const int reused : {0, 1, 2}) {
    LeastSquares reference(0.3, 1.0, reused);
    expectSame(plain(AcceleratorKind::iqnIls, static_cast<unsigned>(reused)), reference, {3, 3, 4, 3, 2, 4}, "iqn-ils");
  }
}

TEST(QuasiNewton, ByAndersonMixesTheStepsOwnIterations) {
  LeastSquares reference(0.3, 0.3, 0);
  expectSame(plain(AcceleratorKind::anderson), reference, {4, 3, 5, 4}, "anderson");
}

TEST(QuasiNewton, ByMultiVectorUpdatesKeepsAJacobian) {
  MultiVector reference(0.3, 9);
  expectSame(plain(AcceleratorKind::iqnImvj), reference, {4, 3, 4, 3, 2}, "iqn-imvj");
}

TEST(QuasiNewton, ByMultiVectorUpdatesForgetsTheOldestStepAsIfItHadNotBeen) {
  MultiVector reference(0.3, 9, true);
  expectSame(plain(AcceleratorKind::iqnImvj, 1), reference, {3, 3, 4, 3, 2}, "iqn-imvj");
}

TEST(QuasiNewton, ByBroydenUpdatesAnInverse) {
  Broyden reference(0.3, 9);
  expectSame(plain(AcceleratorKind::broyden), reference, {6, 5, 4, 5}, "broyden");
}

/// F(u) = (g u1 + 1, 0): from 0 the relaxed first step is s = 0.3, y = (g - 1) s, and -0.3 (g - 1) the change of the
/// determinant.
TEST(QuasiNewton, ByBroydenKeepsTheDeterminantFromVanishing) {
  int damped = 0;
  for (const double g : {0.9, 1.2, 0.5, -2.0}) {
    Broyden reference(0.3, 2);
    const auto accelerator = quasiNewton(plain(AcceleratorKind::broyden), {.size = 2});
    accelerator->begin();
    reference.begin();
    Reals u{0.0, 0.0};
    for (int i = 0; i < 4; ++i) {
      const Reals answered{g * u[0] + 1.0 + 0.01 * i, 0.5 * u[1] + 0.1 * u[0]};
      const VectorXd expected = reference.next(vectorOf(u), vectorOf(answered));
      u = next(*accelerator, u, answered);
      EXPECT_LT((vectorOf(u) - expected).norm(), 1e-10 * (1.0 + expected.norm())) << g << i;
    }
    damped += reference.damped;
  }
  EXPECT_GT(damped, 1);
}

TEST(QuasiNewton, WithAllDifferencesForgottenRelaxes) {
  for (const AcceleratorKind kind : {AcceleratorKind::iqnImvj, AcceleratorKind::iqnIls}) {
    const auto accelerator = quasiNewton(plain(kind), {.size = 3});
    accelerator->begin();
    next(*accelerator, {0.0, 0.0, 0.0}, {3.0, 1.0, 0.0});
    next(*accelerator, {0.0, 0.0, 1e100}, {2.0, 1.0, 1e100});  // 1e100 per unit of residual
    accelerator->accept();
    accelerator->begin();
    next(*accelerator, {0.0, 1.0, 0.0}, {1.0, 1.5, 0.0});
    next(*accelerator, {0.5, 1.0, 0.0}, {1.0, 1.75, 0.0});
    const Reals send = next(*accelerator, {0.0, 0.0, 0.0}, {1e300, 1e300, 1e300});
    for (const double value : send) EXPECT_DOUBLE_EQ(value, 0.3e300);
    EXPECT_EQ(accelerator->doings().method, "relaxation");
    EXPECT_EQ(accelerator->doings().columns, 0U);
    EXPECT_EQ(accelerator->doings().dropped, 2U);
    EXPECT_TRUE(accelerator->hasRemark());
    EXPECT_EQ(
        accelerator->takeRemark(),
        std::string(kind == AcceleratorKind::iqnIls ? "iqn-ils" : "iqn-imvj") +
            " gave a value that is not finite: all differences are forgotten, and the values are relaxed instead.");
    EXPECT_FALSE(accelerator->hasRemark());
    accelerator->begin();
    EXPECT_DOUBLE_EQ(next(*accelerator, {0.0, 0.0, 0.0}, {1.0, 1.0, 1.0})[1], 0.3);
  }
}

TEST(QuasiNewton, IsNotMadeOfOtherKinds) {
  EXPECT_THROW(quasiNewton({.kind = AcceleratorKind::aitken}, {.size = 2}), std::logic_error);
}

}  // namespace
}  // namespace koppla::coupling::secants_test
