// x' = u,  x(0) = 0 (exact for u held), by an FMU that does not take every step:
//
//   a step over the wall (t < wall < t + h) is discarded, with the wall as the last successful time;
//   a step longer than maxStep is discarded, with t + maxStep as the last successful time; the earlier of the two
//   counts.
//
// x has then been integrated up to the last successful time. After restoring, a step that ends there is taken; so are
// steps that begin at the wall.

#include <algorithm>

#include "model.hpp"

namespace koppla::fmus {

struct Discarding {
  double u = 0;
  double x = 0;
  double wall = 0.55;
  double maxStep = 1000;

  static constexpr Info info{.name = "Discarding", .description = "x' = u; discards some steps"};
  static constexpr auto variables = std::to_array<Variable<Discarding>>({
      {&Discarding::u, {.name = "u", .causality = input}},
      {&Discarding::x, {.name = "x", .causality = output, .initial = exact}},
      {&Discarding::wall,
       {.name = "wall", .causality = parameter, .unit = "s", .description = "no step goes over this time"}},
      {&Discarding::maxStep,
       {.name = "maxStep", .causality = parameter, .unit = "s", .description = "no step is longer", .min = 0}},
  });

  Outcome step(double t, double h) {
    const double tolerance = timeTolerance(t);
    double end = std::min(t + h, t + maxStep);
    if (t < wall - tolerance && end > wall + tolerance) end = wall;
    x += (end - t) * u;
    return end < t + h - tolerance ? Outcome(Result::discard, end) : Outcome();
  }
};

using Exported = Discarding;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
