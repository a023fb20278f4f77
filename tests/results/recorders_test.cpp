// What holds for every recorder that writes a file.

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/csv_recorder.hpp"
#include "koppla/results/hdf5_recorder.hpp"
#include "koppla/results/load.hpp"

#include "recorded_rows.hpp"

namespace koppla::results::recorders_test {
namespace {

template <typename Recorder>
class RecorderTest : public testing::Test {
 protected:
  core::TemporaryFolder folder_{"recorder-test"};
};

using Kinds = testing::Types<CsvRecorder, Hdf5Recorder>;
TYPED_TEST_SUITE(RecorderTest, Kinds);

TYPED_TEST(RecorderTest, AFolderThatCannotBeMadeIsNamed) {
  core::writeWhole(this->folder_.path() / "occupied", "");
  TypeParam recorder(this->folder_.path() / "occupied/run");
  try {
    recorder.begin(recorded::kTwoReals);
    FAIL() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("occupied/run"), std::string::npos);
  }
}

TYPED_TEST(RecorderTest, MisuseIsOurOwnError) {
  TypeParam recorder(this->folder_.path());
  EXPECT_THROW(recorder.row(0.0, recorded::reals({1.0, 2.0})), core::InternalError);
  EXPECT_NO_THROW(recorder.abandon());
  recorder.begin(recorded::kTwoReals);
  EXPECT_THROW(recorder.row(0.0, recorded::reals({1.0})), core::InternalError);
  recorder.complete();
  EXPECT_THROW(recorder.row(0.0, recorded::reals({1.0, 2.0})), core::InternalError);
  EXPECT_THROW(recorder.flush(), core::InternalError);
  EXPECT_THROW(recorder.complete(), core::InternalError);
}

TYPED_TEST(RecorderTest, ItBeginsOnce) {
  TypeParam recorder(this->folder_.path());
  recorder.begin(recorded::kTwoReals);
  recorder.row(0.0, recorded::reals({1.0, 2.0}));
  EXPECT_THROW(recorder.begin(recorded::kTwoReals), core::InternalError);
  recorder.complete();
  EXPECT_EQ(load(this->folder_.path()).time.size(), 1U) << "the row of before is still there";
}

TYPED_TEST(RecorderTest, ARowHasOneValueForEachColumnOfEachType) {
  TypeParam recorder(this->folder_.path());
  recorder.begin({{"a.x", core::Type::real, "", ""},
                  {"a.n", core::Type::integer, "", ""},
                  {"a.b", core::Type::boolean, "", ""},
                  {"a.s", core::Type::string, "", ""},
                  {"a.e", core::Type::enumeration, "", ""}});
  const core::Values right{{1.0}, {2, 3}, {1}, {"a"}};
  for (int change = 0; change < 8; ++change) {
    core::Values wrong = right;
    const bool more = change >= 4;
    if (change % 4 == 0) wrong.reals.resize(more ? 2 : 0);
    if (change % 4 == 1) wrong.integers.resize(more ? 3 : 1);
    if (change % 4 == 2) wrong.booleans.resize(more ? 2 : 0);
    if (change % 4 == 3) wrong.strings.resize(more ? 2 : 0);
    EXPECT_THROW(recorder.row(0.0, wrong), core::InternalError) << change;
  }
  EXPECT_NO_THROW(recorder.row(0.0, right));
  recorder.complete();
  EXPECT_EQ(load(this->folder_.path()).time.size(), 1U);
}

TYPED_TEST(RecorderTest, ARescueOutsideOfARunDoesNothing) {
  TypeParam recorder(this->folder_.path());
  recorder.rescue();
  EXPECT_EQ(recorder.secondsOfBlocks(), 0.0);
  recorder.begin(recorded::kTwoReals);
  recorder.complete();
  recorder.rescue();
}

TYPED_TEST(RecorderTest, RescuedRowsCanBeRead) {
  TypeParam recorder(this->folder_.path());
  recorder.begin(recorded::kTwoReals);
  recorder.row(0.0, recorded::reals({1.0, 2.0}));
  recorder.row(1.0, recorded::reals({3.0, 4.0}));
  recorder.rescue();
  const Table table = load(this->folder_.path());
  EXPECT_EQ(table.time, (std::vector{0.0, 1.0}));
  EXPECT_EQ(table.find("a.x")->numbers, (std::vector{1.0, 3.0}));
  EXPECT_EQ(table.find("b.y")->numbers, (std::vector{2.0, 4.0}));
  recorder.complete();
}

TYPED_TEST(RecorderTest, FlushedRowsAreInTheFileAndTheTimeThatTookIsTold) {
  TypeParam recorder(this->folder_.path());
  recorder.begin(recorded::kTwoReals);
  const double before = recorder.secondsOfBlocks();
  EXPECT_GE(before, 0.0);
  recorder.row(0.0, recorded::reals({1.0, 2.0}));
  recorder.flush();
  EXPECT_GT(recorder.secondsOfBlocks(), before);
  EXPECT_LT(recorder.secondsOfBlocks(), 100.0);
  EXPECT_EQ(load(this->folder_.path()).time.size(), 1U);
  recorder.abandon();
  EXPECT_TRUE(load(this->folder_.path()).partial);
}

/// The folders of all threads of this process.
std::set<std::filesystem::path> threads() {
  std::set<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) folders.insert(entry.path());
  return folders;
}

TYPED_TEST(RecorderTest, ItsThreadEndsWithTheRun) {
  std::thread([] {}).join();  // a sanitizer starts one of its own beside the first
  const std::set<std::filesystem::path> before = threads();
  TypeParam recorder(this->folder_.path());
  recorder.begin(recorded::kTwoReals);
  std::set<std::filesystem::path> own = threads();
  for (const auto& thread : before) own.erase(thread);
  ASSERT_EQ(own.size(), 1U);
  recorder.complete();
  // The system takes a thread off its list a moment after it was joined.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::filesystem::exists(*own.begin()) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  EXPECT_FALSE(std::filesystem::exists(*own.begin()));
}

TYPED_TEST(RecorderTest, OneThatGoesOutOfScopeAfterTheEndLeavesTheCompleteFile) {
  {
    TypeParam recorder(this->folder_.path());
    recorder.begin(recorded::kTwoReals);
    recorder.row(0.0, recorded::reals({1.0, 2.0}));
    recorder.complete();
    recorder.abandon();
  }
  const Table table = load(this->folder_.path());
  EXPECT_FALSE(table.partial);
  EXPECT_EQ(table.time.size(), 1U);
}

}  // namespace
}  // namespace koppla::results::recorders_test
