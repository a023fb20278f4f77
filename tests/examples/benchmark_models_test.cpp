// examples/benchmark-models. Jung's calibration models have the same solutions as programs behind files and in process:
// those of the theory note, sec. 5.2 and 5.3.

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test::benchmark_models_test {
namespace {

struct Wall {
  const char* lambda;  // W/(m.K)
  double temperature;  // degC, of the free face
  double flux;         // W/m2
};

struct WallModel {
  const char* name;     // project behind files
  const char* inWords;  // emissivity in process
  std::vector<Wall> walls;
};

const std::vector<WallModel>& wallModels() {
  static const std::vector<WallModel> models{
      {"lin",
       "constant",
       {{"5", 360.4730, 6976.35},
        {"6.5", 378.9591, 7867.66},
        {"8", 392.7211, 8582.31},
        {"9.5", 403.4577, 9171.51},
        {"11", 412.1142, 9667.43}}},
      {"a",
       "a",
       {{"5", 370.0235, 6498.82},
        {"6.5", 387.9046, 7286.20},
        {"8", 401.1176, 7910.59},
        {"9.5", 411.3618, 8420.63},
        {"11", 419.5770, 8846.53}}},
      {"b", "b", {{"8", 427.1677, 5826.59}, {"9.5", 434.4237, 6229.75}, {"11", 440.2738, 6569.89}}},
      {"b480",
       "b480",
       {{"5", 404.2160, 4789.198},
        {"6.5", 414.4112, 5563.273},
        {"8", 422.3250, 6214.003},
        {"9.5", 428.7112, 6772.432},
        {"11", 434.0086, 7259.059}}},
  };
  return models;
}

struct Plate {
  const char* rho;    // kg/m3
  double vertical;    // rad
  double horizontal;  // rad
};

constexpr std::array kPlates{Plate{"65", 0.52291456, 4.402632e-05},  Plate{"80", 0.60921518, 6.787392e-05},
                             Plate{"95", 0.68381122, 1.480885e-04},  Plate{"110", 0.74844776, 0.3563220872},
                             Plate{"125", 0.80472999, 0.9315292521}, Plate{"140", 0.85403261, 1.2215276560}};

/// Collects how far off solutions are, relative to the demanded ones.
class Distance {
 public:
  void add(double obtained, double expected) {
    largest_.see(std::fabs(obtained / expected - 1.0));
    ++count_;
  }
  void show(const std::string& figure) const {
    showFigure({"jung 35", figure, "fixed points to 1e-4"},
               fmt::format("{} values, off by at most {:.1e} of the value", count_, double(largest_)),
               largest_ <= 1e-4);
  }

 private:
  test::Largest largest_;
  int count_ = 0;
};

ExampleRun runWith(const std::string& project, const std::vector<std::string>& settings) {
  std::vector<std::string> arguments;
  for (const std::string& setting : settings) {
    arguments.emplace_back("--set");
    arguments.push_back(setting);
  }
  ExampleRun run = runExample(project, arguments);
  EXPECT_EQ(run.command.exitCode, 0) << project << "\n" << run.command.errors;
  return run;
}

void addWall(Distance& distance, const ExampleRun& run, const Wall& wall) {
  distance.add(run.of("conduction.T1").back(), wall.temperature);
  distance.add(run.of("radiation.q").back(), wall.flux);
}

TEST(BenchmarkModels, WallsBehindFilesHaveThePublishedSolutions) {
  for (const WallModel& model : wallModels()) {
    Distance distance;
    for (const Wall& wall : model.walls) {
      const ExampleRun run =
          runWith(fmt::format("benchmark-models/{}", model.name), {fmt::format("conduction.lambda={}", wall.lambda)});
      addWall(distance, run, wall);
      EXPECT_LE(run.evaluations(), 10) << model.name << " " << wall.lambda;
    }
    distance.show(fmt::format("files-{}", model.name));
  }
}

TEST(BenchmarkModels, WallsInProcessHaveThePublishedSolutions) {
  for (const WallModel& model : wallModels()) {
    Distance distance;
    for (const Wall& wall : model.walls)
      addWall(distance,
              runWith("wall-radiation/default", {fmt::format("conduction.lambda={}", wall.lambda),
                                                 fmt::format("radiation.emissivity={}", model.inWords)}),
              wall);
    distance.show(fmt::format("in-process-{}", model.name));
  }
}

TEST(BenchmarkModels, PlatesBehindFilesHaveThePublishedSolutions) {
  Distance vertical;
  Distance horizontal;
  for (const Plate& plate : kPlates) {
    const std::string density = fmt::format("flow.rho={}", plate.rho);
    vertical.add(runWith("benchmark-models/fsi-v", {density}).of("plate.phi").back(), plate.vertical);
    horizontal.add(runWith("benchmark-models/fsi-h", {density}).of("plate.phi").back(), plate.horizontal);
  }
  vertical.show("files-fsi-v");
  horizontal.show("files-fsi-h");
}

TEST(BenchmarkModels, PlatesInProcessHaveThePublishedSolutions) {
  Distance vertical;
  Distance horizontal;
  for (const Plate& plate : kPlates) {
    const std::string density = fmt::format("flow.rho={}", plate.rho);
    const ExampleRun upright =
        runWith("hinged-plate/default", {density, "flow.rest=vertical", "flow.phi=0", "plate.phi0=0"});
    vertical.add(upright.of("plate.phi").back(), plate.vertical);
    horizontal.add(runWith("hinged-plate/default", {density}).of("plate.phi").back(), plate.horizontal);
  }
  vertical.show("in-process-fsi-v");
  horizontal.show("in-process-fsi-h");
}

}  // namespace
}  // namespace koppla::test::benchmark_models_test
