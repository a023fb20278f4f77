// What holds for every recorder that writes a file.

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/csv_recorder.hpp"
#include "koppla/results/hdf5_recorder.hpp"

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
}

}  // namespace
}  // namespace koppla::results::recorders_test
