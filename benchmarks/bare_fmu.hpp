#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/fmi/fmu.hpp"

/// What the benchmarks share: FMUs driven by hand on their function pointers, clocks, medians.
namespace koppla::benchmark {

[[noreturn]] inline void fail(const std::string& message) {
  std::fprintf(stderr, "benchmark: %s\n", message.c_str());
  std::exit(1);
}

inline std::shared_ptr<fmi::Fmu> open(const std::string& name, core::Log& log) {
  return fmi::Fmu::open(std::string(KOPPLA_FMU_DIR) + "/" + name + ".fmu", log);
}

inline void ignore(void* /*environment*/, const char* /*instance*/, fmi::fmi2::Status /*status*/,
                   const char* /*category*/, const char* /*message*/, ...) {}

/// An instance that is ready to be stepped; `prepare` sets its parameters.
template <class Prepare>
fmi::fmi2::Component instantiateBare(const fmi::Fmu& fmu, const fmi::Functions& f, Prepare&& prepare,
                                     double start = 0.0) {
  static const fmi::fmi2::CallbackFunctions kCallbacks{ignore, std::calloc, std::free, nullptr, nullptr};
  const fmi::fmi2::Component component = f.instantiate("bare", fmi::fmi2::Kind::coSimulation, fmu.model().guid.c_str(),
                                                       fmu.resourceUri().c_str(), &kCallbacks, 0, 0);
  if (component == nullptr) fail("instantiate failed");
  prepare(component);
  f.setupExperiment(component, 0, 0.0, start, 0, 0.0);
  f.enterInitializationMode(component);
  f.exitInitializationMode(component);
  return component;
}

inline fmi::fmi2::ValueReference reference(const fmi::Fmu& fmu, const std::string& name) {
  const auto& variables = fmu.model().variables;
  const auto found = std::ranges::find(variables, name, &fmi::Variable::name);
  if (found == variables.end()) fail("no variable " + name);
  return found->valueReference;
}

inline void require(fmi::fmi2::Status status, const char* call) {
  if (status > fmi::fmi2::Status::warning) fail(std::string(call) + " failed");
}

template <class Work>
double seconds(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Times of both sides per step, taken in turns so that both meet the same state of the machine.
class Comparison {
 public:
  explicit Comparison(std::int64_t steps) : steps_(static_cast<double>(steps)) {}

  void add(double bareSeconds, double kopplaSeconds) {
    ratios_.push_back(kopplaSeconds / bareSeconds);
    bare_.push_back(bareSeconds / steps_ * 1e6);
    koppla_.push_back(kopplaSeconds / steps_ * 1e6);
  }

  void print(const std::string& name) const {
    const auto [least, most] = std::ranges::minmax(ratios_);
    std::printf("%s.ratio %.3f 1\n%s.ratio.spread %.3f 1\n", name.c_str(), median(ratios_), name.c_str(), most - least);
    std::printf("%s.bare %.4f us/step\n%s.koppla %.4f us/step\n", name.c_str(), median(bare_), name.c_str(),
                median(koppla_));
  }

 private:
  double steps_;
  std::vector<double> ratios_, bare_, koppla_;
};

}  // namespace koppla::benchmark
