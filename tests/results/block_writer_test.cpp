#include "koppla/results/block_writer.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

namespace koppla::results::block_writer_test {
namespace {

namespace fs = std::filesystem;

void add(BlockWriter& writer, std::string_view piece) {
  writer.advance(std::copy(piece.begin(), piece.end(), writer.reserve(piece.size())));
}

class BlockWriterTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path file(const std::string& name = "rows") const { return folder_.path() / name; }
  [[nodiscard]] std::string content() const { return core::readWhole(file()); }
  /// The descriptor that this process has open for the file.
  [[nodiscard]] int descriptor() const {
    for (int number = 3; number < 256; ++number)
      if (core::isOpenAs(file(), number)) return number;
    return -1;
  }
  void expectForeign(BlockWriter& writer) const {
    try {
      writer.close();
      FAIL() << "no error";
    } catch (const core::FileError& error) {
      EXPECT_TRUE(
          std::string(error.what()).starts_with(file().string() + " is no longer the file that was being written"))
          << error.what();
    }
  }

  core::TemporaryFolder folder_{"block-writer"};
};

TEST_F(BlockWriterTest, WritesPiecesOfAnySizeInTheirOrder) {
  std::string expected;
  {
    BlockWriter writer(file());
    for (std::size_t i = 0; i < 40; ++i) {
      const std::string piece(i % 5 == 4 ? BlockWriter::kBlock + i : 9'000 * (i % 4) + 1,
                              static_cast<char>('a' + i % 26));
      add(writer, piece);
      expected += piece;
      if (i % 7 == 0) writer.drain();
      if (i % 3 == 0) writer.rescue();
    }
    writer.close();
  }
  EXPECT_TRUE(content() == expected);
}

TEST_F(BlockWriterTest, WhatIsDrainedOrRescuedIsInTheFile) {
  BlockWriter writer(file());
  add(writer, "one");
  EXPECT_EQ(content(), "") << "kept until there is enough";
  writer.rescue();
  EXPECT_EQ(content(), "one");
  add(writer, "two");
  writer.rescue();
  EXPECT_EQ(content(), "onetwo");
  add(writer, "three");
  writer.drain();
  EXPECT_EQ(content(), "onetwothree");
  writer.drain();
  writer.rescue();
  EXPECT_EQ(content(), "onetwothree") << "nothing twice";
  writer.close();
  EXPECT_EQ(content(), "onetwothree");
  writer.rescue();
  EXPECT_EQ(content(), "onetwothree");
}

TEST_F(BlockWriterTest, EmptiesAnEarlierFileAndLosesWhatWasNotDrained) {
  core::writeWhole(file(), "of before");
  {
    BlockWriter writer(file());
    EXPECT_EQ(content(), "");
    EXPECT_EQ(writer.file(), file());
    add(writer, "lost");
    EXPECT_NE(descriptor(), -1);
  }
  EXPECT_EQ(content(), "");
  EXPECT_EQ(descriptor(), -1) << "closed with its owner";
}

TEST_F(BlockWriterTest, AFileThatCannotBeOpenedIsNamedWithTheReason) {
  try {
    const BlockWriter writer(file("missing") / "rows");
    FAIL() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_EQ(error.what(),
              (file("missing") / "rows").string() +
                  " cannot be written: No such file or directory. Choose an output folder that you may write to.");
  }
}

TEST_F(BlockWriterTest, TheFileMayBeReadByAllWhomTheUserLets) {
  const mode_t before = ::umask(0);
  const BlockWriter writer(file());
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0666U);
}

TEST_F(BlockWriterTest, WritesAlsoWhereThereIsNoStandardInput) {
  const int kept = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);
  ::close(STDIN_FILENO);  // its number goes to the next file
  bool closed = false;
  std::string rescued;
  try {
    {
      BlockWriter writer(file());
      add(writer, "one");
      writer.rescue();
      rescued = content();
    }
    closed = ::fcntl(STDIN_FILENO, F_GETFD) < 0;
    BlockWriter writer(file());
    add(writer, "two");
    writer.close();
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
  if (kept >= 0) {
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
  }
  EXPECT_EQ(rescued, "one");
  EXPECT_TRUE(closed) << "with its owner";
  EXPECT_EQ(content(), "two");
}

TEST_F(BlockWriterTest, TellsTheSecondsThatWritingTook) {
  const auto begin = std::chrono::steady_clock::now();
  BlockWriter writer(file());
  EXPECT_EQ(writer.seconds(), 0.0);
  double before = 0.0;
  for (int i = 0; i < 3; ++i) {
    add(writer, std::string(100'000, 'x'));
    EXPECT_EQ(writer.seconds(), before) << "only in drain()";
    writer.drain();
    EXPECT_GT(writer.seconds(), before);
    before = writer.seconds();
  }
  EXPECT_LT(before, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

TEST_F(BlockWriterTest, ARescueThatFailsLeavesTheErrorNumberAndTheBytes) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "This system has no /dev/full.";
  fs::create_symlink("/dev/full", file());
  BlockWriter writer(file());
  add(writer, "one");
  errno = EDOM;
  writer.rescue();
  EXPECT_EQ(errno, EDOM) << "a signal may come between a call and the look at its error";
  for (int i = 0; i < 2; ++i) {
    try {
      writer.drain();
      FAIL() << "no error";
    } catch (const core::FileError& error) {
      EXPECT_EQ(error.what(),
                file().string() +
                    " cannot be written: No space left on device. Free space there, record fewer variables "
                    "or rows, or choose another output folder; rows written so far are kept.");
    }
  }
}

TEST_F(BlockWriterTest, ARefusalIsNotTakenForAStrangersFile) {
  const int memory = ::memfd_create("rows", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) GTEST_SKIP() << "This system has no files in memory.";
  BlockWriter writer("/proc/self/fd/" + std::to_string(memory));
  ASSERT_EQ(::fcntl(memory, F_ADD_SEALS, F_SEAL_WRITE), 0);  // the first of all error numbers, EPERM
  add(writer, "one");
  try {
    writer.drain();
    FAIL() << "no error";
  } catch (const core::FileError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be written: Operation not permitted."), std::string::npos)
        << error.what();
  }
  ::close(memory);
}

TEST_F(BlockWriterTest, NeitherWritesToNorClosesWhatHasGotItsDescriptor) {
  const std::string other = file("other").string();
  int number = -1;
  {
    BlockWriter writer(file());
    add(writer, "one");
    number = descriptor();
    ASSERT_NE(number, -1);
    const int opened = ::open(other.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::dup2(opened, number), number);
    ::close(opened);
    writer.rescue();
    try {
      writer.drain();
      ADD_FAILURE() << "no error";
    } catch (const core::FileError& error) {
      EXPECT_NE(std::string(error.what()).find("is no longer the file that was being written"), std::string::npos);
    }
    expectForeign(writer);
  }
  EXPECT_GE(::fcntl(number, F_GETFD), 0) << "closed by a stranger";
  ::close(number);
  EXPECT_EQ(core::readWhole(other), "");
  EXPECT_EQ(content(), "");
}

TEST_F(BlockWriterTest, AtTheEndTheFileMustHaveItsNameStill) {
  BlockWriter writer(file());
  add(writer, "one");
  writer.drain();
  fs::rename(file(), file("moved"));
  core::writeWhole(file(), "one");
  expectForeign(writer);
}

TEST_F(BlockWriterTest, AtTheEndNothingElseMayBeInTheFile) {
  BlockWriter writer(file());
  add(writer, "one");
  writer.drain();
  const int other = ::open(file().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_EQ(::write(other, "x", 1), 1);
  ::close(other);
  expectForeign(writer);
}

/// What a child of a fork does, and how it ends.
template <class Deed>
int codeOfChild(Deed deed) {
  const pid_t child = ::fork();
  if (child == 0) {
    deed();
    ::_exit(42);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(BlockWriterTest, AForkedChildWritesNothing) {
  BlockWriter writer(file());
  add(writer, "one");
  EXPECT_EQ(codeOfChild([&] { writer.rescue(); }), 42);
  EXPECT_EQ(content(), "");
  EXPECT_EQ(codeOfChild([&] { writer.drain(); }), EXIT_FAILURE) << "it must not go on as if it were the run";
  EXPECT_EQ(content(), "");
  writer.close();
  EXPECT_EQ(content(), "one");
}

std::atomic<int> interruptions = 0;

/// Who reads from a pipe keeps the writer waiting; a signal takes it out of the call, with some of the bytes or none.
TEST_F(BlockWriterTest, GoesOnWhereASignalInterruptedIt) {
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  const int reader = ::open(file().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct sigaction count {};
  struct sigaction before {};
  count.sa_handler = [](int) { ++interruptions; };
  ::sigaction(SIGUSR1, &count, &before);
  BlockWriter writer(file());
  std::string expected;
  for (int i = 0; i < 25'000; ++i) expected += std::to_string(i) + " ";  // twice what a pipe holds
  const pthread_t writing = ::pthread_self();
  std::string got;
  std::atomic<bool> written = false;
  std::thread beside([&] {
    std::string bytes(4096, '\0');
    while (got.size() < expected.size()) {
      const bool allWritten = written;
      int waiting = 0;
      ::ioctl(reader, FIONREAD, &waiting);
      if (waiting == 0 && allWritten) return;
      if (waiting == 0) continue;
      for (int i = 0; i < 20 && got.size() + 65'536 < expected.size(); ++i) {
        const int soFar = interruptions;
        ::pthread_kill(writing, SIGUSR1);
        while (interruptions == soFar) std::this_thread::yield();
      }
      if (const ssize_t size = ::read(reader, bytes.data(), bytes.size()); size > 0)
        got.append(bytes, 0, static_cast<std::size_t>(size));
    }
  });
  add(writer, expected);
  EXPECT_NO_THROW(writer.drain());
  written = true;
  beside.join();
  EXPECT_NO_THROW(writer.close());
  ::sigaction(SIGUSR1, &before, nullptr);
  ::close(reader);
  EXPECT_GT(interruptions, 0);
  EXPECT_TRUE(got == expected);
}

}  // namespace
}  // namespace koppla::results::block_writer_test
