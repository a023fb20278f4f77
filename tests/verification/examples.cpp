// Runs the studies and stability analyses of examples/schmoll and the maps of examples/lu as a user does, and compares
// them with the notes. They take minutes, so they are no part of ctest.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/study/conduct.hpp"
#include "koppla/study/stability.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::verification::examples {
namespace {

namespace fs = std::filesystem;

constexpr double u = std::numeric_limits<double>::infinity();  // unstable

/// A combination of varied values, in the order of the axes, as text or number.
struct Choice {
  std::string word;
  double number = 0.0;
  Choice(const char* text) : word(text) {}  // NOLINT(google-explicit-constructor): read as written in the table
  Choice(double value) : number(value) {}   // NOLINT(google-explicit-constructor)
};

struct Entry {
  std::vector<Choice> choices;
  double expected;
};

bool fits(const study::VariedValue& value, const Choice& choice) {
  if (!choice.word.empty()) return value.text == choice.word || value.text == "\"" + choice.word + "\"";
  return value.number && std::fabs(*value.number - choice.number) <= 0.005 * std::fabs(choice.number);
}

std::size_t pointOf(const study::Grid& grid, const std::vector<Choice>& choices, const std::string& file) {
  for (std::size_t point = 0; point < grid.size(); ++point) {
    bool all = true;
    for (std::size_t axis = 0; axis < choices.size(); ++axis) all = all && fits(grid.value(point, axis), choices[axis]);
    if (all) return point;
  }
  throw std::runtime_error(file + ": a combination of the note is not on the grid");
}

class SchmollExamples : public testing::Test {
 protected:
  /// Largest relative deviation of a study's errors from the note; unstable entries must be unstable.
  void study(const std::string& name, const std::string& figure, double tolerance, const std::vector<Entry>& table) {
    const auto begin = std::chrono::steady_clock::now();
    const study::Study plan = study::read(file(name), log_);
    study::Options options;
    options.jobs = std::max(1U, std::thread::hardware_concurrency());
    options.folder = scratch_.path() / (name + ".study");
    const study::Conducted conducted = study::conduct(plan, options, log_);
    test::Largest worst;
    std::size_t wrong = 0;
    for (const Entry& entry : table) {
      const study::Row& row = conducted.rows.at(pointOf(plan.grid, entry.choices, name));
      if (entry.expected == u) {
        if (row.status != study::Status::unstable) ++wrong;
        continue;
      }
      const double deviation = std::fabs(row.error / entry.expected - 1.0);
      if (!(deviation <= tolerance))
        std::fprintf(stderr, "%s: %s: %.4g, expected %.4g\n", name.c_str(), row.message.c_str(), row.error,
                     entry.expected);
      worst.see(deviation);
    }
    show("schmoll R36", figure, tolerance, worst, wrong, table.size(), begin);
  }

  void limits(const std::string& name, double tolerance, const std::vector<Entry>& table) {
    const auto begin = std::chrono::steady_clock::now();
    const study::StabilityAnalysis plan = study::readStability(file(name), log_);
    study::StabilityOptions options;
    options.jobs = std::max(1U, std::thread::hardware_concurrency());
    const std::vector<study::StabilityRow> rows = study::analyse(plan, options);
    test::Largest worst;
    std::size_t wrong = 0;
    for (const Entry& entry : table) {
      const study::StabilityRow& row = rows.at(pointOf(plan.grid, entry.choices, name));
      if (entry.expected == u) {  // no limit
        if (row.status != study::StabilityStatus::stable) ++wrong;
        continue;
      }
      const double deviation = std::fabs(row.criticalStep / entry.expected - 1.0);
      worst.see(deviation);
    }
    show("schmoll R17", name, tolerance, worst, wrong, table.size(), begin);
  }

 private:
  static fs::path file(const std::string& name) { return fs::path(KOPPLA_EXAMPLES_DIR) / "schmoll" / (name + ".toml"); }

  static void show(std::string_view requirement, const std::string& figure, double tolerance, double worst,
                   std::size_t wrong, std::size_t entries, std::chrono::steady_clock::time_point begin) {
    const std::string obtained = fmt::format("{:.2g} from {} entries", worst, entries);
    test::showFigure({requirement, figure, fmt::format("entries of the note within {:g} %", 100.0 * tolerance)},
                     wrong == 0 ? obtained : fmt::format("{}, {} of them wrongly (un)stable", obtained, wrong),
                     worst <= tolerance && wrong == 0);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%s %s: deviation %s, %.1f s\n", std::string(requirement).c_str(), figure.c_str(), obtained.c_str(),
                seconds);
  }

  core::Log log_;
  core::TemporaryFolder scratch_{"examples"};
};

/// Entries of a table over degree (columns, from 0 or 1) and step (rows).
std::vector<Entry> overDegreeAndStep(const std::vector<std::pair<double, std::vector<double>>>& rows,
                                     unsigned firstDegree = 0) {
  std::vector<Entry> entries;
  for (const auto& [step, values] : rows)
    for (std::size_t i = 0; i < values.size(); ++i)
      entries.push_back({{static_cast<double>(firstDegree + i), step}, values[i]});
  return entries;
}

std::vector<Entry> limitsOf(
    const std::vector<std::pair<std::pair<const char*, const char*>, std::vector<double>>>& rows) {
  std::vector<Entry> entries;
  for (const auto& [method, values] : rows)
    for (std::size_t p = 0; p < values.size(); ++p)
      entries.push_back({{method.first, method.second, static_cast<double>(p)}, values[p]});
  return entries;
}

TEST_F(SchmollExamples, Jacobi) {
  study("fig-2.14-jacobi", "fig-2.14", 0.2,
        overDegreeAndStep({{5.62e-4, {u, u, 1.5e0, u, u, u}},
                           {3.16e-4, {u, u, 7.3e-1, 4.8e-1, u, u}},
                           {1e-4, {u, 4.3e-1, 5.1e-2, 7.4e-3, 1.0e-3, 1.4e-4}},
                           {3.16e-5, {u, 4.2e-2, 1.7e-3, 7.4e-5, 3.3e-6, 1.4e-7}},
                           {1e-5, {9.9e-1, 4.2e-3, 5.4e-5, 7.4e-7, 1.0e-8, 1.4e-10}}}));
}

TEST_F(SchmollExamples, LocalErrorsOfJacobi) {
  study("fig-2.14-jacobi-local", "fig-2.14-local", 0.2,
        overDegreeAndStep({{1e-4, {1.0e-2, 1.4e-3, 2.0e-4}}, {1e-5, {1.0e-4, 1.4e-6, 2.0e-8}}}, 1));
}

TEST_F(SchmollExamples, GaussSeidel) {
  study("fig-2.15-gauss-seidel", "fig-2.15", 0.2,
        overDegreeAndStep({{5.62e-4, {u, u, 1.0e0, 8.0e-1, 9.8e-1, u}},
                           {1e-4, {u, 1.4e-1, 1.8e-2, 2.4e-3, 3.3e-4, 4.6e-5}},
                           {3.16e-5, {9.7e0, 1.3e-2, 5.7e-4, 2.4e-5, 1.1e-6, 4.6e-8}},
                           {1e-5, {7.9e-1, 1.3e-3, 1.8e-5, 2.4e-7, 3.4e-9, 4.6e-11}}}));
}

TEST_F(SchmollExamples, LocalErrorsOfGaussSeidel) {
  study("fig-2.15-gauss-seidel-local", "fig-2.15-local", 0.2,
        overDegreeAndStep({{1e-4, {7.4e-4, 9.4e-5, 1.3e-5}}, {1e-5, {7.4e-7, 9.5e-9, 1.3e-10}}}, 1));
}

TEST_F(SchmollExamples, MasterSlave) {
  study("fig-2.16-master-slave", "fig-2.16", 0.2, {{{0.0}, 5.4e-2}, {{1.0}, 1.3e-5}, {{2.0}, 1.8e-8}});
}

TEST_F(SchmollExamples, StepControl) {
  std::vector<Entry> control;
  const auto controlled = [&](const char* controller, double tolerance, const std::vector<double>& errors) {
    for (std::size_t i = 0; i < errors.size(); ++i)
      control.push_back({{controller, static_cast<double>(i + 1), tolerance}, errors[i]});
  };
  controlled("pi", 1e-4, {4.5e-3, 1.2e-3, 1.2e-3, 5.3e-4, 3.3e-4});
  controlled("pi", 1e-6, {4.2e-3, 5.5e-5, 1.3e-5, 5.8e-6, 6.2e-6});
  controlled("i", 1e-4, {5.0e-3, 2.0e-3, 2.5e-3, 1.4e-3, 1.6e-3});
  controlled("i", 1e-6, {4.2e-3, 5.6e-5, 2.2e-5, 1.2e-5, 1.7e-5});
  control.push_back({{"i", 0.0, 1e-1}, u});
  control.push_back({{"i", 1.0, 1e-1}, u});
  study("fig-2.17-step-control", "fig-2.17", 0.2, control);
}

TEST_F(SchmollExamples, TrivialStart) {
  study("fig-2.19-trivial-start", "fig-2.19", 0.2,
        overDegreeAndStep({{1e-4, {7.3e-3, 5.8e-3, 3.6e-3}},
                           {3.16e-5, {2.0e-4, 2.1e-4, 1.7e-4}},
                           {1e-5, {1.1e-5, 1.0e-5, 1.1e-5}},
                           {3.16e-6, {1.0e-6, 8.2e-7, 1.0e-6}}},
                          3));
}

TEST_F(SchmollExamples, TrivialStartOfMasterSlave) {
  study("fig-2.20-master-slave-trivial", "fig-2.20", 0.1,
        {{{2.0}, 3.7e-8}, {{3.0}, 3.4e-8}, {{4.0}, 3.4e-8}, {{5.0}, 3.4e-8}});
}

TEST_F(SchmollExamples, MasterSlaveAsStart) {
  study("fig-2.21-master-slave-start", "fig-2.21", 0.2,
        overDegreeAndStep({{1e-4, {5.1e-2, 7.3e-3, 1.0e-3, 1.4e-4}},
                           {3.16e-5, {1.7e-3, 7.4e-5, 3.3e-6, 1.6e-7}},
                           {1e-5, {5.4e-5, 7.3e-7, 3.6e-8, 3.4e-8}}},
                          2));
}

TEST_F(SchmollExamples, OrderOfTheSolver) {
  study("fig-2.22-solver-order", "fig-2.22", 0.2, {{{"ode2", 1e-5}, 1.3e-5}, {{"ode5", 1e-5}, 1.4e-10}});
}

TEST_F(SchmollExamples, MicroAndMacroSteps) {
  study("fig-2.23-micro-and-macro-steps", "fig-2.23", 0.2,
        overDegreeAndStep({{1.78e-5, {2.5e0, 1.8e-2, 4.5e-4, 1.2e-5, 3.4e-7, 1.2e-8}},
                           {1e-5, {9.9e-1, 4.2e-3, 5.4e-5, 7.4e-7, 1.0e-8, 1.5e-10}},
                           {5.62e-6, {9.9e-1, 4.4e-3, 3.3e-5, 6.2e-8, 4.7e-9, u}},
                           {3.16e-6, {9.9e-1, 4.2e-3, 5.4e-5, 1.1e-6, 2.8e-8, 5.3e-9}}}));
}

TEST_F(SchmollExamples, LimitsOfTable21) {
  limits(
      "limits-table-2.1", 5e-5,
      limitsOf(
          {{{"force-displacement", "jacobi"}, {1.4353e-5, 2.4630e-4, 5.6650e-4, 3.8222e-4, 2.0163e-4, 1.1849e-4}},
           {{"force-displacement", "gauss-seidel"}, {1.5616e-5, 3.7083e-4, 7.6626e-4, 8.7161e-4, 7.7857e-4, 5.4276e-4}},
           {{"displacement-displacement", "jacobi"},
            {6.5141e-5, 3.6789e-4, 5.9045e-4, 8.7810e-4, 7.8451e-4, 5.3606e-4}},
           {{"displacement-displacement", "gauss-seidel"}, {u, 4.8553e-4, 7.7896e-4, 1.0211e-3, 1.0495e-3, 6.8007e-4}},
           {{"force-force", "jacobi"}, {3.2546e-5, 2.8989e-4, 6.9511e-4, 7.1864e-4, 6.0379e-4, 4.6399e-4}}}));
}

TEST_F(SchmollExamples, LimitsOfTable31) {
  limits(
      "limits-table-3.1", 5e-5,
      limitsOf(
          {{{"force-displacement", "jacobi"}, {2.3847e-5, 5.1598e-4, 1.2294e-3, 8.1781e-4, 4.1666e-4, 2.3002e-4}},
           {{"force-displacement", "gauss-seidel"}, {4.1397e-5, 7.6397e-4, 1.5670e-3, 1.8680e-3, 1.7105e-3, 1.1101e-3}},
           {{"displacement-displacement", "jacobi"},
            {1.2229e-4, 7.1158e-4, 8.2020e-4, 1.3281e-3, 1.6902e-3, 1.0469e-3}},
           {{"force-force", "jacobi"}, {5.8018e-5, 5.5326e-4, 1.4344e-3, 1.5395e-3, 1.3172e-3, 8.9866e-4}}}));
}

}  // namespace
}  // namespace koppla::verification::examples
