#include <array>
#include <cmath>
#include <cstdint>

#include <Eigen/Core>

#include "koppla/core/matrix_exponential.hpp"
#include "koppla/solver/detail/method.hpp"
#include "koppla/solver/detail/scalars.hpp"
#include "koppla/subsystem/micro_steps.hpp"

namespace koppla::solver::detail {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What a step of length H does to states and inputs: x(H) = phi x(0) + sum_k gains[k] a_k, where gains[k] = H I_k B
/// and u = sum_k a_k s^k, I_k = int_0^1 expm(A H (1 - s)) s^k ds.
struct Propagator {
  double length = 0.0;  ///< H, s
  unsigned degree = 0;  ///< of the inputs
  MatrixXd phi;
  std::array<MatrixXd, subsystem::kMaxDegree + 1> gains;
};

/// The block matrix with A H in the first diagonal block and identities above the diagonal has Phi and I_k / k! in the
/// first row of blocks of its exponential (Schmoll notes, 10.2; C. Van Loan, IEEE Trans. Autom. Control 23 (1978)). In
/// long double: the error of a propagator goes into every step alike.
Propagator propagator(const MatrixXd& a, const MatrixXd& b, double length, unsigned degree) {
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Index n = a.rows();
  const Index powers = b.cols() == 0 ? 0 : static_cast<Index>(degree) + 1;
  Matrix blocks = Matrix::Zero(n * (powers + 1), n * (powers + 1));
  blocks.topLeftCorner(n, n) = a.cast<long double>() * length;
  for (Index k = 0; k < powers; ++k) blocks.block(n * k, n * (k + 1), n, n).setIdentity();
  const std::vector<long double> entries = core::exponential({blocks.data(), static_cast<std::size_t>(blocks.size())});
  const Eigen::Map<const Matrix> exponential(entries.data(), blocks.rows(), blocks.cols());
  Propagator result;
  result.length = length;
  result.degree = degree;
  result.phi = exponential.topLeftCorner(n, n).cast<double>();
  double factorial = 1.0;
  for (Index k = 0; k < powers; ++k) {
    if (k > 1) factorial *= static_cast<double>(k);
    const MatrixXd integral = exponential.block(0, n * (k + 1), n, n).cast<double>();
    result.gains[static_cast<std::size_t>(k)] = length * factorial * integral * b;
  }
  return result;
}

/// The length to 30 binary digits. Steps of a grid differ by the rounding of its points; they must share a propagator,
/// and which one must not depend on what came before, or a repeated step would differ in its last bits.
double rounded(double length) {
  constexpr int kDigits = 30;
  int exponent = 0;
  const double mantissa = std::frexp(length, &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, kDigits)), exponent - kDigits);
}

class Exact final : public Method {
 public:
  Exact(const Equations& equations, double microStep) : microStep_(microStep) {
    const auto n = static_cast<Index>(equations.stateCount());
    const auto inputs = static_cast<Index>(realScalars(equations.describe(), subsystem::Causality::input));
    const LinearForm linear = equations.linear();
    a_ = Eigen::Map<const RowMajor>(linear.a.data(), n, n);
    b_ = Eigen::Map<const RowMajor>(linear.b.data(), n, inputs);
    next_.resize(n);
    slope_.resize(equations.stateCount());
  }

  Progress advance(StepEquations& problem, bool single, std::span<double> x) override {
    const double length = single ? subsystem::singleMicroStep(problem.length(), microStep_) : problem.length();
    if (length <= 0.0) return {true, length};
    if (!x.empty()) propagate(problem, length, x);
    ++problem.effort.microSteps;
    return {allFinite(x), length};
  }

 private:
  void propagate(StepEquations& problem, double length, std::span<double> x) {
    const Propagator& over = propagatorFor(rounded(length), problem.degree());
    Eigen::Map<VectorXd> states(x.data(), next_.size());
    next_.noalias() = over.phi * states;
    const double ratio = over.length / problem.length();
    double power = 1.0;
    for (unsigned k = 0; k <= problem.degree() && b_.cols() > 0; ++k, power *= ratio)
      next_.noalias() += power * (over.gains[k] * Eigen::Map<const VectorXd>(problem.power(k).data(), b_.cols()));
    states = next_;
    // The rest that rounding of the length left, below 1e-9 of it: its square is lost in rounding.
    const double rest = length - over.length;
    if (rest == 0.0) return;
    problem.derivatives(over.length, x, slope_);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += rest * slope_[i];
  }

  const Propagator& propagatorFor(double length, unsigned degree) {
    for (const Propagator& known : known_)
      if (known.length == length && known.degree == degree) return known;
    oldest_ = (oldest_ + 1) % known_.size();
    known_[oldest_] = propagator(a_, b_, length, degree);
    return known_[oldest_];
  }

  double microStep_;
  MatrixXd a_;
  MatrixXd b_;
  VectorXd next_;
  std::vector<double> slope_;
  /// A step control that tries whole and half steps needs more than one; a new length costs an exponential.
  std::array<Propagator, 4> known_;
  std::size_t oldest_ = 0;
};

}  // namespace

std::unique_ptr<Method> makeExact(const Equations& equations, const IntegratorSettings& settings) {
  return std::make_unique<Exact>(equations, settings.microStep);
}

}  // namespace koppla::solver::detail
