#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/coupling/accelerator.hpp"

#include "support/extremes.hpp"

namespace koppla::test {

/// A program that is coupled: values in, values out.
using Program = std::function<void(std::span<const double> in, std::span<double> out)>;

/// Two programs in a loop. The result y of the second one is the first one's input and has a start value; the result x
/// of the first one has as many values and no start value.
struct Loop {
  std::string name;
  Program first;
  Program second;
  std::vector<double> start;
};

/// A loop of single values.
Loop scalarLoop(std::string name, std::function<double(double)> first, std::function<double(double)> second,
                double start);
/// Two loops side by side as one loop of more values.
Loop together(const Loop& one, const Loop& other);

// The calibration models of Jung, ch. 5, with the constants of our note.

/// Emissivity over temperature (deg C): linear between the points, constant outside.
struct Emissivity {
  std::string name;
  std::vector<double> temperatures;
  std::vector<double> values;
};
Emissivity emissivityLin();
Emissivity emissivityA();
Emissivity emissivityB();
Emissivity emissivityB480();

/// Wall with radiation: q -> T1 (conduction, lambda in W/mK), T1 -> q (radiation); T1 in deg C, q in W/m2.
Loop wall(const Emissivity& emissivity, double lambda);
/// Hinged plate in a stream of density rho (kg/m3): angle -> moment over stiffness -> angle (rad).
Loop verticalPlate(double rho);
Loop horizontalPlate(double rho);
/// x = g y + 1, y = x.
Loop gainLoop(double g);

/// lin 5..11, A 5..11, B 8..11, vertical plate 65..140, horizontal plate 65..140.
std::vector<Loop> calibrationLoops();
/// B480 with lambda = 5, 6.5, 8, 9.5, 11.
std::vector<Loop> b480Loops();

/// y = second(first(y)) of a loop of one value by bisection; for the plates the positive root.
double root(const Loop& loop);

enum class Order { sequence, parallel };
enum class End { converged, cap, notFinite };

/// How a loop is iterated. Iteration = one call of both programs.
struct Conduct {
  double tolerance = 1e-6;  ///< converged: |raw - sent| <= tolerance |raw| for every value of the result of the second
                            ///< program, in parallel order of both
  unsigned cap = 3000;
  Order order =
      Order::sequence;  ///< parallel: both are called with old values, the first result starts at first(start)
};

/// One iteration, values of the first component.
struct Iteration {
  double x;       ///< result of the first program
  double raw;     ///< result of the second program
  double sent;    ///< what the first program was called with
  double factor;  ///< largest factor, of the second program's accelerator; 1 after the last iteration
  double next;    ///< what the second program's accelerator makes of it
};

struct Outcome {
  End end = End::cap;
  unsigned iterations = 0;
  std::vector<double> result;  ///< last result of the second program, as computed
  std::vector<Iteration> trace;
  test::Smallest smallestFactor;  ///< over all iterations, values and accelerators
  test::Largest largestFactor;

  /// Of the last differences, x_i - x_i-1 over x_i-1 - x_i-2.
  [[nodiscard]] double lastK() const;
};

/// `ofFirst` may be null: then the first program's result is passed on as it is.
Outcome iterate(const Loop& loop, coupling::Accelerator* ofFirst, coupling::Accelerator& ofSecond,
                const Conduct& conduct = {});

// Settings.
coupling::AccelerationSettings unrelaxed();
coupling::AccelerationSettings constantFactor(double omega);
coupling::AccelerationSettings aitken(double first = 1.0);
/// One of the calibrated sets; delta as in the note's counts.
coupling::AccelerationSettings adaptive(std::string_view set, double margin = 1e-6);
/// L/NL(1,b) with Xi_o = 2/3, the safe set for all programs relaxed.
coupling::AccelerationSettings adaptiveSafe(double margin = 1e-6);

/// Relaxations by settings, without the dispatch to other accelerators.
std::unique_ptr<coupling::Accelerator> makeRelaxation(const coupling::AccelerationSettings& settings, std::size_t size);

/// One program's result relaxed, or both, by accelerators made from settings.
Outcome relaxOne(const Loop& loop, const coupling::AccelerationSettings& settings, const Conduct& conduct = {});
Outcome relaxBoth(const Loop& loop, const coupling::AccelerationSettings& settings, const Conduct& conduct = {});

}  // namespace koppla::test
