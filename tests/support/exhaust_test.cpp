// The stand-in for the exhaust tract has the reference data of the notes, sec. 12.4.

#include "support/exhaust.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test {
namespace {

constexpr std::size_t kWorst = 45;  // 117.5 Hz

double spectralRadius(const Exhaust& exhaust, std::size_t n) {
  test::Largest radius;
  for (const std::complex<double>& eigenvalue : exhaust.loopEigenvalues(n)) radius.see(std::abs(eigenvalue));
  return radius;
}

/// Largest relative deviation at the worst frequency.
double deviation(const Exhaust::Field& rotations, const std::vector<double>& expected) {
  test::Largest worst;
  for (std::size_t i = 0; i < expected.size(); ++i)
    worst.see(std::fabs(std::abs(rotations[kWorst * Exhaust::kRotations + i]) / expected[i] - 1.0));
  return worst;
}

TEST(Exhaust, HasTheEigenfrequenciesOfTheNote) {
  const std::vector<double> expected{67.93, 68.66, 69.28,  70.54,  73.63,  76.18,
                                     80.43, 91.55, 110.95, 117.78, 145.51, 154.83};
  const std::vector<double> obtained = native::exhaustEigenfrequencies();
  ASSERT_EQ(obtained.size(), expected.size());
  test::Largest worst;
  for (std::size_t i = 0; i < expected.size(); ++i) worst.see(std::fabs(obtained[i] - expected[i]));
  showAtMost({"jung 30", "eigenfrequencies", "12 eigenfrequencies of the note within its last digit, 0.005 Hz"}, worst,
             0.0051);
}

TEST(Exhaust, HasTheSpectralRadiusOfTheNote) {
  const Exhaust exhaust;
  std::vector<double> radii;
  for (std::size_t n = 0; n < Exhaust::kFrequencies; ++n) radii.push_back(spectralRadius(exhaust, n));
  const auto worst = std::ranges::max_element(radii);
  EXPECT_EQ(static_cast<std::size_t>(worst - radii.begin()), kWorst);
  EXPECT_EQ(native::exhaustFrequency(kWorst), 117.5);
  showWithin({"jung 30", "spectral-radius", "0.8533 at 117.5 Hz, the largest of all frequencies"}, *worst, 0.8533,
             0.5e-4);
  EXPECT_NEAR(std::accumulate(radii.begin(), radii.end(), 0.0) / 100.0, 0.243, 0.5e-3);

  std::vector<std::complex<double>> eigenvalues = exhaust.loopEigenvalues(kWorst);
  std::ranges::sort(eigenvalues, std::ranges::greater(), [](const auto& z) { return std::abs(z); });
  EXPECT_NEAR(std::abs(eigenvalues[0] - std::complex(-0.582, -0.624)), 0.0, 1e-3);
  EXPECT_NEAR(std::abs(eigenvalues[1] - std::complex(0.323, 0.603)), 0.0, 1e-3);
}

TEST(Exhaust, HasTheRotationsOfTheNote) {
  const Exhaust exhaust;
  const double uncoupled = deviation(exhaust.structure(Exhaust::Field(Exhaust::kValues)),
                                     {1.1278e-4, 2.3278e-3, 7.606e-4, 2.3838e-4, 4.90812e-3, 2.9476e-4});
  const double coupled =
      deviation(exhaust.coupledRotations(), {1.0281e-4, 1.60046e-3, 3.3692e-4, 1.9017e-4, 2.55447e-3, 2.2533e-4});
  showAtMost({"jung 30", "amplitudes", "6 uncoupled and 6 coupled amplitudes at 117.5 Hz within 1e-4 of the note's"},
             std::max(uncoupled, coupled), 1e-4);
}

TEST(Exhaust, IsWrittenAsRealsInTwoWays) {
  const Exhaust exhaust;
  const Exhaust::Field field = exhaust.coupledRotations();
  EXPECT_EQ(realAndImaginary(field).size(), 1200U);
  EXPECT_EQ(fromRealAndImaginary(realAndImaginary(field)), field);
  const Exhaust::Field again = fromAmplitudeAndPhase(amplitudeAndPhase(field));
  ASSERT_EQ(again.size(), field.size());
  for (std::size_t i = 0; i < field.size(); ++i) EXPECT_LE(std::abs(again[i] - field[i]), 1e-15 * std::abs(field[i]));
}

}  // namespace
}  // namespace koppla::test
