// Words that are made without allocation where the process is about to die.

#include "dying_words.hpp"

#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "koppla/core/descriptor.hpp"
#include "koppla/core/file.hpp"

namespace koppla::test::dying_words_test {
namespace {

using cli::DyingWords;

/// What they write to a file.
std::string written(const DyingWords& words) {
  const core::TemporaryFolder folder("dying-words");
  const std::string file = (folder.path() / "line").string();
  core::Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
  words.writeTo(descriptor.get());
  descriptor.close();
  return core::readWhole(file);
}

TEST(DyingWords, AreTextsAndNumbersInTheirOrder) {
  DyingWords words;
  EXPECT_EQ(words.text(), "");
  EXPECT_EQ(written(words), "\n");
  words << "signal " << 11 << " of " << -2147483647 << "."
        << "";
  EXPECT_EQ(words.text(), "signal 11 of -2147483647.");
  EXPECT_EQ(written(words), "signal 11 of -2147483647.\n");
  EXPECT_EQ(words.text(), "signal 11 of -2147483647.") << "they can be written again";
}

TEST(DyingWords, ThatDoNotFitAreCutOffAndStillALine) {
  DyingWords words;
  const std::string half(1500, 'a');
  words << half << std::string(546, 'b');
  EXPECT_EQ(words.text(), half + std::string(546, 'b'));
  words << 42;  // there is room for one more character, beside the end of the line
  EXPECT_EQ(words.text(), half + std::string(546, 'b') + "4");
  words << "more" << half;
  EXPECT_EQ(words.text().size(), 2047U);
  EXPECT_EQ(written(words), half + std::string(546, 'b') + "4\n");
}

}  // namespace
}  // namespace koppla::test::dying_words_test
