#include "bdf_reference.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "support/elimination.hpp"

namespace koppla::solver::test {

namespace {

constexpr double kTie = 1e-6;  // a rest that is longer by less belongs to the step

/// 0.9 error^(-1/(order + 1)), for errors from 1e-12 on.
double wantedFactor(double error, unsigned order) {
  return 0.9 * std::pow(std::fmax(error, 1e-12), -1.0 / (order + 1));
}

double bounded(double value, double least, double most) {
  return std::fmin(std::fmax(value, least), most);
}

/// Lagrange's polynomial of point j at t.
double lagrange(const std::vector<double>& times, std::size_t j, double t) {
  double product = 1.0;
  for (std::size_t m = 0; m < times.size(); ++m)
    if (m != j) product *= (t - times[m]) / (times[j] - times[m]);
  return product;
}

/// Its derivative at t.
double lagrangeSlope(const std::vector<double>& times, std::size_t j, double t) {
  double sum = 0.0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (k == j) continue;
    double product = 1.0 / (times[j] - times[k]);
    for (std::size_t m = 0; m < times.size(); ++m)
      if (m != j && m != k) product *= (t - times[m]) / (times[j] - times[m]);
    sum += product;
  }
  return sum;
}

}  // namespace

BdfReference::BdfReference(Derivatives f, std::vector<double> x0, IntegratorSettings settings)
    : f_(std::move(f)),
      settings_(std::move(settings)),
      points_{{0.0, std::move(x0)}},
      given_(settings_.order.value_or(0)) {}

BdfReference::Vector BdfReference::rates(double t, const Vector& x) {
  questions_.push_back({t, x});
  return f_(t, x);
}

double BdfReference::norm(const Vector& difference, const Vector& x) const {
  double squares = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    squares += std::pow(difference[i] / (settings_.rtol * std::fabs(x[i]) + settings_.atol), 2);
  return std::sqrt(squares / static_cast<double>(x.size()));
}

BdfReference::Vector BdfReference::extrapolated(double t, unsigned degree) const {
  std::vector<double> times;
  for (unsigned j = 0; j <= degree; ++j) times.push_back(points_.at(j).t);
  Vector sum(x_.size(), 0.0);
  for (unsigned j = 0; j <= degree; ++j)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += lagrange(times, j, t) * points_[j].x[i];
  return sum;
}

void BdfReference::begin(double length) {
  started_ = true;
  x_ = points_.front().x;
  order_ = given_;
  const bool chooses = settings_.firstMicroStep == 0.0;
  if (given_ == 0 || chooses) rise();
  h_ = settings_.firstMicroStep;
  if (chooses) {
    const Vector& x = points_.front().x;
    h_ = 0.01 * std::fmax(norm(x, x), 1.0) / norm(tangent_, x);
    if (settings_.microStep > 0.0) h_ = std::fmin(h_, settings_.microStep);
  }
  h_ = std::fmin(h_, length);
}

void BdfReference::rise() {
  order_ = 1;
  since_ = 0;
  rising_ = given_ > 0;
  tangent_ = rates(points_.front().t, points_.front().x);
}

double BdfReference::step(double end) {
  if (!started_) begin(end - points_.front().t);
  for (;;) {
    const double from = points_.front().t;
    const double rest = end - from;
    const bool last = rest <= h_ * (1.0 + kTie);
    const double h = last ? rest : std::fmin(h_, rest / 2.0);
    t_ = last ? end : from + h;
    const bool startingUp = isStartingUp();
    if (startingUp ? explicitStep(h) : attempt(h)) break;
    ++effort_.rejectedMicroSteps;
    if (startingUp) {
      rise();
      h_ = h / 2.0;
    } else {
      ++failed_;
    }
  }
  const bool explicitly = isStartingUp();
  points_.insert(points_.begin(), {t_, x_});
  if (points_.size() > 7) points_.pop_back();
  if (!explicitly) failed_ = 0;
  if (!explicitly && order_ == given_) rising_ = false;
  ++effort_.microSteps;
  return t_;
}

/// J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980), table 2, with the embedded formula of fourth order.
bool BdfReference::explicitStep(double h) {
  const std::array<double, 7> c{0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
  const std::array<std::array<double, 6>, 7> a{
      {{},
       {1.0 / 5},
       {3.0 / 40, 9.0 / 40},
       {44.0 / 45, -56.0 / 15, 32.0 / 9},
       {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
       {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
       {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}}};
  const std::array<double, 7> fourth{5179.0 / 57600,    0.0,          7571.0 / 16695, 393.0 / 640,
                                     -92097.0 / 339200, 187.0 / 2100, 1.0 / 40};
  const Question& start = points_.front();
  std::array<Vector, 7> slopes;
  for (std::size_t i = 0; i < 7; ++i) {
    x_ = start.x;
    for (std::size_t l = 0; l < i; ++l)
      for (std::size_t j = 0; j < x_.size(); ++j) x_[j] += h * a.at(i).at(l) * slopes.at(l)[j];
    slopes.at(i) = rates(start.t + c.at(i) * h, x_);
  }
  Vector difference = x_;
  for (std::size_t j = 0; j < x_.size(); ++j) {
    difference[j] -= start.x[j];
    for (std::size_t l = 0; l < 7; ++l) difference[j] -= h * fourth.at(l) * slopes.at(l)[j];
  }
  return norm(difference, x_) <= 1.0;
}

bool BdfReference::attempt(double h) {
  if (points_.size() > order_) {
    predicted_ = extrapolated(t_, order_);
  } else {
    predicted_ = points_.front().x;
    for (std::size_t i = 0; i < x_.size(); ++i) predicted_[i] += h * tangent_[i];
  }
  const double wanted = failed_ == 0 ? h_ : h;
  h_ = h;
  x_ = predicted_;
  if (!corrected(t_)) {
    h_ = h / 2.0;
    since_ = 0;
    return false;
  }
  Vector difference = x_;
  for (std::size_t i = 0; i < x_.size(); ++i) difference[i] -= predicted_[i];
  const double error = norm(difference, x_) / (order_ + 1);
  if (given_ == 0 || rising_ ? !judgeAnyOrder(error, h) : !judgeGivenOrder(error, h)) return false;
  if (h < wanted * (1.0 - kTie)) h_ = std::fmax(h_, wanted);  // cut short by the end, not by its error
  return true;
}

bool BdfReference::corrected(double t) {
  std::vector<double> times{t};
  for (unsigned j = 0; j < order_; ++j) times.push_back(points_.at(j).t);
  const double alpha = lagrangeSlope(times, 0, t);
  Vector rest(x_.size(), 0.0);
  for (unsigned j = 0; j < order_; ++j)
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] += lagrangeSlope(times, j + 1, t) * points_[j].x[i];
  const bool due = !known_ || age_ >= 20;
  ++age_;
  const Ending ending = iterate(t, alpha, rest, due);
  if (ending == Ending::converged || due) return ending == Ending::converged;
  x_ = predicted_;
  return iterate(t, alpha, rest, true) == Ending::converged;
}

BdfReference::Ending BdfReference::iterate(double t, double alpha, const Vector& rest, bool wanted) {
  const bool byPattern = !settings_.renewal.empty();
  double before = std::numeric_limits<double>::infinity();
  for (unsigned k = 0; k < 10; ++k) {
    const bool renewal = byPattern ? !known_ || settings_.renewal[k % settings_.renewal.size()] : wanted && k == 0;
    const Vector slopes = rates(t, x_);
    ++effort_.correctorIterations;
    if (renewal) linearise(t, slopes);
    if (byPattern || !(std::fabs(factored_ / alpha - 1.0) < 0.25)) factored_ = alpha;
    Rows matrix = jacobian_;
    for (std::size_t i = 0; i < x_.size(); ++i)
      for (std::size_t j = 0; j < x_.size(); ++j) matrix[i][j] = (i == j ? factored_ : 0.0) - jacobian_[i][j];
    Vector residual(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) residual[i] = slopes[i] - alpha * x_[i] - rest[i];
    Vector correction = koppla::test::solved(matrix, residual);
    for (double& value : correction) value *= 2.0 / (1.0 + alpha / factored_);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += correction[i];
    const double size = norm(correction, x_);
    if (size < settings_.newtonTolerance) return Ending::converged;
    if (!byPattern && !wanted && size > 0.9 * before) return Ending::slow;
    before = size;
  }
  return Ending::slow;
}

void BdfReference::linearise(double t, const Vector& slopes) {
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  const double small =
      settings_.rtol > 0.0 && settings_.atol > 0.0 ? std::fmin(1.0, settings_.atol / settings_.rtol) : 1.0;
  jacobian_.assign(x_.size(), Vector(x_.size()));
  for (std::size_t j = 0; j < x_.size(); ++j) {
    Vector moved = x_;
    moved[j] += root * std::fmax(small, std::fabs(moved[j]));
    const Vector other = rates(t, moved);
    for (std::size_t i = 0; i < x_.size(); ++i) jacobian_[i][j] = (other[i] - slopes[i]) / (moved[j] - x_[j]);
  }
  ++effort_.jacobians;
  known_ = true;
  age_ = 0;
  factored_ = 0.0;
}

double BdfReference::errorOf(unsigned order) const {
  Vector difference = extrapolated(t_, order);
  for (std::size_t i = 0; i < x_.size(); ++i) difference[i] = x_[i] - difference[i];
  return norm(difference, x_) / (order + 1);
}

bool BdfReference::judgeGivenOrder(double error, double h) {
  const bool accepted = error <= 1.0;
  h_ = h * bounded(wantedFactor(error, order_), 0.2, accepted && failed_ == 0 ? 2.0 : 1.0);
  if (settings_.microStep > 0.0) h_ = std::fmin(h_, settings_.microStep);
  return accepted;
}

bool BdfReference::judgeAnyOrder(double error, double h) {
  if (error <= 1.0) {
    if (++since_ > order_ && failed_ == 0) chooseOrder(error, h);
    return true;
  }
  double factor = wantedFactor(error, order_);
  if (failed_ >= 3) {
    order_ = 1;
  } else if (order_ > 1) {
    const double lower = wantedFactor(errorOf(order_ - 1), order_ - 1);
    if (lower > factor) {
      factor = lower;
      --order_;
    }
  }
  h_ = h * bounded(factor, 0.2, 0.9);
  since_ = 0;
  return false;
}

/// The order that allows the longest step, where another one must gain 5 % (lower) or 15 % (higher), and a longer step
/// of the same order 20 %.
void BdfReference::chooseOrder(double error, double h) {
  const unsigned now = order_;
  double best = wantedFactor(error, now);
  if (now > 1 && wantedFactor(errorOf(now - 1), now - 1) / 1.05 > best) {
    best = wantedFactor(errorOf(now - 1), now - 1) / 1.05;
    order_ = now - 1;
  }
  if (now < (given_ > 0 ? given_ : 5) && points_.size() > now + 1 &&
      wantedFactor(errorOf(now + 1), now + 1) / 1.15 > best) {
    best = wantedFactor(errorOf(now + 1), now + 1) / 1.15;
    order_ = now + 1;
  }
  if (order_ == now && best > 0.9 && best < 1.2) return;
  h_ = h * bounded(best, 0.5, 2.0);
  if (settings_.microStep > 0.0) h_ = std::fmin(h_, settings_.microStep);
  since_ = 0;
}

}  // namespace koppla::solver::test
