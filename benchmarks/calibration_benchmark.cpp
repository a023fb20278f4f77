// What a calibration costs: the whole grid of Jung (2013), table 5.4, on the 25 models of his study, on all processors.
//
// Algorithm L/NL with all results relaxed at 1e-3: 826 200 sets, 20.7 million coupled runs. The goal is minutes.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "koppla/study/calibration.hpp"

int main() {
  using namespace koppla;
  study::Calibration calibration;
  calibration.models = study::jungModels();
  calibration.axes = study::jungAxes(calibration.common.steering);
  calibration.common.margin = 1e-6;
  calibration.iteration.values = coupling::Accelerated::all;
  study::CalibrationOptions options;
  options.jobs = std::max(1U, std::thread::hardware_concurrency());
  const std::clock_t cpu = std::clock();
  const auto start = std::chrono::steady_clock::now();
  if (!study::calibrate(calibration, options)) return EXIT_FAILURE;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("calibration.study %.1f s\n", seconds);
  std::printf("calibration.cpu %.1f s\n", static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
  std::printf("calibration.threads %u threads\n", options.jobs);
  return EXIT_SUCCESS;
}
