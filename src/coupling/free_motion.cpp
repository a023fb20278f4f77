#include "koppla/coupling/free_motion.hpp"

#include <array>
#include <cmath>
#include <span>

#include "koppla/core/eigenvalues.hpp"

namespace koppla::coupling {

namespace {

/// What a multiplier in [s = 0, 1] adds to velocity and position, where it is 1 at one node and 0 at the others.
struct Response {
  double velocity;
  double position;
};

/// Responses to values at s = 1, 0, -1, ..., 1 - degree.
std::vector<Response> responses(unsigned degree) {
  const auto n = degree + 1;
  std::vector<Response> result;
  for (unsigned node = 0; node < n; ++node) {
    // The Lagrange polynomial of the node, in powers of s, one factor after the other.
    std::vector<double> powers{1.0};
    const double own = 1.0 - static_cast<double>(node);
    for (unsigned other = 0; other < n; ++other) {
      if (other == node) continue;
      const double knot = 1.0 - static_cast<double>(other);
      std::vector<double> product(powers.size() + 1, 0.0);
      for (std::size_t k = 0; k < powers.size(); ++k) {
        product[k + 1] += powers[k] / (own - knot);
        product[k] -= powers[k] * knot / (own - knot);
      }
      powers = std::move(product);
    }
    Response response{0.0, 0.0};
    for (std::size_t k = 0; k < powers.size(); ++k) {
      const auto power = static_cast<double>(k);
      response.velocity += powers[k] / (power + 1.0);
      response.position += powers[k] / ((power + 1.0) * (power + 2.0));
    }
    result.push_back(response);
  }
  return result;
}

/// x, v, then values of the multipliers lambda and mu at the end of this step and of earlier ones, newest first. Mass
/// and step are 1.
struct Relative {
  double x = 0.0;
  double v = 0.0;
  std::vector<double> lambda;
  std::vector<double> mu;
};

/// A condition on the end of the step: weights of x, v, acceleration and lambda, whose sum is to vanish.
struct Condition {
  double x;
  double v;
  double a;
  double own;  ///< of lambda itself: 1 for a law
};

class FreeMotion {
 public:
  FreeMotion(unsigned degree, double relaxation)
      : relaxation_(relaxation), responses_(responses(degree)), samples_(degree + 1) {}

  /// Each condition determines lambda; the mean of what they ask for is taken.
  double growth(std::span<const Condition> conditions, std::span<const double> weights) const {
    return radius(2 + samples_, [&](const std::vector<double>& state) {
      Relative next = start(state);
      next.lambda.insert(next.lambda.begin(), 0.0);
      advance(next);
      double sum = 0.0;
      for (std::size_t i = 0; i < conditions.size(); ++i) {
        const Condition& c = conditions[i];
        const double residual = c.x * next.x + c.v * next.v;
        sum -= weights[i] * residual / (c.x * responses_[0].position + c.v * responses_[0].velocity + c.a + c.own);
      }
      next.lambda[0] = relaxation_ * sum + (1.0 - relaxation_) * next.lambda[1];
      next.x += responses_[0].position * next.lambda[0];
      next.v += responses_[0].velocity * next.lambda[0];
      return packed(next);
    });
  }

  /// x and v vanish, by lambda and by mu in x' = v + mu.
  double growthOfProjected() const {
    return radius(2 + 2 * samples_, [&](const std::vector<double>& state) {
      Relative next = start(state);
      next.lambda.insert(next.lambda.begin(), 0.0);
      next.mu.insert(next.mu.begin(), 0.0);
      advance(next);
      const double lambda = -next.v / responses_[0].velocity;
      const double mu = -(next.x + responses_[0].position * lambda) / responses_[0].velocity;
      next.lambda[0] = relaxation_ * lambda + (1.0 - relaxation_) * next.lambda[1];
      next.mu[0] = relaxation_ * mu + (1.0 - relaxation_) * next.mu[1];
      next.x += responses_[0].position * next.lambda[0] + responses_[0].velocity * next.mu[0];
      next.v += responses_[0].velocity * next.lambda[0];
      return packed(next);
    });
  }

 private:
  [[nodiscard]] Relative start(const std::vector<double>& state) const {
    const auto at = [&](std::size_t i) { return state.begin() + static_cast<std::ptrdiff_t>(i); };
    return {state[0], state[1], {at(2), at(2 + samples_)}, {at(2 + samples_), state.end()}};
  }
  [[nodiscard]] std::vector<double> packed(const Relative& next) const {
    std::vector<double> state{next.x, next.v};
    for (const auto* values : {&next.lambda, &next.mu})
      if (!values->empty())
        state.insert(state.end(), values->begin(), values->begin() + static_cast<std::ptrdiff_t>(samples_));
    return state;
  }
  /// One step by what is known; place 0 of the multipliers is the end of the step.
  void advance(Relative& z) const {
    z.x += z.v;
    for (std::size_t i = 1; i < responses_.size(); ++i) {
      z.x += responses_[i].position * z.lambda[i] + (z.mu.empty() ? 0.0 : responses_[i].velocity * z.mu[i]);
      z.v += responses_[i].velocity * z.lambda[i];
    }
  }

  template <class Step>
  static double radius(std::size_t n, Step step) {
    std::vector<double> matrix(n * n);
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> unit(n, 0.0);
      unit[j] = 1.0;
      const std::vector<double> column = step(unit);
      for (std::size_t i = 0; i < n; ++i) matrix[i * n + j] = column[i];
    }
    return core::spectralRadius(matrix);
  }

  double relaxation_;
  std::vector<Response> responses_;
  std::size_t samples_;
};

}  // namespace

double growthOfFreeMotion(const Constraint& constraint, unsigned degree, double relaxation, double step) {
  const FreeMotion motion(degree, relaxation);
  if (constraint.method == ConstraintMethod::stabilisedIndex2) return motion.growthOfProjected();
  if (constraint.method == ConstraintMethod::baumgarte) {
    const double beta = constraint.beta.value_or(0.5 * step) / step;
    const std::array condition{Condition{1.0, beta, constraint.gamma / (step * step), 0.0}};
    return motion.growth(condition, std::array{1.0});
  }
  const double sum = 1.0 + constraint.velocityWeight + constraint.accelerationWeight;
  const std::array conditions{Condition{1.0, 0.0, 0.0, 0.0}, Condition{0.0, 1.0, 0.0, 0.0},
                              Condition{0.0, 0.0, 1.0, 0.0}};
  return motion.growth(conditions,
                       std::array{1.0 / sum, constraint.velocityWeight / sum, constraint.accelerationWeight / sum});
}

double growthOfFreeMotion(double stiffness, double damping, unsigned degree) {
  const std::array condition{Condition{stiffness, damping, 0.0, 1.0}};
  return FreeMotion(degree, 1.0).growth(condition, std::array{1.0});
}

}  // namespace koppla::coupling
