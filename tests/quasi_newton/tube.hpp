#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>
#include <vector>

/// Flow through an elastic tube (after Degroote, Bruggeman, Haelterman and Vierendeels, Comput. Struct. 2008). With
/// areas a given at nodes 0..N, density 1, means of neighbours at i + 1/2, the fluid's velocities v and pressures p
/// obey
///
///     (a_i - a_i,old) dx/dt + a_i+1/2 v_i+1/2 - a_i-1/2 v_i-1/2 = 0                                     i = 1..N-1
///     (a_i v_i - a_i,old v_i,old) dx/dt + a_i+1/2 v_i+1/2 v_i - a_i-1/2 v_i-1/2 v_i-1
///       + 1/2 a_i-1/2 (p_i - p_i-1) + 1/2 a_i+1/2 (p_i+1 - p_i) = 0
///     v_0 = 10 + 3 sin(10 pi t),  p_0 = 2 p_1 - p_2,  v_N = 2 v_N-1 - v_N-2,
///     p_N = 2 (c^2 - (sqrt(c^2 - p_N,old/2) - (v_N - v_N,old)/4)^2)                                 (non-reflecting)
///
/// and the wall answers with a = (2 c^2 / (2 c^2 - p))^2. The loop's eigenvalues in the first step reach -148.
namespace koppla::test::tube {

constexpr std::size_t kCells = 100;
constexpr std::size_t kNodes = kCells + 1;
constexpr double kSpacing = 0.1;                                    // m
constexpr double kStep = 0.01;                                      // s
constexpr double kSpeedSquare = 1e4 * 0.5 * 1.7724538509055160273;  // c^2 = E / (2 r0), r0 = 1 / sqrt(pi)

using Nodes = std::vector<double>;

inline double norm(std::span<const double> values) {
  double square = 0.0;
  for (const double value : values) square += value * value;
  return std::sqrt(square);
}

/// Solution of A x = b, A with entries at most kBand places from the diagonal, by elimination with row exchanges.
class BandedSystem {
 public:
  static constexpr std::size_t kBand = 4;
  static constexpr std::size_t kSize = 2 * kNodes;

  void reset() {
    for (auto& row : rows_) row.fill(0.0);
  }
  void add(std::size_t row, std::size_t column, double value) { rows_[row][column + kBand - row] += value; }

  void solve(std::span<double> b) {
    for (std::size_t k = 0; k < kSize; ++k) {
      const std::size_t last = std::min(kSize - 1, k + kBand);
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i <= last; ++i)
        if (std::fabs(at(i, k)) > std::fabs(at(pivot, k))) pivot = i;
      const std::size_t end = std::min(kSize, k + 2 * kBand + 1);
      if (pivot != k) {
        for (std::size_t j = k; j < end; ++j) std::swap(at(k, j), at(pivot, j));
        std::swap(b[k], b[pivot]);
      }
      for (std::size_t i = k + 1; i <= last; ++i) {
        const double factor = at(i, k) / at(k, k);
        if (factor == 0.0) continue;
        for (std::size_t j = k + 1; j < end; ++j) at(i, j) -= factor * at(k, j);
        b[i] -= factor * b[k];
      }
    }
    for (std::size_t k = kSize; k-- > 0;) {
      for (std::size_t j = k + 1; j < std::min(kSize, k + 2 * kBand + 1); ++j) b[k] -= at(k, j) * b[j];
      b[k] /= at(k, k);
    }
  }

 private:
  /// Row exchanges let row i reach from column i - kBand to i + 2 kBand.
  double& at(std::size_t i, std::size_t j) { return rows_[i][j + kBand - i]; }
  std::vector<std::array<double, 4 * kBand + 1>> rows_{kSize};
};

class Fluid {
 public:
  double newtonTolerance = 1e-10;  ///< of the residual, in units of |(p, v)|

  Fluid() {
    for (std::size_t i = 0; i < kNodes; ++i) x_[velocity(i)] = 10.0;
    old_ = x_;
  }

  /// Pressures for areas a at the end t of the step; Newton's method starts from the last iterate.
  Nodes solve(double t, const Nodes& a) {
    for (int iteration = 0; iteration < 50; ++iteration) {
      evaluate(t, a);
      if (!(norm(residual_) >= newtonTolerance * norm(x_))) break;
      system_.solve(residual_);
      for (std::size_t i = 0; i < x_.size(); ++i) x_[i] -= residual_[i];
    }
    Nodes p(kNodes);
    for (std::size_t i = 0; i < kNodes; ++i) p[i] = x_[pressure(i)];
    return p;
  }
  void accept(const Nodes& a) {
    old_ = x_;
    oldArea_ = a;
  }
  [[nodiscard]] double velocityAt(std::size_t node) const { return x_[velocity(node)]; }

 private:
  static constexpr std::size_t pressure(std::size_t node) { return 2 * node; }
  static constexpr std::size_t velocity(std::size_t node) { return 2 * node + 1; }

  /// Residual and Jacobian.
  void evaluate(double t, const Nodes& a) {
    system_.reset();
    const auto set = [this](std::size_t row, double value, std::initializer_list<std::pair<std::size_t, double>> row_) {
      residual_[row] = value;
      for (const auto& [column, derivative] : row_) system_.add(row, column, derivative);
    };
    const auto v = [this](std::size_t i) { return x_[velocity(i)]; };
    const auto p = [this](std::size_t i) { return x_[pressure(i)]; };
    constexpr double kRatio = kSpacing / kStep;
    constexpr std::size_t N = kCells;
    set(0, p(0) - 2 * p(1) + p(2), {{pressure(0), 1}, {pressure(1), -2}, {pressure(2), 1}});
    set(1, v(0) - (10 + 3 * std::sin(10 * std::numbers::pi * t)), {{velocity(0), 1}});
    for (std::size_t i = 1; i < N; ++i) {
      const double left = 0.5 * (a[i - 1] + a[i]), right = 0.5 * (a[i] + a[i + 1]);
      const double in = left * 0.5 * (v(i - 1) + v(i)), out = right * 0.5 * (v(i) + v(i + 1));
      set(2 * i, (a[i] - oldArea_[i]) * kRatio + out - in,
          {{velocity(i - 1), -0.5 * left}, {velocity(i), 0.5 * right - 0.5 * left}, {velocity(i + 1), 0.5 * right}});
      set(2 * i + 1,
          (a[i] * v(i) - oldArea_[i] * old_[velocity(i)]) * kRatio + out * v(i) - in * v(i - 1) +
              0.5 * left * (p(i) - p(i - 1)) + 0.5 * right * (p(i + 1) - p(i)),
          {{velocity(i - 1), -0.5 * left * v(i - 1) - in},
           {velocity(i), a[i] * kRatio + 0.5 * right * v(i) + out - 0.5 * left * v(i - 1)},
           {velocity(i + 1), 0.5 * right * v(i)},
           {pressure(i - 1), -0.5 * left},
           {pressure(i), 0.5 * left - 0.5 * right},
           {pressure(i + 1), 0.5 * right}});
    }
    const double root = std::sqrt(kSpeedSquare - 0.5 * old_[pressure(N)]) - 0.25 * (v(N) - old_[velocity(N)]);
    set(2 * N, p(N) - 2 * (kSpeedSquare - root * root), {{pressure(N), 1}, {velocity(N), -root}});
    set(2 * N + 1, v(N) - 2 * v(N - 1) + v(N - 2), {{velocity(N), 1}, {velocity(N - 1), -2}, {velocity(N - 2), 1}});
  }

  std::vector<double> x_ = std::vector<double>(2 * kNodes), old_;
  Nodes oldArea_ = Nodes(kNodes, 1.0);
  std::vector<double> residual_ = std::vector<double>(2 * kNodes);
  BandedSystem system_;
};

inline Nodes wall(const Nodes& p) {
  Nodes a(p.size());
  std::ranges::transform(p, a.begin(), [](double pressure) {
    const double ratio = 2 * kSpeedSquare / (2 * kSpeedSquare - pressure);
    return ratio * ratio;
  });
  return a;
}

struct Result {
  int iterations = 0;
  bool converged = true;
  Nodes p, a;
  double p0AfterFirstStep = 0.0;
  double v50 = 0.0;
};

struct Problem {
  double tolerance = 1e-5;  ///< relative, of the areas' residual and of the pressures' change
  double newtonTolerance = 1e-10;
  int steps = 100;
  int mostIterations = 5000;  ///< of a step
};

/// What is told and asked in a run; the areas are what is accelerated.
struct Loop {
  std::function<void()> begin = [] {};
  std::function<void(const Nodes& sent, const Nodes& answered)> learn = [](const Nodes&, const Nodes&) {};
  std::function<void(Nodes& send)> propose;  ///< `send` holds what was answered
  std::function<void()> accept = [] {};
};

/// Gauss-Seidel, fluid first. Converged when |a~ - a| <= tol |a~| and |p - p_before| <= tol |p|; the first a of a step
/// is the accepted one of the step before.
inline Result run(const Problem& problem, const Loop& loop) {
  Fluid fluid;
  fluid.newtonTolerance = problem.newtonTolerance;
  Result result;
  Nodes accepted(kNodes, 1.0);
  Nodes before(kNodes, 0.0);
  for (int step = 1; step <= problem.steps && result.converged; ++step) {
    loop.begin();
    Nodes a = accepted;
    result.converged = false;
    for (int iteration = 0; iteration < problem.mostIterations && !result.converged; ++iteration) {
      ++result.iterations;
      const Nodes p = fluid.solve(kStep * step, a);
      Nodes answered = wall(p);
      Nodes residual(kNodes), change(kNodes);
      std::ranges::transform(answered, a, residual.begin(), std::minus<>());
      std::ranges::transform(p, before, change.begin(), std::minus<>());
      result.converged = norm(residual) <= problem.tolerance * norm(answered) &&
                         norm(change) <= problem.tolerance * norm(p) && std::isfinite(norm(p));
      loop.learn(a, answered);
      before = p;
      a = answered;
      if (!result.converged) loop.propose(a);
    }
    loop.accept();
    fluid.accept(a);
    accepted = a;
    if (step == 1) result.p0AfterFirstStep = before[0];
  }
  result.p = before;
  result.a = accepted;
  result.v50 = fluid.velocityAt(50);
  return result;
}

}  // namespace koppla::test::tube
