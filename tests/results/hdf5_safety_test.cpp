// What a file in HDF5 is worth when its writer does not come to a proper end.

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/hdf5_recorder.hpp"
#include "koppla/results/load.hpp"

#include "recorded_rows.hpp"
#include "support/full_disk.hpp"

namespace koppla::results::hdf5_safety_test {
namespace {

using recorded::kTwoReals;
using recorded::reals;
using recorded::vectorColumns;

namespace fs = std::filesystem;
using core::Type;

class Hdf5SafetyTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path file(const std::string& name) const { return folder_.path() / name; }

  core::TemporaryFolder folder_{"hdf5-test"};
};

TEST_F(Hdf5SafetyTest, CanBeReadWhileItIsWritten) {
  Hdf5Recorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  recorder.row(0.0, reals({1.0, 2.0}));
  recorder.flush();
  const pid_t child = ::fork();
  if (child == 0) {  // the library of this process knows the file as its own: it starts anew
    H5close();
    std::_Exit(load(folder_.path()).time.size() == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  recorder.abandon();
}

TEST_F(Hdf5SafetyTest, AKilledProcessLeavesWhatWasFlushed) {
  const pid_t child = ::fork();
  if (child == 0) {
    Hdf5Recorder recorder(folder_.path());
    recorder.begin(kTwoReals);
    for (int row = 0; row < 700; ++row) recorder.row(row, reals({1.0, static_cast<double>(row)}));
    recorder.flush();
    recorder.row(1e3, reals({3.0, 4.0}));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const Table table = load(folder_.path());
  EXPECT_TRUE(table.partial);
  ASSERT_EQ(table.time.size(), 700U);
  EXPECT_EQ(table.find("b.y")->numbers.back(), 699.0);
}

TEST_F(Hdf5SafetyTest, AProcessKilledAtAnyTimeLeavesAReadableFile) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      std::vector<Column> columns = vectorColumns("w.q", 5000);
      columns.push_back({"a.x", Type::real, "", ""});
      Hdf5Recorder recorder(folder_.path());
      recorder.begin(columns);
      core::Values values = reals(std::vector<double>(5001, 1.0));
      for (int row = 0;; ++row) {
        values.reals.back() = row;
        recorder.row(row, values);
        if (row % 10 == 0) recorder.flush();
        if (row == 50 * attempt && ::write(ends[1], "x", 1) != 1) ::_exit(1);
      }
    }
    char go = 0;
    ASSERT_EQ(::read(ends[0], &go, 1), 1);
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    ::close(ends[0]);
    ::close(ends[1]);
    const Table table = load(folder_.path());
    for (std::size_t row = 0; row < table.time.size(); ++row) {
      ASSERT_EQ(table.time[row], static_cast<double>(row));
      ASSERT_EQ(table.find("a.x")->numbers[row], static_cast<double>(row));
      ASSERT_EQ(table.find("w.q[5000]")->numbers[row], 1.0);
    }
  }
}

TEST_F(Hdf5SafetyTest, AFullDiskIsAnErrorThatNamesFileAndRemedy) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "This system has no /dev/full.";
  fs::create_symlink("/dev/full", file("results.partial.h5"));
  Hdf5Recorder recorder(folder_.path());
  try {
    recorder.begin(kTwoReals);
    FAIL() << "no error";
  } catch (const core::FileError& error) {
    EXPECT_NE(std::string(error.what()).find("results.partial.h5"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("Free space"), std::string::npos);
  }
}

TEST_F(Hdf5SafetyTest, WhatStandsInTheWayOfACompleteFileIsTheSystemsFailure) {
  Hdf5Recorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  fs::create_directories(file("results.h5") / "somebody's");
  EXPECT_THROW(recorder.complete(), core::FileError);
}

TEST_F(Hdf5SafetyTest, ADiskThatFillsUpLeavesASoundFileWithTheRowsBefore) {
  const pid_t child = ::fork();
  if (child == 0) {
    const test::FullDisk full(200'000);
    int code = 1;
    try {
      Hdf5Recorder recorder(folder_.path());
      recorder.begin(kTwoReals);
      for (int row = 0; row < 100'000; ++row) recorder.row(row, reals({1.0, static_cast<double>(row)}));
    } catch (const core::FileError& error) {
      code =
          std::string(error.what()).find("results.partial.h5 cannot be written: File too large.") == std::string::npos
              ? 2
              : 0;
    }
    std::exit(code);  // with all that libraries do at the end
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const hid_t closed = H5Fopen(file("results.partial.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_GE(closed, 0) << "as any file that was closed";
  H5Fclose(closed);
  const Table table = load(folder_.path());
  ASSERT_GT(table.time.size(), 1000U);
  EXPECT_EQ(table.find("b.y")->numbers.back(), static_cast<double>(table.time.size() - 1));
}

/// Room is asked of the system some blocks ahead.
TEST_F(Hdf5SafetyTest, WhatWasReservedAndNotNeededIsGivenBackAtTheEnd) {
  Hdf5Recorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  for (int row = 0; row < 5000; ++row) recorder.row(row, reals({1.0, static_cast<double>(row)}));
  EXPECT_GT(recorder.secondsOfBlocks(), 0.0);
  recorder.complete();
  struct stat status {};
  ASSERT_EQ(::stat(file("results.h5").c_str(), &status), 0);
  EXPECT_LT(status.st_size, 400'000);                          // 120 000 bytes of rows in chunks
  EXPECT_LT(status.st_blocks * 512, status.st_size + 65'536);  // whole pages, or what the system rounds to
}

TEST_F(Hdf5SafetyTest, RowsCanBeReadWhileTheCallerIsBusyElsewhere) {
  std::vector<Column> columns = vectorColumns("w.q", 2);
  columns.push_back({"a.n", Type::integer, "", ""});
  columns.push_back({"a.on", Type::boolean, "", ""});
  columns.push_back({"a.text", Type::string, "", ""});
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Hdf5Recorder recorder(folder_.path());
    recorder.begin(columns);
    const auto add = [&](int row) {
      recorder.row(row, {{0.5 * row, 1.0 + row}, {-row}, {static_cast<std::uint8_t>(row % 2)}, {std::to_string(row)}});
    };
    for (int row = 0; row < 10; ++row) add(row);
    recorder.flush();
    for (int row = 10; row < 17; ++row) add(row);
    if (::write(ends[1], "x", 1) != 1) ::_exit(1);
    ::pause();
  }
  char go = 0;
  ASSERT_EQ(::read(ends[0], &go, 1), 1);
  Table table = load(folder_.path());
  for (int look = 0; look < 2000 && table.time.size() < 17; ++look) {
    ::usleep(10'000);
    table = load(folder_.path());
  }
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(ends[0]);
  ::close(ends[1]);
  ASSERT_EQ(load(folder_.path()).time.size(), 17U);
  ASSERT_EQ(table.time.size(), 17U);
  for (int row = 0; row < 17; ++row) {
    const auto at = static_cast<std::size_t>(row);
    EXPECT_EQ(table.time[at], row);
    EXPECT_EQ(table.find("w.q[1]")->numbers[at], 0.5 * row);
    EXPECT_EQ(table.find("w.q[2]")->numbers[at], 1.0 + row);
    EXPECT_EQ(table.find("a.n")->numbers[at], -row);
    EXPECT_EQ(table.find("a.on")->numbers[at], row % 2);
    EXPECT_EQ(table.find("a.text")->texts[at], std::to_string(row));
  }
}

TEST_F(Hdf5SafetyTest, RowsAreThereOnceWhoeverWritesThem) {
  constexpr int kRows = 20'000;
  Hdf5Recorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  std::atomic<bool> ended = false;
  std::thread beside([&] {
    while (!ended) recorder.rescue();
  });
  for (int row = 0; row < kRows; ++row) recorder.row(row, reals({1.0, static_cast<double>(-row)}));
  ended = true;
  beside.join();
  recorder.complete();
  EXPECT_FALSE(fs::exists(file("results.partial.rows")));
  const Table table = load(folder_.path());
  ASSERT_EQ(table.time.size(), static_cast<std::size_t>(kRows));
  for (int row = 0; row < kRows; ++row) {
    ASSERT_EQ(table.time[static_cast<std::size_t>(row)], row);
    ASSERT_EQ(table.find("b.y")->numbers[static_cast<std::size_t>(row)], -row);
  }
}

/// The descriptor that this process has open for a file; -1: none.
int descriptorOf(const fs::path& path) {
  for (int descriptor = 3; descriptor < 256; ++descriptor)
    if (core::isOpenAs(path, descriptor)) return descriptor;
  return -1;
}

TEST_F(Hdf5SafetyTest, AWriteErrorThatStaysLeavesTheRowsBeforeAndNoCrashAtTheEnd) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "This system has no /dev/full.";
  for (const bool closes : {false, true}) {
    const pid_t child = ::fork();
    if (child == 0) {
      int code = 1;
      try {
        Hdf5Recorder recorder(folder_.path());
        recorder.begin(kTwoReals);
        for (int row = 0; row < 700; ++row) recorder.row(row, reals({1.0, static_cast<double>(row)}));
        recorder.flush();
        // From here on the system takes nothing more, and nobody is told beforehand.
        const int full = ::open("/dev/full", O_RDWR);
        if (::dup2(full, descriptorOf(file("results.partial.h5"))) < 0) std::_Exit(9);
        for (int row = 700; row < 800; ++row) recorder.row(row, reals({1.0, static_cast<double>(row)}));
        if (closes) recorder.complete();
        for (int row = 800; row < 5000; ++row) recorder.row(row, reals({1.0, static_cast<double>(row)}));
      } catch (const core::FileError&) {
        code = 0;
      }
      std::exit(code);  // with all that libraries do at the end
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_FALSE(fs::exists(file("results.h5")));
    const Table table = load(folder_.path());
    ASSERT_EQ(table.time.size(), 700U);
    EXPECT_EQ(table.find("b.y")->numbers.back(), 699.0);
  }
}

/// Of such a file the library reads again what seems damaged, because its writer may be at work: not for ever.
TEST_F(Hdf5SafetyTest, ADamagedFileOfAKilledProcessIsRefusedAtOnce) {
  const pid_t killed = ::fork();
  if (killed == 0) {
    Hdf5Recorder recorder(folder_.path());
    recorder.begin(kTwoReals);
    for (int row = 0; row < 5; ++row) recorder.row(row, reals({1.0, 2.0}));
    recorder.flush();
    ::kill(::getpid(), SIGKILL);
  }
  ASSERT_EQ(::waitpid(killed, nullptr, 0), killed);
  const std::string whole = core::readWhole(file("results.partial.h5"));
  std::size_t headers = 0;
  for (std::size_t at = whole.find("OHDR"); at != std::string::npos; at = whole.find("OHDR", at + 1)) {
    ++headers;
    std::string damaged = whole;
    damaged[at + 6] = static_cast<char>(damaged[at + 6] ^ 0x55);  // covered by the header's checksum
    core::writeWhole(file("damaged.partial.h5"), damaged);
    const pid_t reader = ::fork();
    if (reader == 0) {
      H5close();
      ::alarm(10);
      bool refused = false;
      try {
        load(file("damaged.partial.h5"));
      } catch (const core::InputError&) {
        refused = true;
      }
      std::_Exit(refused ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(reader, &status, 0), reader);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << at << ", status " << status;
  }
  EXPECT_GT(headers, 0U);
}

bool sameValues(const Table& table, const Table& whole) {
  if (table.time != whole.time || table.series.size() != whole.series.size()) return false;
  for (std::size_t i = 0; i < whole.series.size(); ++i) {
    const Series& a = table.series[i];
    const Series& b = whole.series[i];
    if (a.name != b.name || a.unit != b.unit || a.description != b.description || a.type != b.type ||
        a.numbers != b.numbers || a.texts != b.texts)
      return false;
  }
  return true;
}

/// Places of bytes that say something: of long rows of zeros, which are room that nobody uses, only some.
std::vector<std::size_t> placesIn(const std::string& bytes) {
  constexpr std::size_t kNear = 12;
  constexpr std::size_t kSome = 997;
  std::vector<std::size_t> places;
  std::size_t zeros = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    zeros = bytes[at] == 0 ? zeros + 1 : 0;
    if (zeros < kNear || zeros % kSome == 0) places.push_back(at);
  }
  return places;
}

/// Changes one byte after the other, and reads; in a child, which a crash or a hang ends. Says how far it came.
bool readsDamaged(const fs::path& whole, const fs::path& damaged) {
  constexpr std::array kFlips{0x01, 0x80, 0xFF};
  const Table right = load(whole);
  const std::string bytes = core::readWhole(whole);
  core::writeWhole(damaged, bytes);
  const int file = ::open(damaged.c_str(), O_WRONLY);
  const int place = ::open((damaged.string() + ".at").c_str(), O_WRONLY | O_CREAT, 0600);
  for (const std::size_t at : placesIn(bytes)) {
    const std::string text = std::to_string(at) + " ";
    if (::pwrite(place, text.data(), text.size(), 0) < 0) return false;
    const auto where = static_cast<off_t>(at);
    const auto changed = static_cast<char>(bytes[at] ^ kFlips.at(at % kFlips.size()));
    if (::pwrite(file, &changed, 1, where) != 1) return false;
    ::alarm(5);
    try {
      if (!sameValues(load(damaged), right)) return false;
    } catch (const core::InputError&) {
    }
    if (::pwrite(file, &bytes[at], 1, where) != 1) return false;
  }
  return true;
}

TEST_F(Hdf5SafetyTest, ADamagedByteGivesTheRightValuesOrAnErrorAndNothingElse) {
  std::vector<Column> columns = vectorColumns("w.q", 3);
  columns.push_back({"a.n", Type::integer, "", "a count"});
  columns.push_back({"a.on", Type::boolean, "", ""});
  columns.push_back({"a.text", Type::string, "", "words"});
  Hdf5Recorder recorder(folder_.path(), "results", {{"koppla", "1.2.3"}});
  recorder.begin(columns);
  for (int row = 0; row < 5; ++row)
    recorder.row(row, {{0.5 * row, 1.0 + row, -2.0}, {row}, {static_cast<std::uint8_t>(row % 2)}, {"word"}});
  recorder.complete();
  const pid_t child = ::fork();
  if (child == 0) {
    H5close();  // the library of the parent knows the file
    std::_Exit(readsDamaged(file("results.h5"), file("damaged.h5")) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << "byte " << core::readWhole(file("damaged.h5.at")) << ", status " << status;
}

}  // namespace
}  // namespace koppla::results::hdf5_safety_test
