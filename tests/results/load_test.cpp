#include "koppla/results/load.hpp"

#include <string>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

namespace koppla::results {
namespace {

class LoadTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) const {
    core::writeWhole(folder_.path() / name, content);
  }

  core::TemporaryFolder folder_{"load-test"};
};

constexpr char kUnits[] = "\"name\",\"type\",\"unit\",\"description\"\n\"a.x\",\"real\",\"m\",\"position\"\n";

TEST_F(LoadTest, ReadsTheFolderOfARunWithItsUnits) {
  write("results.csv", "\"time\",\"a.x\"\n0,1\n");
  write("results.units.csv", kUnits);
  const Table table = load(folder_.path());
  EXPECT_FALSE(table.partial);
  ASSERT_EQ(table.series.size(), 1U);
  EXPECT_EQ(table.series[0].unit, "m");
  EXPECT_EQ(table.source, (folder_.path() / "results.csv").string());
}

TEST_F(LoadTest, ReadsWhatARunThatDidNotCompleteLeft) {
  write("results.partial.csv", "\"time\",\"a.x\"\n0,1\n1,");
  write("results.units.csv", kUnits);
  const Table table = load(folder_.path());
  EXPECT_TRUE(table.partial);
  EXPECT_EQ(table.time.size(), 1U);
  EXPECT_EQ(table.series[0].unit, "m");
  EXPECT_EQ(table.notes.size(), 1U);
}

TEST_F(LoadTest, PrefersTheCompleteFile) {
  write("results.csv", "\"time\",\"a.x\"\n0,1\n");
  write("results.partial.csv", "\"time\",\"a.x\"\n");
  EXPECT_FALSE(load(folder_.path()).partial);
}

TEST_F(LoadTest, ReadsAFileThatStandsAlone) {
  write("Model_ref.csv", "\"time\",\"x\"\n0,1\n");
  EXPECT_EQ(load(folder_.path() / "Model_ref.csv").series[0].name, "x");
}

TEST_F(LoadTest, SaysWhatIsMissing) {
  EXPECT_THROW(load(folder_.path()), core::InputError) << "no results in the folder";
  EXPECT_THROW(load(folder_.path() / "none.csv"), core::InputError);
}

TEST_F(LoadTest, ReadsAHistoryOfIterationsOverTheirNumber) {
  write("iterations.csv",
        "\"time\",\"total\",\"residual\",\"residual.all\",\"a.x\",\"a.x.residual\",\"a.x.change_mean\"\n"
        "2,1,9,9,1,0.5,0.5\n"
        "1,2,8,8,2,0.5,0.5\n");
  EXPECT_THROW(load(folder_.path() / "iterations.csv"), core::InputError) << "a step was repeated with half its length";
  const Table table = loadIterations(folder_.path());
  EXPECT_EQ(table.time, (std::vector{1.0, 2.0}));
  EXPECT_EQ(table.over, "iteration");
  std::string decades;
  for (const Series& series : table.series) decades += series.decades ? 'x' : '-';
  EXPECT_EQ(decades, "-xx--x") << "norms and magnitudes; what can be negative is not";
}

TEST_F(LoadTest, ResultsAreNoHistory) {
  write("results.csv", "\"time\",\"a.x\"\n0,1\n");
  EXPECT_THROW(loadIterations(folder_.path()), core::InputError);
  EXPECT_THROW(loadIterations(folder_.path() / "results.csv"), core::InputError);
}

}  // namespace
}  // namespace koppla::results
