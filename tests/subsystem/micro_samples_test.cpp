#include "koppla/subsystem/detail/micro_samples.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace koppla::subsystem::detail::micro_samples_test {
namespace {

using Numbers = std::vector<double>;

/// Two signals that no polynomial of low degree is.
Numbers signals(double t) {
  return {std::exp(t), 2.0 + std::sin(3.0 * t)};
}

/// Neville's scheme: the polynomial through these instants, at t.
double neville(const Numbers& times, Numbers values, double t) {
  for (std::size_t width = 1; width < times.size(); ++width)
    for (std::size_t i = 0; i + width < times.size(); ++i)
      values[i] = ((t - times[i + width]) * values[i] + (times[i] - t) * values[i + 1]) / (times[i] - times[i + width]);
  return values.front();
}

void expectPolynomialThrough(const MicroSamples& samples, const Numbers& times) {
  for (const double t : {-0.3, 0.0, 0.45, 1.1}) {
    Numbers y(2, 77.0);
    samples.interpolate(t, y);
    for (std::size_t signal = 0; signal < 2; ++signal) {
      Numbers values;
      for (const double time : times) values.push_back(signals(time)[signal]);
      EXPECT_NEAR(y[signal], neville(times, values, t), 1e-12) << times.size() << " samples, t = " << t;
    }
  }
}

TEST(MicroSamples, ThePolynomialGoesThroughTheNewestSamples) {
  const Numbers times{-0.4, -0.1, 0.05, 0.3, 0.5, 0.9, 1.3};
  for (unsigned degree = 0; degree <= 4; ++degree) {
    MicroSamples samples(degree, 2);
    for (std::size_t n = 0; n < times.size(); ++n) {
      samples.add(times[n], signals(times[n]));
      const std::size_t first = n > degree ? n - degree : 0;
      expectPolynomialThrough(samples, {times.begin() + static_cast<std::ptrdiff_t>(first),
                                        times.begin() + static_cast<std::ptrdiff_t>(n) + 1});
    }
  }
}

TEST(MicroSamples, ARepeatedStepReplacesItsSamples) {
  MicroSamples samples(3, 2);
  for (const double t : {0.0, 0.2, 0.4, 0.6}) samples.add(t, Numbers{-1e6, t});
  samples.add(-0.2, signals(-0.2));  // all others are of later times
  expectPolynomialThrough(samples, {-0.2});
  samples.add(0.1, signals(0.1));
  samples.add(0.7, Numbers{1e6, 1e6});
  samples.add(0.5, Numbers{1e6, -1e6});
  samples.add(0.5, signals(0.5));  // the same instant again
  expectPolynomialThrough(samples, {-0.2, 0.1, 0.5});
}

}  // namespace
}  // namespace koppla::subsystem::detail::micro_samples_test
