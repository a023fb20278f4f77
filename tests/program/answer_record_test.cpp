#include "koppla/program/detail/answer_record.hpp"

#include <array>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
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

/// Only equal questions have an answer: each time with one thing that differs.
TEST_F(AnswerRecordTest, ComparesStepRestartTimesAndAllValues) {
  const std::array<double, 3> x{0.5, 7.0, 2.0};
  const std::span<const double> all(x);
  const Question asked{3, 4, 1.0, 2.0, {all.first(1), all.subspan(1, 2)}};
  {
    AnswerRecord record = opened(false);
    record.add(asked, {1, 0, {1.0}});
  }
  AnswerRecord record = opened(true);
  const std::array<double, 3> y{0.5, 7.0, 2.5};
  const std::array<double, 4> longer{0.5, 7.0, 2.0, 2.0};
  for (const Question& other :
       {Question{2, 4, 1.0, 2.0, asked.values}, Question{3, 5, 1.0, 2.0, asked.values},
        Question{3, 4, 1.5, 2.0, asked.values}, Question{3, 4, 1.0, 2.5, asked.values},
        Question{3, 4, 1.0, 2.0, {std::span(y).first(1), std::span(y).subspan(1)}},
        Question{3, 4, 1.0, 2.0, {all.first(1), all.subspan(1, 1)}}, Question{3, 4, 1.0, 2.0, {std::span(longer)}},
        Question{3, 4, 1.0, 2.0, {}}, Question{3, 4, 1.0, 2.0, {all.subspan(1, 2), all.first(1)}}})
    EXPECT_FALSE(record.find(other));
  EXPECT_TRUE(record.find({3, 4, 1.0, 2.0, {all.first(2), {}, all.subspan(2)}})) << "they are the same values";
}

TEST_F(AnswerRecordTest, AQuestionAndAnAnswerMayHaveNoValues) {
  const double x = 0.5;
  {
    AnswerRecord record = opened(false);
    record.add({1, 0, 1.0, 2.0, {}}, {1, 2, {}, 99});
    record.add(question(2, x), {3, 0, {}});
    record.add({3, 0, 1.0, 2.0, {}}, {4, 0, {5.0}});
    record.add({4, 0, 1.0, 2.0, {}}, {5, 0, {}});
  }
  AnswerRecord record = opened(true);
  const std::optional<RecordedAnswer> first = record.find({1, 0, 1.0, 2.0, {}});
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->outputs.empty());
  EXPECT_EQ(first->restart, 2U);
  EXPECT_EQ(first->restartChecksum, 99U);
  EXPECT_TRUE(record.find(question(2, x)));
  EXPECT_EQ(record.find({3, 0, 1.0, 2.0, {}}).value().outputs, std::vector{5.0});
  EXPECT_TRUE(record.find({4, 0, 1.0, 2.0, {}}));
}

/// The head of an entry is eleven words of 8 bytes: mark, checksum, step, ..., numbers of values asked and answered,
/// ...
TEST_F(AnswerRecordTest, DoesNotBelieveADamagedHead) {
  constexpr std::size_t kWords = 11;
  const double x = 0.1;
  std::size_t head = 0;
  {
    AnswerRecord record = opened(false);
    head = std::filesystem::file_size(file());
    record.add(question(1, x), {1, 0, {1.0}});
  }
  const std::string content = core::readWhole(file());
  ASSERT_EQ(content.size(), head + 8 * (kWords + 3));
  const auto believes = [&](std::size_t byte, char damage) {
    std::string damaged = content;
    damaged[head + byte] = static_cast<char>(damaged[head + byte] ^ damage);
    std::ofstream(file(), std::ios::binary) << damaged;
    return opened(true).find(question(1, x)).has_value();
  };
  for (std::size_t byte = 0; byte < 8 * kWords; byte += 3) EXPECT_FALSE(believes(byte, '\x01')) << byte;
  for (const std::size_t count : {6, 7})
    EXPECT_FALSE(believes(8 * count + 7, '\x20')) << "more than any memory can hold";
}

/// The calls behind it begin with restart files that are gone.
TEST_F(AnswerRecordTest, AnEntryThatIsDamagedAmidOthersIsTold) {
  const double x = 0.1;
  std::array<std::size_t, 3> ends{};
  {
    AnswerRecord record = opened(false);
    for (std::size_t i = 0; i < 3; ++i) {
      ends.at(i) = std::filesystem::file_size(file());
      record.add(question(i, x), {1, 0, {1.0}});
    }
  }
  const std::string content = core::readWhole(file());
  const auto damage = [&](std::size_t byte) {
    std::string damaged = content;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 4);
    std::ofstream(file(), std::ios::binary) << damaged;
    return test::messageOf<core::InputError>([&] { static_cast<void>(opened(true)); });
  };
  for (const std::size_t entry : {0U, 1U})
    for (const std::size_t byte : {0U, 9U, 48U, 56U, 90U, 104U})
      EXPECT_NE(damage(ends.at(entry) + byte).find(fmt::format("is damaged at byte {}, amid others.", ends.at(entry))),
                std::string::npos)
          << entry << ' ' << byte;
  std::ofstream(file(), std::ios::binary) << content.substr(0, content.size() - 1);
  AnswerRecord record = opened(true);
  EXPECT_TRUE(record.find(question(1, x)));
  EXPECT_FALSE(record.find(question(2, x))) << "cut off";
}

TEST_F(AnswerRecordTest, ATitleThatIsCutOffIsWrittenAnew) {
  const double x = 0.1;
  { const AnswerRecord record = opened(false); }
  const std::string title = core::readWhole(file());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, title.size() - 1}) {
    std::ofstream(file(), std::ios::binary) << title.substr(0, size);
    {
      AnswerRecord record = opened(true);
      record.add(question(1, x), {1, 0, {1.0}});
    }
    EXPECT_TRUE(opened(true).find(question(1, x))) << size;
  }
}

TEST_F(AnswerRecordTest, ADamagedTitleIsToldFromAnotherProgram) {
  { const AnswerRecord record = opened(false); }
  const std::string title = core::readWhole(file());
  std::ofstream(file(), std::ios::binary) << "K" << title.substr(1);
  EXPECT_NE(test::messageOf<core::InputError>([&] { static_cast<void>(opened(true)); }).find("is damaged."),
            std::string::npos);
  std::ofstream(file(), std::ios::binary) << title;
  EXPECT_NE(
      test::messageOf<core::InputError>([&] { static_cast<void>(opened(true, "abd")); }).find("have changed since"),
      std::string::npos);
}

/// Of the values some still fit on the disk.
TEST_F(AnswerRecordTest, ADiskThatFillsUpInTheMidstOfValuesIsTold) {
  const double x = 0.1;
  constexpr std::size_t kHead = 88;  // bytes
  {
    AnswerRecord record = opened(false);
    record.add(question(1, x), {1, 0, {1.0}});
    const std::uintmax_t before = std::filesystem::file_size(file());
    const test::FullDisk full(before + kHead + 44);
    EXPECT_THROW(record.add(question(2, x), {1, 0, std::vector<double>(8, 2.0)}), core::FileError);
    EXPECT_EQ(std::filesystem::file_size(file()), before);
  }
  AnswerRecord record = opened(true);
  EXPECT_FALSE(record.find(question(2, x)));
  EXPECT_TRUE(record.find(question(1, x)));
}

}  // namespace
}  // namespace koppla::program::answer_record_test
