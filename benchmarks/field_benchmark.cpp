// What a coupled field costs: two subsystems in this process with a million values each, on meshes that do not match,
// in a loop that is iterated with the default acceleration. Values go both ways through linear mappings, which are made
// beforehand.
//
// Reported are the seconds (of the processor: one thread does it all) of an iteration beyond the subsystems' own time,
// with a million and with a hundred thousand values, and their ratio (10 would be linear; caches make it more); the
// memory that is in use at most beyond the meshes and the mappings, in vectors of that length, and the ratio of its
// bytes. Goals: 0.5 s, and memory that is linear.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <vector>

#include <malloc.h>

#include "koppla/mapping/mapping.hpp"
#include "koppla/run/run.hpp"

namespace {

std::atomic<std::size_t> inUse{0};  ///< bytes
std::atomic<std::size_t> most{0};   ///< bytes, since it was last set

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const place = std::malloc(bytes == 0 ? 1 : bytes);
  if (place == nullptr) throw std::bad_alloc();
  inUse += malloc_usable_size(place);
  most = std::max<std::size_t>(most, inUse);
  return place;
}
[[gnu::noinline]] void operator delete(void* place) noexcept {
  inUse -= malloc_usable_size(place);
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept {
  operator delete(place);
}

namespace {

using namespace koppla;
constexpr double kEnd = 4.0;  // s, in steps of 1 s

/// s, of the processor, on which all of it runs in one thread.
double now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// A square of triangles, side x side points, moved by a part of their distance.
mapping::Points squareMesh(std::uint32_t side, double shift) {
  mapping::Points points;
  points.dimension = 2;
  const auto place = [&](std::uint32_t i, std::uint32_t j) {
    const double bent = i + shift * std::sin(0.01 * j + i);
    return std::clamp(bent / (side - 1), 0.0, 1.0);
  };
  for (std::uint32_t j = 0; j < side; ++j)
    for (std::uint32_t i = 0; i < side; ++i) {
      points.ids.push_back(static_cast<std::int64_t>(points.size()));
      points.positions.push_back({place(i, j), place(j, i), 0.0});
    }
  for (std::uint32_t j = 0; j + 1 < side; ++j)
    for (std::uint32_t i = 0; i + 1 < side; ++i) {
      const std::uint32_t at = i + side * j;
      points.simplices.push_back({{at, at + 1, at + side + 1, 0}, 3});
      points.simplices.push_back({{at, at + side + 1, at + side, 0}, 3});
    }
  return points;
}

/// y = gain(x) u + load(x, t) at every point.
class LocalLaw final : public subsystem::Subsystem {
 public:
  LocalLaw(const mapping::Points& points, double gain, double& seconds) : seconds_(seconds) {
    for (const mapping::Position& position : points.positions) {
      gains_.push_back(gain * (1.0 + 0.5 * std::sin(9.0 * position[0]) * std::cos(5.0 * position[1])));
      loads_.push_back(300.0 + 50.0 * std::cos(3.0 * position[0] + position[1]));
    }
    subsystem::Port input, output;
    input.name = "u";
    input.causality = subsystem::Causality::input;
    output.name = "y";
    output.causality = subsystem::Causality::output;
    input.size = output.size = points.size();
    description_.ports = {input, output};
    description_.capabilities.saveRestore = true;
    description_.capabilities.variableStep = true;
    description_.indexNames();
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex, std::span<const core::Value>) override {}
  void bind(subsystem::Binding) override {}
  void enterInitialisation(const subsystem::Experiment&) override {}
  subsystem::Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = gains_[i] * u[i] + (1.0 + 0.1 * t) * loads_[i];
    return subsystem::Status::ok;
  }
  subsystem::Status differentiate(std::size_t, std::span<double>) override { return subsystem::Status::error; }
  void leaveInitialisation() override {}
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    const double start = now();
    evaluate(step.t1, u.power(0), y);
    seconds_ += now() - start;
    return {subsystem::Status::ok, step.t1};
  }
  subsystem::Status save(subsystem::Slot) override { return subsystem::Status::ok; }
  subsystem::Status restore(subsystem::Slot) override { return subsystem::Status::ok; }
  void observe(std::span<const subsystem::PortIndex> ports, core::Values& into) override {
    for (const subsystem::PortIndex port : ports)
      into.reals.insert(into.reals.end(), description_.ports[port].size, 0.0);
  }
  void terminate() noexcept override {}
  [[nodiscard]] std::string failure() const override { return {}; }

 private:
  subsystem::Description description_;
  std::vector<double> gains_, loads_;
  double& seconds_;  ///< of all steps
};

struct Cost {
  double perIteration;  ///< s, beyond the subsystems
  double bytes;         ///< at most in use, beyond meshes and mappings
};

Cost costOf(std::uint32_t side) {
  const mapping::Points wall = squareMesh(side, 0.0);
  const mapping::Points fluid = squareMesh(side, 0.3);
  const auto mapOf = [](const mapping::Points& from, const mapping::Points& to) {
    return coupling::Mapping{
        std::make_shared<const mapping::Operator>(mapping::linear(from, to, mapping::Form::consistent).map), 1};
  };
  double subsystems = 0.0;  // s
  coupling::System system;
  system.members.push_back({"wall", std::make_unique<LocalLaw>(wall, 0.8, subsystems), {}});
  system.members.push_back({"fluid", std::make_unique<LocalLaw>(fluid, -0.9, subsystems), {}});
  system.connections.push_back({{0, 1}, {1, 0}});
  system.connections.push_back({{1, 1}, {0, 0}});
  system.connections[0].mapping = mapOf(wall, fluid);
  system.connections[1].mapping = mapOf(fluid, wall);
  run::Settings settings;
  settings.end = kEnd;
  settings.step = 1.0;
  settings.algorithm.kind = coupling::AlgorithmKind::iteratedGaussSeidel;
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  settings.algorithm.rtol = 1e-8;
  core::Log log;
  const std::size_t before = inUse;
  most = before;
  run::Run run(std::move(system), settings, log);
  if (!run.initialise().ok()) return {NAN, NAN};
  subsystems = 0.0;
  const double start = now();
  if (!run.simulate().ok()) return {NAN, NAN};
  const double seconds = now() - start - subsystems;
  const auto iterations = static_cast<double>(run.statistics().cycles.at(0).evaluations);
  std::fprintf(stderr, "field_benchmark: %u values: %.0f iterations in %.0f steps\n", side * side, iterations, kEnd);
  return {seconds / iterations, static_cast<double>(most - before)};
}

}  // namespace

int main() {
  constexpr std::uint32_t kSmallSide = 316;
  constexpr std::uint32_t kSide = 1000;
  constexpr double kMillion = static_cast<double>(kSide) * kSide;
  const Cost small = costOf(kSmallSide);
  const Cost large = costOf(kSide);
  if (!std::isfinite(small.perIteration) || !std::isfinite(large.perIteration)) {
    std::fprintf(stderr, "field_benchmark: the loop was not solved.\n");
    return EXIT_FAILURE;
  }
  const double times = kMillion / (kSmallSide * kSmallSide);
  std::printf("field.1e5.iteration %.4f s\n", small.perIteration);
  std::printf("field.1e6.iteration %.4f s\n", large.perIteration);
  std::printf("field.iteration.growth %.1f\n", large.perIteration / small.perIteration * 10.0 / times);
  std::printf("field.memory %.0f vectors\n", large.bytes / (sizeof(double) * kMillion));
  std::printf("field.memory.growth %.1f\n", large.bytes / small.bytes * 10.0 / times);
  return EXIT_SUCCESS;
}
