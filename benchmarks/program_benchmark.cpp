// What a call of a program behind files costs beyond the program's own time: a folder, input files, the process, its
// results, the records that a resumed run needs.
//
// The program copies its input to its output. Reported are milliseconds a call: `program.call` in all, `program.own` of
// the bare process (started and waited for, in a folder that is there), `program.overhead` the difference (goal: 3),
// and for a million values through standard csv, there and back, `program.million` in seconds beyond the process.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "koppla/core/file.hpp"
#include "koppla/core/log.hpp"
#include "koppla/program/process.hpp"
#include "koppla/program/program.hpp"

namespace {

using namespace koppla;

const std::vector<std::string> kCopy{"cp", "x.csv", "y.csv"};

double secondsOf(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// Seconds of one call, of one bare process, over several rounds of both.
struct Cost {
  double call;
  double own;
};

Cost measure(std::size_t size, int rounds) {
  const core::TemporaryFolder folder("program-benchmark");
  program::Field field{.name = "x", .ids = std::vector<program::Id>(size)};
  std::iota(field.ids.begin(), field.ids.end(), program::Id{1});
  program::Field answer = field;
  answer.name = "y";
  core::Log log;
  const auto copy = program::makeProgram({.name = "copy",
                                          .command = kCopy,
                                          .projectFolder = folder.path(),
                                          .workFolder = folder.path() / "programs",
                                          .inputs = {{.field = field, .file = "x.csv"}},
                                          .outputs = {{{.field = answer}, {.file = "y.csv"}}}},
                                         log);
  subsystem::Binding binding;
  binding.inputs = {0};
  binding.outputs = {1};
  copy->bind(std::move(binding));
  copy->enterInitialisation({0.0, 1.0, {}});
  std::vector<double> x(size, 1.0 / 3.0);
  std::vector<double> y(size);
  std::vector<double> calls, bare;
  for (int round = 0; round < rounds; ++round) {
    x.front() += 1.0;
    calls.push_back(secondsOf([&] {
      if (copy->evaluate(0.0, x, y) != subsystem::Status::ok || y != x) std::exit(EXIT_FAILURE);
    }));
    if (round == 0) std::ofstream(folder.path() / "x.csv") << std::string(30 * size, '1');
    bare.push_back(secondsOf([&] {
      program::run({.command = kCopy,
                    .folder = folder.path(),
                    .output = folder.path() / "out",
                    .errors = folder.path() / "err"});
    }));
  }
  return {median(calls), median(bare)};
}

}  // namespace

int main() {
  const Cost small = measure(1, 201);
  std::printf("program.call %.3f ms\n", 1e3 * small.call);
  std::printf("program.own %.3f ms\n", 1e3 * small.own);
  std::printf("program.overhead %.3f ms\n", 1e3 * (small.call - small.own));
  const Cost large = measure(1'000'000, 5);
  std::printf("program.million %.3f s\n", large.call - large.own);
}
