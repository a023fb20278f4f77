#include "koppla/results/load.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/recording.hpp"

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

TEST_F(LoadTest, SaysWhereItLookedAndWhatToDo) {
  try {
    load(folder_.path());
    FAIL() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_EQ(error.what(), "The folder " + folder_.path().string() +
                                " holds neither results.csv nor results.h5, nor results.partial.csv or "
                                "results.partial.h5. Name the folder of a run, or a file of results.");
  }
}

TEST_F(LoadTest, TheRecordFromBeforeStandsForTheRunUnlessItIsOfOtherSettings) {
  const auto firstName = [&] { return load(folder_.path()).series.at(0).name; };
  write("results.before.partial.csv", "\"time\",\"before\"\n0,1\n");
  write("results.csv", "\"time\",\"new\"\n0,1\n");
  EXPECT_EQ(firstName(), "before");
  write("results.before.project.toml", "");
  EXPECT_EQ(firstName(), "new");
  std::filesystem::remove(folder_.path() / "results.csv");
  EXPECT_EQ(firstName(), "before") << "there is no other";
}

TEST_F(LoadTest, UnitsStandBesideTheirRows) {
  write("a.csv", "\"time\",\"a.x\"\n0,1\n");
  write("a.partial.csv", "\"time\",\"a.x\"\n0,1\n");
  EXPECT_EQ(load(folder_.path() / "a.csv").series[0].unit, "");
  write("a.partial.units.csv", "of nobody");
  write("a.units.csv", kUnits);
  EXPECT_EQ(load(folder_.path() / "a.csv").series[0].unit, "m");
  EXPECT_EQ(load(folder_.path() / "a.partial.csv").series[0].unit, "m");
  write("b.csv", "\"time\",\"a.x\"\n0,1\n");
  EXPECT_EQ(load(folder_.path() / "b.csv").series[0].unit, "");
}

TEST_F(LoadTest, MistakesAreToldWithTheirFile) {
  write("a.csv", "\"time\",\"a.x\"\n0,1\n1\n");
  write("a.units.csv", kUnits);
  const auto mistake = [&]() -> std::string {
    try {
      load(folder_.path() / "a.csv");
    } catch (const core::InputError& error) {
      return error.problems().at(0).place.file;
    }
    return "no mistake";
  };
  EXPECT_EQ(mistake(), (folder_.path() / "a.csv").string());
  write("a.units.csv", "\"name\"\n\"x\"\n");
  EXPECT_EQ(mistake(), (folder_.path() / "a.units.csv").string());
}

TEST_F(LoadTest, TellsWhichFilesItReads) {
  using Files = std::vector<std::filesystem::path>;
  const auto file = [&](const char* name) { return folder_.path() / name; };
  write("results.csv", "");
  EXPECT_EQ(filesOf(folder_.path()), Files{file("results.csv")});
  write("results.units.csv", "");
  EXPECT_EQ(filesOf(folder_.path()), (Files{file("results.csv"), file("results.units.csv")}));
  EXPECT_EQ(filesOf(file("other.csv")), Files{file("other.csv")});
  write("results.h5", "");
  EXPECT_EQ(filesOf(file("results.h5")), Files{file("results.h5")}) << "it tells its units itself";
  std::filesystem::remove(file("results.csv"));
  EXPECT_EQ(filesOf(folder_.path()), Files{file("results.h5")});
  std::filesystem::remove(file("results.h5"));
  EXPECT_THROW(filesOf(folder_.path()), core::InputError) << "the folder of a run that holds none";
}

TEST_F(LoadTest, AHistoryMayBeInHdf5) {
  const auto recorder = makeRecorder(folder_.path(), "iterations", {Format::hdf5});
  recorder->begin({{"total", core::Type::integer, "", ""}, {"a.x.change_largest", core::Type::real, "", ""}});
  recorder->row(2.0, {{0.5}, {1}, {}, {}});
  recorder->row(1.0, {{0.25}, {2}, {}, {}});  // the step was repeated with half its length
  recorder->complete();
  const Table table = loadIterations(folder_.path());
  EXPECT_EQ(table.time, (std::vector{1.0, 2.0}));
  EXPECT_FALSE(table.find("total")->decades);
  EXPECT_TRUE(table.find("a.x.change_largest")->decades);
  EXPECT_THROW(load(folder_.path() / "iterations.h5"), core::InputError);
}

TEST_F(LoadTest, AHistoryCountsItsIterations) {
  const auto mistake = [&]() -> std::string {
    try {
      loadIterations(folder_.path());
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "no mistake";
  };
  const std::string expected = (folder_.path() / "iterations.csv").string() +
                               " is no history of iterations. Name the folder of a run with results.iterations, or its "
                               "iterations.csv.";
  write("iterations.csv", "\"time\",\"residual\"\n0,1\n");
  EXPECT_EQ(mistake(), expected);
  write("iterations.csv", "\"time\",\"total\"\n0,\"one\"\n");
  EXPECT_EQ(mistake(), expected);
  write("iterations.csv", "\"time\",\"total\"\n0,1\n");
  EXPECT_EQ(mistake(), "no mistake");
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
