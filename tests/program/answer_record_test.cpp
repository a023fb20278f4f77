#include "koppla/program/detail/answer_record.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

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
  for (const std::size_t count : {std::size_t{6}, std::size_t{7}})
    EXPECT_FALSE(believes(8 * count + 7, '\x20')) << "more than any memory can hold";
}

/// Three entries of equal size, with damage in one of them.
class DamagedAnswerRecordTest : public AnswerRecordTest {
 protected:
  /// Each entry with the restart files that its call began with and left.
  void write(std::uint64_t restart, std::uint64_t restartLeft) {
    AnswerRecord record = opened(false);
    for (std::size_t i = 0; i < 3; ++i) {
      begins_.at(i) = std::filesystem::file_size(file());
      Question asked = question(i, kX);
      asked.restart = restart;
      record.add(asked, {1, restartLeft, {1.0}});
    }
    content_ = core::readWhole(file());
  }
  void damage(std::size_t byte) const {
    std::string damaged = content_;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 4);
    core::writeWhole(file(), damaged);
  }

  static constexpr double kX = 0.1;
  /// In the mark, the checksum, the counts of values, and values.
  static constexpr std::array<std::size_t, 6> kBytes{0, 9, 48, 56, 90, 104};
  std::array<std::size_t, 3> begins_{};
  std::string content_;
};

/// What is asked again is found from then on, and so is what stands behind the damage.
TEST_F(DamagedAnswerRecordTest, LosesOnlyTheEntryThatIsDamagedWhereThereAreNoRestartFiles) {
  write(0, 0);
  for (const std::size_t entry : {0U, 1U})
    for (const std::size_t byte : kBytes) {
      damage(begins_.at(entry) + byte);
      {
        AnswerRecord record = opened(true);
        for (std::size_t i = 0; i < 3; ++i)
          EXPECT_EQ(record.find(question(i, kX)).has_value(), i != entry) << entry << ' ' << byte << ' ' << i;
        record.add(question(entry, kX), {2, 0, {5.0}});
      }
      AnswerRecord record = opened(true);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::optional<RecordedAnswer> found = record.find(question(i, kX));
        ASSERT_TRUE(found) << entry << ' ' << byte << ' ' << i;
        EXPECT_EQ(found->outputs, std::vector{i == entry ? 5.0 : 1.0});
      }
    }
}

TEST_F(DamagedAnswerRecordTest, GoesOnBehindTheLastWholeEntry) {
  write(0, 0);
  damage(begins_[0]);
  opened(true).add(question(7, kX), {1, 0, {1.0}});
  EXPECT_EQ(std::filesystem::file_size(file()), content_.size() + begins_[1] - begins_[0]);
}

/// The calls that are damaged begin with restart files that are gone.
TEST_F(DamagedAnswerRecordTest, IsRefusedWhereOthersBehindTheDamageTellOfRestartFiles) {
  for (const auto& [restart, left] : {std::pair{0, 1}, std::pair{1, 0}}) {
    write(static_cast<std::uint64_t>(restart), static_cast<std::uint64_t>(left));
    for (const std::size_t entry : {0U, 1U})
      for (const std::size_t byte : kBytes) {
        damage(begins_.at(entry) + byte);
        const std::string said = test::messageOf<core::InputError>([&] { static_cast<void>(opened(true)); });
        EXPECT_NE(said.find(fmt::format("is damaged at byte {}, before others that are whole. Start anew",
                                        begins_.at(entry))),
                  std::string::npos)
            << said << entry << ' ' << byte;
      }
  }
}

/// The damage comes before the last entry, and not right before it.
TEST_F(DamagedAnswerRecordTest, IsRefusedAtTheFirstDamage) {
  {
    AnswerRecord record = opened(false);
    record.add(question(1, kX), {1, 0, {1.0}});
    begins_[0] = std::filesystem::file_size(file());
    record.add(question(2, kX), {1, 0, {1.0}});
    record.add(question(3, kX), {1, 0, {1.0}});
    begins_[1] = std::filesystem::file_size(file());
    record.add(question(4, kX), {1, 0, {1.0}});
    record.add(question(5, kX), {1, 3, {1.0}});
  }
  content_ = core::readWhole(file());
  damage(begins_[0]);
  content_ = core::readWhole(file());
  damage(begins_[1]);
  EXPECT_NE(test::messageOf<core::InputError>([&] {
              static_cast<void>(opened(true));
            }).find(fmt::format("at byte {}, before", begins_[0])),
            std::string::npos);
}

TEST_F(DamagedAnswerRecordTest, OneThatIsCutOffAtTheEndIsNoReasonToRefuse) {
  write(0, 1);
  core::writeWhole(file(), content_.substr(0, content_.size() - 1));
  AnswerRecord record = opened(true);
  EXPECT_TRUE(record.find(question(1, kX)));
  EXPECT_FALSE(record.find(question(2, kX)));
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
