#pragma once

#include <memory>

#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// A rigid, unbalanced rotor that runs up in a journal bearing, Schmoll 5.1; he does not give his figures, these are a
/// set of ours.
struct Rotor {
  double radius = 5e-3;       ///< m, of the bearing
  double clearance = 2e-5;    ///< m, of bearing minus journal
  double width = 6e-3;        ///< m, of the bearing
  double viscosity = 0.01;    ///< Pa s
  double mass = 0.05;         ///< kg
  double unbalance = 2e-6;    ///< m, distance of the centre of mass from the axis
  double omega0 = 100.0;      ///< rad/s, at t = 0
  double acceleration = 4e4;  ///< rad/s2
  double gravity = 9.81;      ///< m/s2, along -y
  double x0 = 1e-6;           ///< m, at the start
  double y0 = -4e-6;          ///< m
  double vx0 = 0.0;           ///< m/s
  double vy0 = 0.0;           ///< m/s
  double timeScale = 1e-3;    ///< s, unit of the states
};

/// Inputs force_r, force_t (as journal-bearing gives them); outputs eps, eps_rate, del_rate (5.1)-(5.3), x, y, vx, vy,
/// omega, fx, fy (5.15), (5.16). States (x, y) / clearance and (vx, vy) timeScale / clearance.
///
/// The singularities of (5.2), (5.3) at eps = 0 and omega = 0 are none of the force, and are passed like this:
///  - Rates are divided by W = max(|omega|, 1 rad/s). Where that is not omega, del_rate = del'/W + (1 - omega/W)/2
///    makes up for it: eps (2 del_rate - 1) is the right-hand side that belongs to W, and the force is W's multiple.
///  - Below eps = 1e-8 the direction is that of the velocity, in which eps' is the speed and del' is zero. It is exact
///    at eps = 0 and wrong by eps elsewhere.
std::unique_ptr<solver::Equations> rotor(const Rotor& settings = {});

}  // namespace koppla::native
