#include "koppla/results/resumed_recorder.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/results/load.hpp"
#include "koppla/results/recording.hpp"

namespace koppla::results::resumed_recorder_test {
namespace {

using testing::ElementsAre;

class ResumedRecorderTest : public testing::TestWithParam<Format> {
 protected:
  std::unique_ptr<Recorder> recorder() const { return makeRecorder(folder_.path(), "results", {GetParam()}); }
  std::unique_ptr<Recorder> resumed() const {
    return std::make_unique<ResumedRecorder>(recorder(), folder_.path(), "results");
  }
  /// Rows at 0, 1, ... with ten times the time and an offset.
  static void record(Recorder& recorder, int from, int end, double offset = 0.0) {
    core::Values values;
    values.reals.resize(1);
    for (int i = from; i < end; ++i) {
      values.reals[0] = 10.0 * i + offset;
      recorder.row(i, values);
    }
    recorder.rescue();
  }
  [[nodiscard]] std::vector<double> rows() const { return load(folder_.path()).series.at(0).numbers; }
  [[nodiscard]] std::size_t filesAside() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      count += entry.path().filename().string().find(".before.") != std::string::npos ? 1U : 0U;
    return count;
  }

  const std::vector<Column> columns_{{"a.x", core::Type::real, "m", ""}};
  core::TemporaryFolder folder_{"resumed-recorder"};
};

TEST_P(ResumedRecorderTest, RowsOfBeforeAreThereUntilTheNewOnesGoFurther) {
  {
    const auto first = recorder();
    first->begin(columns_);
    record(*first, 0, 3);
    first->abandon();
  }
  const auto again = resumed();
  again->begin(columns_);
  record(*again, 0, 2, 1.0);
  EXPECT_THAT(rows(), ElementsAre(0.0, 10.0, 20.0));  // as a kill would leave it
  record(*again, 2, 3, 1.0);
  EXPECT_THAT(rows(), ElementsAre(0.0, 10.0, 20.0));
  record(*again, 3, 4, 1.0);
  EXPECT_THAT(rows(), ElementsAre(1.0, 11.0, 21.0, 31.0));
  EXPECT_EQ(filesAside(), 0U);
  again->complete();
  EXPECT_THAT(rows(), ElementsAre(1.0, 11.0, 21.0, 31.0));
}

TEST_P(ResumedRecorderTest, OneThatEndsEarlierLeavesCompleteResultsAsTheyWere) {
  {
    const auto first = recorder();
    first->begin(columns_);
    record(*first, 0, 3);
    first->complete();
  }
  const auto again = resumed();
  again->begin(columns_);
  record(*again, 0, 2, 1.0);
  again->abandon();
  const Table table = load(folder_.path());
  EXPECT_THAT(table.series.at(0).numbers, ElementsAre(0.0, 10.0, 20.0));
  EXPECT_EQ(table.series.at(0).unit, "m");
  EXPECT_FALSE(table.partial);
  EXPECT_EQ(filesAside(), 0U);
}

TEST_P(ResumedRecorderTest, OneThatComesAsFarTakesTheirPlace) {
  {
    const auto first = recorder();
    first->begin(columns_);
    record(*first, 0, 2);
    first->abandon();
  }
  const auto again = resumed();
  again->begin(columns_);
  record(*again, 0, 2, 1.0);
  again->abandon();
  EXPECT_THAT(rows(), ElementsAre(1.0, 11.0));
  EXPECT_EQ(filesAside(), 0U);
}

TEST_P(ResumedRecorderTest, AfterAKillTheFurtherOneIsKept) {
  {
    const auto first = recorder();
    first->begin(columns_);
    record(*first, 0, 3);
    first->abandon();
  }
  // What a killed resumed run leaves: the old rows aside, fewer under the name.
  for (const char* file : {"results.partial.csv", "results.units.csv", "results.partial.h5"})
    if (std::filesystem::exists(folder_.path() / file))
      std::filesystem::rename(folder_.path() / file,
                              folder_.path() / std::string(file).insert(std::string("results").size(), ".before"));
  {
    const auto killed = recorder();
    killed->begin(columns_);
    record(*killed, 0, 1, 1.0);
    killed->abandon();
  }
  EXPECT_THAT(rows(), ElementsAre(0.0, 10.0, 20.0));
  const auto again = resumed();
  again->begin(columns_);
  record(*again, 0, 2, 2.0);
  EXPECT_THAT(rows(), ElementsAre(0.0, 10.0, 20.0));
  again->abandon();
  EXPECT_THAT(rows(), ElementsAre(0.0, 10.0, 20.0));
  EXPECT_EQ(filesAside(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Formats, ResumedRecorderTest, testing::Values(Format::csv, Format::hdf5),
                         [](const auto& format) { return format.param == Format::csv ? "Csv" : "Hdf5"; });

}  // namespace
}  // namespace koppla::results::resumed_recorder_test
