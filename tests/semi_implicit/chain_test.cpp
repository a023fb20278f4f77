// Many subsystems and many joints at once.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/results/memory_recorder.hpp"
#include "koppla/run/run.hpp"

#include "support/extremes.hpp"
#include "support/rod_chain.hpp"

namespace koppla::test {
namespace {

/// A chain that falls: no hinge opens, and the coupling brings in no energy.
TEST(Chain, OfFiftyAndOfAHundredRodsIsStable) {
  for (const std::size_t rods : {50U, 100U}) {
    core::Log log;
    results::MemoryRecorder recorder;
    run::Settings settings = chainSettings(0.3);
    settings.variables = {"*.energy", "*_defect"};
    run::Run run(rodChain(rods), settings, log, &recorder);
    ASSERT_TRUE(run.initialise().ok());
    const run::Outcome outcome = run.simulate();
    ASSERT_TRUE(outcome.ok()) << outcome.message;
    const results::Table& table = recorder.table();
    ASSERT_EQ(table.time.size(), 301U);
    test::Largest gap;
    std::vector<double> energy(table.time.size(), 0.0);
    for (const results::Series& series : table.series)
      for (std::size_t i = 0; i < table.time.size(); ++i) {
        if (series.name.ends_with(".energy")) energy[i] += series.numbers[i];
        if (series.name.find("position_defect") != std::string::npos) gap.see(std::fabs(series.numbers[i]));
      }
    EXPECT_LT(gap, 1e-5) << rods;                                                             // m; a rod has 0.1
    const double turnover = 0.1 * 9.81 * 0.5 * 9.81 * 0.3 * 0.3 * static_cast<double>(rods);  // J, if all fell freely
    for (const double e : energy) ASSERT_NEAR(e, energy.front(), 1e-3 * turnover) << rods;
  }
}

}  // namespace
}  // namespace koppla::test
