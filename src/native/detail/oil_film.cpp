#include "koppla/native/detail/oil_film.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "koppla/core/detail/dense.hpp"

namespace koppla::native::detail {

namespace {

using std::numbers::pi;

struct QuadraturePoint {
  double xi;  ///< in [-1, 1]
  double weight;
};

/// Gauss' rule with four points. The same one for whole elements and for parts of them: so a force changes
/// continuously where the border of the cut region passes from one element to the next.
constexpr std::array kGauss{QuadraturePoint{-0.86113631159405257522, 0.34785484513745385737},
                            QuadraturePoint{-0.33998104358485626480, 0.65214515486254614263},
                            QuadraturePoint{0.33998104358485626480, 0.65214515486254614263},
                            QuadraturePoint{0.86113631159405257522, 0.34785484513745385737}};

/// Quadratic shape functions of the nodes at -1, 0 and 1.
Eigen::Vector3d shapes(double xi) {
  return {0.5 * xi * (xi - 1.0), 1.0 - xi * xi, 0.5 * xi * (xi + 1.0)};
}

Eigen::Vector3d shapeSlopes(double xi) {
  return {xi - 0.5, -2.0 * xi, xi + 0.5};
}

/// The gap at Sommerfeld's angle gamma.
struct Gap {
  double H;
  double cosTheta, sinTheta;
  double thetaPerGamma;
};

Gap gapAt(double eps, double gamma) {
  const double s = std::sqrt((1.0 - eps) * (1.0 + eps));
  const double divisor = 1.0 - eps * std::cos(gamma);
  return {.H = s * s / divisor,
          .cosTheta = (std::cos(gamma) - eps) / divisor,
          .sinTheta = s * std::sin(gamma) / divisor,
          .thetaPerGamma = s / divisor};
}

double sommerfeldAngle(double eps, double theta) {
  const double s = std::sqrt((1.0 - eps) * (1.0 + eps));
  return std::atan2(s * std::sin(theta), std::cos(theta) + eps);
}

/// A quadratic on [-1, 1] through values at the nodes of an element.
struct Parabola {
  double middle, slope, curvature;

  Parabola(double left, double middle_, double right)
      : middle(middle_), slope(0.5 * (right - left)), curvature(0.5 * (left + right) - middle_) {}

  [[nodiscard]] double operator()(double xi) const { return middle + xi * (slope + xi * curvature); }

  /// The ends of pieces of one sign, some of them perhaps empty: -1, two zeros brought into [-1, 1], and 1.
  [[nodiscard]] std::array<double, 4> pieces() const {
    const double discriminant = slope * slope - 4.0 * curvature * middle;
    if (discriminant <= 0.0) return {-1.0, 1.0, 1.0, 1.0};
    const double q = -0.5 * (slope + std::copysign(std::sqrt(discriminant), slope));
    const auto [lower, upper] = std::minmax({std::clamp(q / curvature, -1.0, 1.0), std::clamp(middle / q, -1.0, 1.0)});
    return {-1.0, lower, upper, 1.0};
  }
};

}  // namespace

FilmForce shortBearingForce(double ratio, double eps, FilmDrive drive) {
  if (drive.sine == 0.0 && drive.cosine == 0.0) return {};
  // p = r (z^2 - 1/4) / (2 ratio^2 H^3) is positive where r = |r| cos(theta - theta0) is negative. In Sommerfeld's
  // angle the integrand is a polynomial of sine and cosine of degree 2: C = cos(gamma) - eps, S = s sin(gamma), r (cos,
  // sin)(theta) dtheta / H^3 = (sine S + cosine C) (C, S) dgamma / s^5.
  const double theta0 = std::atan2(drive.sine, drive.cosine);
  const double from = sommerfeldAngle(eps, theta0 + 0.5 * pi);
  double to = sommerfeldAngle(eps, theta0 + 1.5 * pi);
  if (to < from) to += 2.0 * pi;
  const double s2 = (1.0 - eps) * (1.0 + eps), s = std::sqrt(s2);
  const double range = to - from;
  const double sines = std::sin(to) - std::sin(from);                         // integral of cos
  const double cosines = std::cos(from) - std::cos(to);                       // integral of sin
  const double doubled = 0.25 * (std::sin(2.0 * to) - std::sin(2.0 * from));  // integral of cos(2 gamma)/2
  const double CC = 0.5 * range + doubled - 2.0 * eps * sines + eps * eps * range;
  const double CS = s * (0.5 * (std::sin(to) * std::sin(to) - std::sin(from) * std::sin(from)) - eps * cosines);
  const double SS = s2 * (0.5 * range - doubled);
  const double scale = -1.0 / (12.0 * ratio * ratio * s2 * s2 * s);
  return {.radial = scale * (drive.sine * CS + drive.cosine * CC),
          .tangential = scale * (drive.sine * SS + drive.cosine * CS)};
}

OilFilm::OilFilm(std::size_t elementsTheta, std::size_t elementsZ)
    : elements_(elementsTheta / 2),
      element_(elements_),
      sine_{.first = 1, .last = elements_ - 1, .load = &Element::sines, .atNodes = {}},
      cosine_{.first = 0, .last = elements_, .load = &Element::cosines, .atNodes = {}} {
  decomposeWidth(elementsZ / 2);
  const auto modes = eigenvalues_.size();
  const auto elements = static_cast<Eigen::Index>(elements_);
  for (Eigen::ArrayXXd* array : {&diagonal_, &pivot_}) array->setZero(modes, elements + 1);
  for (Eigen::ArrayXXd* array : {&beside_, &left_, &middle_, &right_}) array->setZero(modes, elements);
  for (Part* part : {&sine_, &cosine_}) part->atNodes.setZero(modes, 2 * elements + 1);
  drivenModes_.setZero(modes, 2 * elements + 1);
  pressure_.setZero(lineWeight_.size(), 2 * elements + 1);
}

/// Elements from the middle of the width to its edge at 1/2; the node there is no unknown.
void OilFilm::decomposeWidth(std::size_t elements) {
  const auto count = static_cast<Eigen::Index>(elements);
  const Eigen::Index unknowns = 2 * count;
  Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(unknowns + 1, unknowns + 1), mass = stiffness;
  Eigen::VectorXd load = Eigen::VectorXd::Zero(unknowns + 1);
  Eigen::MatrixXd onLine = Eigen::MatrixXd::Zero(count * static_cast<Eigen::Index>(kGauss.size()), unknowns + 1);
  lineWeight_.resize(onLine.rows());
  Eigen::Index line = 0;
  const auto edge = [count](Eigen::Index i) {
    return 0.5 * std::sin(0.5 * pi * static_cast<double>(i) / static_cast<double>(count));
  };
  for (Eigen::Index e = 0; e < count; ++e) {
    const double half = 0.5 * (edge(e + 1) - edge(e));
    const Eigen::Index first = 2 * e;
    for (const auto& [xi, weight] : kGauss) {
      const Eigen::Vector3d phi = shapes(xi), slope = shapeSlopes(xi) / half;
      stiffness.block<3, 3>(first, first) += weight * half * slope * slope.transpose();
      mass.block<3, 3>(first, first) += weight * half * phi * phi.transpose();
      load.segment<3>(first) += weight * half * phi;
      onLine.row(line).segment<3>(first) = phi;
      lineWeight_[line++] = 2.0 * weight * half;  // both halves of the width
    }
  }
  const core::detail::SymmetricModes modes =
      core::detail::symmetricModes(stiffness.topLeftCorner(unknowns, unknowns), mass.topLeftCorner(unknowns, unknowns));
  eigenvalues_ = modes.values.array();
  const Eigen::VectorXd modeLoad = modes.vectors.transpose() * load.head(unknowns);
  modeOnLine_ = onLine.leftCols(unknowns) * modes.vectors * modeLoad.asDiagonal();
}

void OilFilm::integrateElements(double eps) {
  const double half = 0.5 * pi / static_cast<double>(elements_);
  for (std::size_t e = 0; e < elements_; ++e) {
    Element& element = element_[e];
    element = {Eigen::Matrix3d::Zero(), Eigen::Matrix3d::Zero(), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    for (const auto& [xi, weight] : kGauss) {
      const Gap gap = gapAt(eps, half * (2.0 * static_cast<double>(e) + 1.0 + xi));
      const double cube = gap.H * gap.H * gap.H;
      const double dtheta = weight * half * gap.thetaPerGamma;
      const Eigen::Vector3d phi = shapes(xi), slope = shapeSlopes(xi) / (half * gap.thetaPerGamma);
      element.slopes += dtheta * cube * slope * slope.transpose();
      element.values += dtheta * cube * phi * phi.transpose();
      element.sines += dtheta * gap.sinTheta * phi;
      element.cosines += dtheta * gap.cosTheta * phi;
    }
  }
}

/// The matrix of every mode, with the nodes in the middle of elements eliminated.
void OilFilm::condense(double ratio) {
  diagonal_.setZero();
  const auto entry = [&](const Element& element, Eigen::Index i, Eigen::Index j) {
    return element.slopes(i, j) + (ratio * ratio * element.values(i, j)) * eigenvalues_;
  };
  for (std::size_t e = 0; e < elements_; ++e) {
    const Element& element = element_[e];
    const auto k = static_cast<Eigen::Index>(e);
    left_.col(k) = entry(element, 1, 0);
    middle_.col(k) = entry(element, 1, 1);
    right_.col(k) = entry(element, 1, 2);
    diagonal_.col(k) += entry(element, 0, 0) - left_.col(k).square() / middle_.col(k);
    beside_.col(k) = entry(element, 0, 2) - left_.col(k) * right_.col(k) / middle_.col(k);
    diagonal_.col(k + 1) += entry(element, 2, 2) - right_.col(k).square() / middle_.col(k);
  }
}

/// Gauss' elimination for a tridiagonal, positive definite matrix, for all modes at once.
void OilFilm::solve(Part& part) {
  Eigen::ArrayXXd& q = part.atNodes;  // first the right-hand side -r, then the solution
  q.setZero();
  for (std::size_t e = 0; e < elements_; ++e) {
    const Eigen::Vector3d& load = element_[e].*part.load;
    const auto k = static_cast<Eigen::Index>(e);
    q.col(2 * k) += -load[0] + left_.col(k) * load[1] / middle_.col(k);
    q.col(2 * k + 1) -= load[1];
    q.col(2 * k + 2) += -load[2] + right_.col(k) * load[1] / middle_.col(k);
  }
  const auto first = static_cast<Eigen::Index>(part.first), last = static_cast<Eigen::Index>(part.last);
  pivot_.col(first) = diagonal_.col(first);
  for (Eigen::Index i = first + 1; i <= last; ++i) {
    pivot_.col(i) = diagonal_.col(i) - beside_.col(i - 1).square() / pivot_.col(i - 1);
    q.col(2 * i) -= beside_.col(i - 1) / pivot_.col(i - 1) * q.col(2 * i - 2);
  }
  const auto end = static_cast<Eigen::Index>(elements_);
  if (first > 0) q.col(0).setZero();
  if (last < end) q.col(2 * end).setZero();
  q.col(2 * last) /= pivot_.col(last);
  for (Eigen::Index i = last - 1; i >= first; --i)
    q.col(2 * i) = (q.col(2 * i) - beside_.col(i) * q.col(2 * i + 2)) / pivot_.col(i);
  for (Eigen::Index k = 0; k < end; ++k)
    q.col(2 * k + 1) =
        (q.col(2 * k + 1) - left_.col(k) * q.col(2 * k) - right_.col(k) * q.col(2 * k + 2)) / middle_.col(k);
}

FilmForce OilFilm::cutForce(double eps, double side) const {
  const double half = 0.5 * pi / static_cast<double>(elements_);
  FilmForce force;
  const auto addPart = [&](std::size_t e, const Parabola& p, double from, double to, double lineWeight) {
    const double centre = 0.5 * (from + to), reach = 0.5 * (to - from);
    for (const auto& [point, weight] : kGauss) {
      const double xi = centre + reach * point;
      const Gap gap = gapAt(eps, half * (2.0 * static_cast<double>(e) + 1.0 + xi));
      const double pressure = lineWeight * weight * reach * half * gap.thetaPerGamma * p(xi);
      force.radial += pressure * gap.cosTheta;
      force.tangential += side * pressure * gap.sinTheta;
    }
  };
  for (std::size_t e = 0; e < elements_; ++e) {
    const auto k = 2 * static_cast<Eigen::Index>(e);
    for (Eigen::Index line = 0; line < pressure_.rows(); ++line) {
      const Parabola p(pressure_(line, k), pressure_(line, k + 1), pressure_(line, k + 2));
      const auto ends = p.pieces();
      if (std::fabs(ends[1]) == 1.0 && std::fabs(ends[2]) == 1.0) {
        if (p.middle <= 0.0) continue;
        const auto nodes = pressure_.row(line).segment<3>(k);
        force.radial += lineWeight_[line] * nodes.dot(element_[e].cosines);
        force.tangential += side * lineWeight_[line] * nodes.dot(element_[e].sines);
        continue;
      }
      for (std::size_t i = 0; i + 1 < ends.size(); ++i)
        if (ends[i] < ends[i + 1] && p(0.5 * (ends[i] + ends[i + 1])) > 0.0)
          addPart(e, p, ends[i], ends[i + 1], lineWeight_[line]);
    }
  }
  return force;
}

FilmForce OilFilm::force(double ratio, double eps, FilmDrive drive) {
  integrateElements(eps);
  condense(ratio);
  solve(sine_);
  solve(cosine_);
  FilmForce total;
  for (const double side : {1.0, -1.0}) {
    drivenModes_ = (side * drive.sine * sine_.atNodes + drive.cosine * cosine_.atNodes).matrix();
    pressure_.noalias() = modeOnLine_ * drivenModes_;
    const FilmForce part = cutForce(eps, side);
    total.radial += part.radial;
    total.tangential += part.tangential;
  }
  return total;
}

}  // namespace koppla::native::detail
