#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

namespace koppla::native::detail {

/// The right-hand side r(theta) = sine sin(theta) + cosine cos(theta) of Reynolds' equation, Schmoll (5.4).
struct FilmDrive {
  double sine;    ///< eps (2 del' - 1)
  double cosine;  ///< 2 eps'
};

/// Fbar_r and Fbar_del of Schmoll (5.13), (5.14), dimensionless.
struct FilmForce {
  double radial = 0.0;
  double tangential = 0.0;
};

/// Without flow around the circumference (R/B -> infinity); in closed form. 0 <= eps < 1.
FilmForce shortBearingForce(double ratio, double eps, FilmDrive drive);

/// The pressure in the film of a journal bearing by quadratic finite elements:
///
///     d/dtheta (H^3 dp/dtheta) + (R/B)^2 d/dz (H^3 dp/dz) = r(theta),   H = 1 + eps cos(theta)
///
/// periodic in theta, p = 0 at z = +-1/2, negative pressures cut off after the solution (Guembel). What keeps it cheap:
///  - H does not depend on z: a product grid and the eigenvectors of the matrices over z split the problem into one
///    tridiagonal system for each mode (elements are condensed to their ends).
///  - H is even in theta and the problem in z: one half of the width; a sine and a cosine on half of the circle, which
///    also makes the solution periodic.
///  - Elements are equal in Sommerfeld's angle gamma, tan(gamma/2) = sqrt((1-eps)/(1+eps)) tan(theta/2), so that they
///    are small where the gap is. In z they become smaller towards the edge, where long bearings have boundary layers.
/// The border of the region that is cut off is found inside the elements: forces depend smoothly on all arguments.
class OilFilm {
 public:
  /// Elements around the whole circumference and across the whole width, both even.
  OilFilm(std::size_t elementsTheta, std::size_t elementsZ);

  /// ratio = R/B > 0, 0 <= eps < 1.
  [[nodiscard]] FilmForce force(double ratio, double eps, FilmDrive drive);

 private:
  /// Integrals over one element of the half circle, for its nodes left, middle, right.
  struct Element {
    Eigen::Matrix3d slopes;   ///< of H^3 dphi_i/dtheta dphi_j/dtheta
    Eigen::Matrix3d values;   ///< of H^3 phi_i phi_j
    Eigen::Vector3d sines;    ///< of sin(theta) phi_i
    Eigen::Vector3d cosines;  ///< of cos(theta) phi_i
  };

  /// The answer to a sine or a cosine, at all nodes of the half circle: rows are modes, columns nodes.
  struct Part {
    std::size_t first, last;  ///< ends of elements that are unknown: a sine vanishes at 0 and pi
    Eigen::Vector3d Element::*load;
    Eigen::ArrayXXd atNodes;
  };

  void decomposeWidth(std::size_t elements);
  void integrateElements(double eps);
  void condense(double ratio);
  void solve(Part& part);
  /// Of the pressures on one side of the circle: theta > 0 or, with side = -1, theta < 0.
  [[nodiscard]] FilmForce cutForce(double eps, double side) const;

  std::size_t elements_;  ///< on half of the circle
  std::vector<Element> element_;

  // Over the width: eigenvalues of its modes, and lines of quadrature on which the pressure is evaluated.
  Eigen::ArrayXd eigenvalues_;
  Eigen::MatrixXd modeOnLine_;  ///< lines x modes, times the load of the mode
  Eigen::VectorXd lineWeight_;

  // Rows are modes, columns ends of elements or elements.
  Eigen::ArrayXXd diagonal_, beside_, pivot_;  ///< condensed matrix, and its factors
  Eigen::ArrayXXd left_, middle_, right_;      ///< rows of the nodes in the middle of elements
  Part sine_, cosine_;
  Eigen::MatrixXd drivenModes_;  ///< modes x nodes
  Eigen::MatrixXd pressure_;     ///< lines x nodes
};

}  // namespace koppla::native::detail
