#include "koppla/native/exact_solution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/matrix_exponential.hpp"
#include "koppla/native/detail/exact_modes.hpp"
#include "koppla/native/detail/formula.hpp"

namespace koppla::native {

namespace {

using Real = long double;
using Matrix = detail::ExactModes::Matrix;
using Vector = detail::ExactModes::Vector;
using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix toMatrix(const char* name, const std::vector<std::vector<double>>& rows, std::size_t rowCount,
                std::size_t columnCount) {
  const std::string needed = fmt::format("It must be {} x {}.", rowCount, columnCount);
  if (rows.size() != rowCount)
    throw core::InputError(fmt::format("Exact solution: the matrix {} has {} rows.", name, rows.size()), needed);
  Matrix matrix(static_cast<Eigen::Index>(rowCount), static_cast<Eigen::Index>(columnCount));
  for (std::size_t i = 0; i < rowCount; ++i) {
    if (rows[i].size() != columnCount)
      throw core::InputError(fmt::format("Exact solution: row {} of {} has {} values.", i + 1, name, rows[i].size()),
                             needed);
    for (std::size_t j = 0; j < columnCount; ++j)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
  }
  return matrix;
}

Vector toVector(std::span<const double> values) {
  Vector vector(static_cast<Eigen::Index>(values.size()));
  std::ranges::copy(values, vector.begin());
  return vector;
}

class MatrixExponentialSolution final : public LinearSolution {
 public:
  MatrixExponentialSolution(Matrix A, Matrix C, Vector z0, std::vector<std::string> names, double t0)
      : A_(std::move(A)),
        C_(std::move(C)),
        z0_(std::move(z0)),
        names_(std::move(names)),
        t0_(t0),
        modes_(detail::ExactModes::of(A_)) {}

  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }
  void values(double t, std::span<double> y) const override { give(advance(t0_, z0_, t), y); }

  [[nodiscard]] std::vector<double> state(double t) const override {
    const Vector z = advance(t0_, z0_, t);
    std::vector<double> result(static_cast<std::size_t>(z.size()));
    std::ranges::transform(z, result.begin(), [](Real value) { return static_cast<double>(value); });
    return result;
  }

  void valuesFrom(double t0, std::span<const double> z0, double t, std::span<double> y) const override {
    give(advance(t0, toVector(z0), t), y);
  }

 private:
  /// exp(A (t - t0)) z0, Schmoll (2.13).
  [[nodiscard]] Vector advance(double t0, const Vector& z0, double t) const {
    const Real tau = static_cast<Real>(t) - static_cast<Real>(t0);
    if (!std::isfinite(tau)) return Vector::Constant(z0.size(), std::numeric_limits<Real>::quiet_NaN());
    if (modes_) return modes_->advance(tau, z0);
    const RowMajor scaled = A_ * tau;
    const std::vector<long double> entries =
        core::exponential({scaled.data(), static_cast<std::size_t>(scaled.size())});
    return Eigen::Map<const RowMajor>(entries.data(), A_.rows(), A_.cols()) * z0;
  }

  void give(const Vector& z, std::span<double> y) const {
    const Vector values = C_ * z;
    std::ranges::transform(values, y.begin(), [](Real value) { return static_cast<double>(value); });
  }

  Matrix A_;
  Matrix C_;
  Vector z0_;
  std::vector<std::string> names_;
  double t0_;
  std::optional<detail::ExactModes> modes_;
};

class FormulaSolution final : public ExactSolution {
 public:
  explicit FormulaSolution(const std::map<std::string, std::string>& formulas) {
    std::vector<core::Problem> problems;
    const std::vector<std::string> variables{"t"};
    for (const auto& [name, formula] : formulas) {
      names_.push_back(name);
      try {
        formulas_.emplace_back(fmt::format("exact solution '{}'", name), formula, detail::Variables{variables, time_});
      } catch (const core::InputError& error) {
        problems.insert(problems.end(), error.problems().begin(), error.problems().end());
      }
    }
    if (!problems.empty()) throw core::InputError(std::move(problems));
  }

  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }

  void values(double t, std::span<double> y) const override {
    time_[0] = t;
    std::ranges::transform(formulas_, y.begin(), [](const detail::Formula& formula) { return formula.value(); });
  }

 private:
  std::vector<std::string> names_;
  /// Where the parsers read t, written at the beginning of every call.
  mutable std::array<double, 1> time_{};
  std::vector<detail::Formula> formulas_;
};

}  // namespace

std::unique_ptr<LinearSolution> linearSolution(const std::vector<std::vector<double>>& A,
                                               const std::vector<std::vector<double>>& C, const std::vector<double>& z0,
                                               std::vector<std::string> names, double t0) {
  if (z0.empty()) throw core::InputError("Exact solution: there is no state.", "Give the states at the start.");
  Matrix a = toMatrix("A", A, z0.size(), z0.size());
  Matrix c = toMatrix("C", C, names.size(), z0.size());
  if (!a.allFinite() || !c.allFinite() || !std::ranges::all_of(z0, [](double z) { return std::isfinite(z); }))
    throw core::InputError("Exact solution: a coefficient is no finite number.", "Give finite numbers.");
  return std::make_unique<MatrixExponentialSolution>(std::move(a), std::move(c), toVector(z0), std::move(names), t0);
}

std::unique_ptr<LinearSolution> twoMassSolution(const TwoMassOscillator& p) {
  // Schmoll (2.4)-(2.12).
  const std::vector<std::vector<double>> A{{0.0, 1.0, 0.0, 0.0},
                                           {-(p.c1 + p.ck) / p.m1, -(p.d1 + p.dk) / p.m1, p.ck / p.m1, p.dk / p.m1},
                                           {0.0, 0.0, 0.0, 1.0},
                                           {p.ck / p.m2, p.dk / p.m2, -(p.c2 + p.ck) / p.m2, -(p.d2 + p.dk) / p.m2}};
  const std::vector<std::vector<double>> C{{1.0, 0.0, 0.0, 0.0},
                                           {0.0, 1.0, 0.0, 0.0},
                                           {0.0, 0.0, 1.0, 0.0},
                                           {0.0, 0.0, 0.0, 1.0},
                                           {-p.ck, -p.dk, p.ck, p.dk}};
  return linearSolution(A, C, {p.x10, p.v10, p.x20, p.v20}, {"x1", "v1", "x2", "v2", "F"});
}

std::unique_ptr<ExactSolution> formulaSolution(const std::map<std::string, std::string>& formulas) {
  return std::make_unique<FormulaSolution>(formulas);
}

}  // namespace koppla::native
