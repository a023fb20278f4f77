#include "koppla/results/reach.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/results/recording.hpp"

#include "recorded_rows.hpp"

namespace koppla::results::reach_test {
namespace {

class ReachTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) const {
    core::writeWhole(folder_.path() / name, content);
  }
  /// A record in HDF5 with rows at these times.
  void record(const std::string& name, const std::vector<double>& times, bool completes) const {
    const auto recorder = makeRecorder(folder_.path(), name, {Format::hdf5});
    recorder->begin(recorded::kTwoReals);
    for (const double time : times) recorder->row(time, recorded::reals({1.0, 2.0}));
    if (completes)
      recorder->complete();
    else
      recorder->abandon();
  }
  /// Time and rows of that time; (-1, 0): nothing.
  [[nodiscard]] std::pair<double, std::size_t> reach(const std::string& name = "results") const {
    const auto found = reachOf(folder_.path(), name);
    return found ? std::pair(found->time, found->rows) : std::pair(-1.0, std::size_t{0});
  }

  core::TemporaryFolder folder_{"reach"};
};

using Found = std::pair<double, std::size_t>;
const Found kNothing{-1.0, 0};

TEST_F(ReachTest, IsTheLatestTimeAndItsRows) {
  write("results.csv", "\"time\",\"a.x\"\n0,1\n2,1\n2,3\n1,1\n");
  EXPECT_EQ(reach(), Found(2.0, 2));
  EXPECT_EQ(reach("iterations"), kNothing);
  record("iterations", {0.0, 0.5, 0.5, 0.5}, true);
  EXPECT_EQ(reach("iterations"), Found(0.5, 3));
}

TEST_F(ReachTest, CountsWholeRowsOfAPartialFile) {
  write("results.partial.csv", "\"time\",\"a.x\"\n0,1\n1,1\n2,");
  EXPECT_EQ(reach(), Found(1.0, 1));
  record("other", {-3.0, -2.0}, false);
  EXPECT_EQ(reach("other"), Found(-2.0, 1));
}

TEST_F(ReachTest, IsThatOfTheFurthestFile) {
  write("results.csv", "\"time\",\"a.x\"\n0,1\n1,1\n");
  write("results.partial.csv", "\"time\",\"a.x\"\n0,1\n3,1\n");
  record("results", {0.0, 2.0}, true);
  EXPECT_EQ(reach(), Found(3.0, 1));
  record("results", {0.0, 3.0, 3.0}, false);
  EXPECT_EQ(reach(), Found(3.0, 2)) << "more rows of the same time";
  write("results.csv", "\"time\",\"a.x\"\n4,1\n");
  EXPECT_EQ(reach(), Found(4.0, 1));
}

TEST_F(ReachTest, OfWhatCannotBeReadOrHasNoRowsIsNothing) {
  EXPECT_EQ(reach(), kNothing);
  write("results.csv", "\"time\",\"a.x\"\n");
  EXPECT_EQ(reach(), kNothing);
  write("results.h5", "damaged");
  write("results.csv", "1,2,3\n\"");
  std::filesystem::create_directory(folder_.path() / "results.partial.h5");
  EXPECT_EQ(reach(), kNothing);
  write("results.partial.csv", "\"time\",\"a.x\"\n1.5,1\n");
  EXPECT_EQ(reach(), Found(1.5, 1)) << "what can be read counts";
  EXPECT_FALSE(reachOf(folder_.path() / "nowhere", "results"));
}

}  // namespace
}  // namespace koppla::results::reach_test
