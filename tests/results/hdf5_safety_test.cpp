// What a file in HDF5 is worth when its writer does not come to a proper end.

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/hdf5_recorder.hpp"
#include "koppla/results/load.hpp"

#include "recorded_rows.hpp"

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
        if (row == 50 * attempt) static_cast<void>(::write(ends[1], "x", 1));
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
  } catch (const core::InputError& error) {
    EXPECT_NE(error.problems().front().message.find("results.partial.h5"), std::string::npos);
    EXPECT_NE(error.problems().front().remedy.find("Free space"), std::string::npos);
  }
}

TEST_F(Hdf5SafetyTest, ADiskThatFillsUpLeavesASoundFileWithTheRowsBefore) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{200'000, 200'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int code = 1;
    try {
      Hdf5Recorder recorder(folder_.path());
      recorder.begin(kTwoReals);
      for (int row = 0; row < 100'000; ++row) recorder.row(row, reals({1.0, static_cast<double>(row)}));
    } catch (const core::InputError& error) {
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

}  // namespace
}  // namespace koppla::results::hdf5_safety_test
