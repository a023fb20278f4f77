#include "koppla/program/detail/answer_record.hpp"

#include <array>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "support/full_disk.hpp"
#include "support/message_of.hpp"

namespace koppla::program::answer_record_test {
namespace {

using detail::AnswerRecord;
using detail::Question;
using detail::RecordedAnswer;

class AnswerRecordTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "answers.bin"; }
  [[nodiscard]] AnswerRecord opened(bool resume, const std::string& fingerprint = "abc") const {
    return {file(), fingerprint, resume};
  }
  /// What was asked with x.
  static Question question(std::uint64_t step, const double& x) {
    return {step, 0, 1.0, 2.0, {std::span(&x, 1), std::span(&kSecond, 1)}};
  }

  static constexpr double kSecond = 7.0;
  core::TemporaryFolder folder_{"answer-record"};
};

TEST_F(AnswerRecordTest, TellsALaterRunWhatWasAnswered) {
  const std::array<double, 2> x{0.1, 0.2};
  {
    AnswerRecord record = opened(false);
    record.add(question(1, x[0]), {1, 0, {1.5, 2.5}});
    record.add(question(1, x[1]), {2, 9, {-1.0 / 3.0}});
  }
  AnswerRecord record = opened(true);
  const std::optional<RecordedAnswer> second = record.find(question(1, x[1]));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->outputs, std::vector<double>{-1.0 / 3.0});
  EXPECT_EQ(second->iteration, 2U);
  EXPECT_EQ(second->restart, 9U);
  const std::optional<RecordedAnswer> first = record.find(question(1, x[0]));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->outputs, (std::vector{1.5, 2.5}));
}

TEST_F(AnswerRecordTest, AnswersNothingButTheSameQuestionAndThatOnce) {
  const double x = 0.0;
  const double minus = -0.0;
  {
    AnswerRecord record = opened(false);
    record.add(question(1, x), {1, 0, {1.0}});
  }
  AnswerRecord record = opened(true);
  EXPECT_FALSE(record.find(question(2, x)));
  EXPECT_FALSE(record.find(question(1, minus)));
  Question other = question(1, x);
  other.restart = 3;
  EXPECT_FALSE(record.find(other));
  EXPECT_TRUE(record.find(question(1, x)));
  EXPECT_FALSE(record.find(question(1, x)));
}

TEST_F(AnswerRecordTest, AnswersTheSameQuestionInTheOrderOfItsAnswers) {
  const double x = 4.0;
  {
    AnswerRecord record = opened(false);
    record.add(question(1, x), {1, 0, {1.0}});
    record.add(question(1, x), {2, 0, {2.0}});
  }
  AnswerRecord record = opened(true);
  EXPECT_EQ(record.find(question(1, x))->outputs.front(), 1.0);
  EXPECT_EQ(record.find(question(1, x))->outputs.front(), 2.0);
}

/// A process may be killed, and a disk may be full, at every byte.
TEST_F(AnswerRecordTest, LosesOnlyTheEntryThatWasCutOff) {
  const std::array<double, 2> x{0.1, 0.2};
  std::uintmax_t whole = 0;
  {
    AnswerRecord record = opened(false);
    record.add(question(1, x[0]), {1, 0, {1.0}});
    whole = std::filesystem::file_size(file());
    record.add(question(1, x[1]), {2, 0, {2.0}});
  }
  const std::uintmax_t all = std::filesystem::file_size(file());
  const std::string content = core::readWhole(file());
  for (std::uintmax_t size = whole; size < all; ++size) {
    std::ofstream(file(), std::ios::binary) << content.substr(0, size);
    {
      AnswerRecord record = opened(true);
      EXPECT_TRUE(record.find(question(1, x[0]))) << size;
      EXPECT_FALSE(record.find(question(1, x[1]))) << size;
      record.add(question(1, x[1]), {5, 0, {3.0}});
    }
    AnswerRecord record = opened(true);
    ASSERT_TRUE(record.find(question(1, x[0]))) << size;
    const std::optional<RecordedAnswer> repaired = record.find(question(1, x[1]));
    ASSERT_TRUE(repaired) << size;
    EXPECT_EQ(repaired->outputs.front(), 3.0) << size;
  }
}

TEST_F(AnswerRecordTest, DoesNotBelieveADamagedEntry) {
  const double x = 0.1;
  {
    AnswerRecord record = opened(false);
    record.add(question(1, x), {1, 0, {1.0}});
  }
  std::string content = core::readWhole(file());
  content.back() = static_cast<char>(content.back() ^ 1);
  std::ofstream(file(), std::ios::binary) << content;
  EXPECT_FALSE(opened(true).find(question(1, x)));
}

TEST_F(AnswerRecordTest, RefusesTheAnswersOfAnotherProgram) {
  { const AnswerRecord record = opened(false); }
  EXPECT_THROW(static_cast<void>(opened(true, "abd")), core::InputError);
  EXPECT_NO_THROW(static_cast<void>(opened(false, "abd")));
}

TEST_F(AnswerRecordTest, ADiskThatIsFullIsTold) {
  const std::string said = test::messageOf<core::FileError>([] { AnswerRecord("/dev/full", "abc", false); });
  EXPECT_NE(said.find("/dev/full cannot be written: No space left on device. Free some space"), std::string::npos)
      << said;
}

TEST_F(AnswerRecordTest, ADiskThatFillsUpIsToldAndTheAnswersBeforeStay) {
  const double x = 0.1;
  {
    AnswerRecord record = opened(false);
    record.add(question(1, x), {1, 0, {1.0}});
    const test::FullDisk full(std::filesystem::file_size(file()) + 8);
    const std::string said = test::messageOf<core::FileError>([&] { record.add(question(2, x), {1, 0, {2.0}}); });
    EXPECT_NE(said.find("cannot be written: File too large."), std::string::npos) << said;
  }
  AnswerRecord record = opened(true);
  EXPECT_TRUE(record.find(question(1, x)));
  EXPECT_FALSE(record.find(question(2, x)));
}

TEST_F(AnswerRecordTest, APlaceThatCannotBeRightIsTheUsersInput) {
  core::writeWhole(file(), "no folder");
  const std::string said =
      test::messageOf<core::InputError>([&] { AnswerRecord(file() / "answers.bin", "abc", false); });
  EXPECT_NE(said.find("cannot be opened: Not a directory. Choose a results folder"), std::string::npos) << said;
}

TEST_F(AnswerRecordTest, BeginsAnewUnlessItIsResumed) {
  const double x = 0.1;
  {
    AnswerRecord record = opened(false);
    record.add(question(1, x), {1, 0, {1.0}});
  }
  EXPECT_FALSE(opened(false).find(question(1, x)));
}

}  // namespace
}  // namespace koppla::program::answer_record_test
