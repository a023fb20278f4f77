// Couples three FMUs through the installed library, steps them one macro step at a time and compares what comes out
// with the exact solution (chain.toml). Usage: consumer <project file>

#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <variant>

#include <koppla/core/log.hpp>
#include <koppla/project/project.hpp>
#include <koppla/run/run.hpp>

namespace {

double exact(double t) {
  return 6.0 * (1.0 - std::exp(-t / 0.5));
}

/// The largest error over all communication points; throws where the run fails.
double largestError(koppla::run::Run& run) {
  double largest = 0.0;
  koppla::run::Outcome outcome = run.initialise();
  while (outcome.ok()) {
    const double y = std::get<double>(run.value("amplifier.y"));
    largest = std::fmax(largest, std::fabs(y - exact(run.time())));
    if (run.finished()) return largest;
    outcome = run.step();
  }
  throw std::runtime_error(outcome.message);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "Usage: consumer <project file>\n");
    return 1;
  }
  try {
    koppla::core::Log log;
    const koppla::project::Project project = koppla::project::read(argv[1], log);
    koppla::run::Run run = koppla::project::makeRun(project, log);
    const double error = largestError(run);
    std::printf("%g s simulated, largest error %g\n", run.time(), error);
    return run.time() == 2.0 && error < 1e-12 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
