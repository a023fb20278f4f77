#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "koppla/core/detail/dense.hpp"
#include "koppla/coupling/accelerator.hpp"

#include "support/allocations.hpp"

namespace koppla::coupling {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::span<const double> view(const VectorXd& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}
std::span<double> view(VectorXd& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

/// F(u) = A u + b
struct LinearLoop {
  MatrixXd A;
  VectorXd b;

  [[nodiscard]] VectorXd operator()(const VectorXd& u) const { return A * u + b; }
  [[nodiscard]] VectorXd solution() const { return core::detail::solve(MatrixXd::Identity(A.rows(), A.rows()) - A, b); }
};

/// Diverges without acceleration: eigenvalues from -8 to 0.5.
LinearLoop strongLoop(int n) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const MatrixXd basis = MatrixXd::Identity(n, n) + MatrixXd::NullaryExpr(n, n, [&] { return 0.1 * normal(random); });
  const VectorXd eigenvalues = VectorXd::LinSpaced(n, -8.0, 0.5);
  return {basis * eigenvalues.asDiagonal() * core::detail::solve(basis, MatrixXd(MatrixXd::Identity(n, n))),
          VectorXd::LinSpaced(n, 1.0, 2.0)};
}

/// Iterations of one step until the error, relative to each value, is small; or 1000.
template <class Loop>
int iterate(Accelerator& accelerator, const Loop& loop, VectorXd u, const VectorXd& solution) {
  accelerator.begin();
  for (int iteration = 1; iteration < 1000; ++iteration) {
    VectorXd answered = loop(u);
    accelerator.learn(view(u), view(answered));
    if (((answered - solution).array().abs() <= 1e-7 * solution.array().abs()).all()) {
      accelerator.accept();
      return iteration;
    }
    accelerator.propose(view(answered));
    u = answered;
  }
  return 1000;
}

AccelerationSettings settingsOf(AcceleratorKind kind) {
  return {.kind = kind, .factor = 0.2, .reusedSteps = 2, .columns = 50, .filterLimit = 1e-10};
}

int iterationsFor(const AccelerationSettings& settings, int n) {
  const LinearLoop loop = strongLoop(n);
  const auto accelerator = quasiNewton(settings, {.size = static_cast<std::size_t>(n)});
  return iterate(*accelerator, loop, VectorXd::Zero(n), loop.solution());
}

TEST(QuasiNewton, SolvesALinearLoopInAsManyIterationsAsItHasValues) {
  for (const int n : {1, 2, 5, 8}) {
    EXPECT_LE(iterationsFor(settingsOf(AcceleratorKind::iqnIls), n), n + 2) << n;
    EXPECT_LE(iterationsFor(settingsOf(AcceleratorKind::iqnImvj), n), n + 2) << n;
    EXPECT_LE(iterationsFor(settingsOf(AcceleratorKind::anderson), n), n + 2) << n;
    EXPECT_LE(iterationsFor(settingsOf(AcceleratorKind::broyden), n), 2 * n + 2) << n;  // Gay 1979
  }
}

TEST(QuasiNewton, KnowsALinearLoopInTheNextStep) {
  for (const AcceleratorKind kind : {AcceleratorKind::iqnIls, AcceleratorKind::iqnImvj}) {
    LinearLoop loop = strongLoop(5);
    const auto accelerator = quasiNewton(settingsOf(kind), {.size = 5});
    iterate(*accelerator, loop, VectorXd::Zero(5), loop.solution());
    for (int step = 0; step < 2; ++step) {  // as many as are reused
      loop.b *= -1.5;
      EXPECT_LE(iterate(*accelerator, loop, VectorXd::Ones(5), loop.solution()), 3) << step;
    }
  }
}

TEST(QuasiNewton, RelaxesTheFirstIterationOfEveryStepWithoutReuse) {
  for (const AcceleratorKind kind :
       {AcceleratorKind::iqnIls, AcceleratorKind::iqnImvj, AcceleratorKind::anderson, AcceleratorKind::broyden}) {
    const LinearLoop loop = strongLoop(4);
    AccelerationSettings settings = settingsOf(kind);
    settings.reusedSteps = 0;
    const auto accelerator = quasiNewton(settings, {.size = 4});
    for (int step = 0; step < 3; ++step) {
      accelerator->begin();
      const VectorXd u = VectorXd::Constant(4, step);
      VectorXd send = loop(u);
      const VectorXd relaxed = u + 0.2 * (send - u);
      accelerator->learn(view(u), view(send));
      accelerator->propose(view(send));
      EXPECT_LT((send - relaxed).norm(), 1e-14 * relaxed.norm());
      EXPECT_EQ(accelerator->doings().method, "relaxation");
      EXPECT_EQ(accelerator->doings().columns, 0U);
      iterate(*accelerator, loop, u, loop.solution());
      EXPECT_NE(accelerator->doings().method, "relaxation");
      EXPECT_GT(accelerator->doings().columns, 0U);
    }
  }
}

TEST(QuasiNewton, ForgetsAStepThatIsThrownAway) {
  for (const AcceleratorKind kind : {AcceleratorKind::iqnIls, AcceleratorKind::iqnImvj, AcceleratorKind::broyden}) {
    const LinearLoop loop = strongLoop(6);
    const auto accelerator = quasiNewton(settingsOf(kind), {.size = 6});
    const auto teach = [&](int iterations, double start) {
      accelerator->begin();
      VectorXd u = VectorXd::LinSpaced(6, start, 2.0);
      for (int i = 0; i < iterations; ++i) {
        VectorXd answered = loop(u);
        accelerator->learn(view(u), view(answered));
        accelerator->propose(view(answered));
        u = answered;
      }
      return u;
    };
    teach(3, 0.0);
    accelerator->accept();
    const VectorXd first = teach(1, 1.0);
    teach(4, -1.0);  // not accepted
    EXPECT_LT((teach(1, 1.0) - first).norm(), 1e-12 * first.norm());
    EXPECT_EQ(accelerator->doings().columns, 2U);
  }
}

/// A strong loop in other units: F_D(u) = D F(u / D).
struct ScaledLoop {
  LinearLoop loop;
  VectorXd units;

  [[nodiscard]] VectorXd operator()(const VectorXd& u) const {
    return units.cwiseProduct(loop(u.cwiseQuotient(units)));
  }
};

TEST(QuasiNewton, ScalesFieldsOfUnlikeSize) {
  LinearLoop loop = strongLoop(6);
  const ScaledLoop scaled{loop, VectorXd{{1e-6, 1e-6, 1e-6, 1e6, 1e6, 1e6}}};
  const VectorXd solution = scaled.units.cwiseProduct(loop.solution());
  for (const AcceleratorKind kind :
       {AcceleratorKind::iqnIls, AcceleratorKind::iqnImvj, AcceleratorKind::anderson, AcceleratorKind::broyden})
    for (const Scaling scaling : {Scaling::value, Scaling::residual, Scaling::residualSum}) {
      AccelerationSettings settings = settingsOf(kind);
      settings.scaling = scaling;
      const auto accelerator = quasiNewton(settings, {.size = 6, .fields = {{0, 3}, {3, 6}}});
      EXPECT_LE(iterate(*accelerator, scaled, VectorXd::Zero(6), solution), kind == AcceleratorKind::broyden ? 24 : 9)
          << static_cast<int>(kind) << " " << static_cast<int>(scaling);
    }
}

/// Two more values, always zero, and two that the loop does not change.
TEST(QuasiNewton, BearsFieldsThatAreZero) {
  const LinearLoop inner = strongLoop(4);
  const auto loop = [&](const VectorXd& u) {
    VectorXd result(8);
    result << inner(u.head(4)), 0.0, 0.0, u.tail(2);
    return result;
  };
  VectorXd solution(8);
  solution << inner.solution(), 0.0, 0.0, 3.0, 3.0;
  VectorXd start = VectorXd::Zero(8);
  start.tail(2).setConstant(3.0);
  for (const AcceleratorKind kind :
       {AcceleratorKind::iqnIls, AcceleratorKind::iqnImvj, AcceleratorKind::anderson, AcceleratorKind::broyden})
    for (const Scaling scaling : {Scaling::none, Scaling::value, Scaling::residual, Scaling::residualSum}) {
      AccelerationSettings settings = settingsOf(kind);
      settings.scaling = scaling;
      const auto accelerator = quasiNewton(settings, {.size = 8, .fields = {{0, 4}, {4, 6}, {6, 8}}});
      for (int step = 0; step < 3; ++step) EXPECT_LE(iterate(*accelerator, loop, start, solution), 20);
    }
}

TEST(QuasiNewton, AcceptsALoopThatIsConvergedAtOnce) {
  const auto loop = [](const VectorXd& u) { return u; };
  for (const AcceleratorKind kind :
       {AcceleratorKind::iqnIls, AcceleratorKind::iqnImvj, AcceleratorKind::anderson, AcceleratorKind::broyden}) {
    const auto accelerator = quasiNewton(settingsOf(kind), {.size = 3});
    const VectorXd u = VectorXd::Ones(3);
    for (int step = 0; step < 3; ++step) {
      accelerator->begin();
      VectorXd send = loop(u);
      for (int i = 0; i < 3; ++i) {
        accelerator->learn(view(u), view(send));
        accelerator->propose(view(send));
        EXPECT_EQ(send, u);
      }
      accelerator->accept();
    }
    EXPECT_EQ(accelerator->takeRemark(), "");
  }
}

TEST(QuasiNewton, RelaxesAndSaysSoWhereAProposalIsNotFinite) {
  const auto accelerator = quasiNewton(settingsOf(AcceleratorKind::iqnIls), {.size = 2});
  accelerator->begin();
  VectorXd send(2);
  const auto learn = [&](VectorXd sent, VectorXd answered) {
    accelerator->learn(view(sent), view(answered));
    accelerator->propose(view(send));
  };
  learn(VectorXd{{0.0, 0.0}}, VectorXd{{3.0, 0.0}});
  learn(VectorXd{{0.0, 1e100}}, VectorXd{{2.0, 1e100}});
  EXPECT_EQ(accelerator->takeRemark(), "");
  learn(VectorXd{{0.0, 0.0}}, VectorXd{{1e300, 0.0}});  // 1e100 per unit of residual
  EXPECT_EQ(accelerator->doings().method, "relaxation");
  EXPECT_NEAR(send[0] / 2e299, 1.0, 1e-12);
  EXPECT_NE(accelerator->takeRemark().find("not finite"), std::string::npos);
  EXPECT_EQ(accelerator->takeRemark(), "");
}

TEST(QuasiNewton, TellsHowManyDifferencesItUsesAndDrops) {
  AccelerationSettings settings = settingsOf(AcceleratorKind::iqnIls);
  settings.columns = 2;
  const LinearLoop loop = strongLoop(5);
  const auto accelerator = quasiNewton(settings, {.size = 5});
  accelerator->begin();
  VectorXd u = VectorXd::Zero(5);
  for (const auto& [columns, dropped] : {std::pair{0U, 0U}, {1U, 0U}, {2U, 0U}, {2U, 1U}}) {
    VectorXd send = loop(u);
    accelerator->learn(view(u), view(send));
    accelerator->propose(view(send));
    EXPECT_EQ(accelerator->doings().columns, columns);
    EXPECT_EQ(accelerator->doings().dropped, dropped);
    u = send;
  }
  EXPECT_EQ(accelerator->doings().method, "iqn-ils");
}

TEST(QuasiNewton, AllocatesNothingAfterTheFirstSteps) {
  const int n = 60;
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::vector<VectorXd> sent, answered;
  for (int i = 0; i < 12; ++i) {
    sent.push_back(VectorXd::NullaryExpr(n, [&] { return normal(random); }));
    answered.push_back(VectorXd::NullaryExpr(n, [&] { return normal(random); }));
  }
  for (const AcceleratorKind kind :
       {AcceleratorKind::iqnIls, AcceleratorKind::iqnImvj, AcceleratorKind::anderson, AcceleratorKind::broyden}) {
    AccelerationSettings settings = settingsOf(kind);
    settings.columns = 8;
    settings.scaling = Scaling::residualSum;
    const auto accelerator = quasiNewton(settings, {.size = 60, .fields = {{0, 20}, {20, 60}}});
    VectorXd send(n);
    const auto steps = [&](int count) {
      for (int step = 0; step < count; ++step) {
        accelerator->begin();
        for (std::size_t i = 0; i < sent.size(); ++i) {
          accelerator->learn(view(sent[i]), view(answered[i]));
          accelerator->propose(view(send));
        }
        if (step % 3 != 0) accelerator->accept();
      }
    };
    steps(10);
    const std::size_t before = test::allocations();
    steps(10);
    EXPECT_EQ(test::allocations(), before) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace koppla::coupling
