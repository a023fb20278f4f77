#include "koppla/results/detail/hdf5_library.hpp"

#include <cerrno>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/hdf5_recorder.hpp"
#include "koppla/results/load.hpp"

#include "recorded_rows.hpp"

namespace koppla::results::hdf5_library_test {
namespace {

namespace fs = std::filesystem;

class Hdf5LibraryTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path file(const std::string& name) const { return folder_.path() / name; }
  /// Standard error goes to a file while this is done.
  template <class Deed>
  std::string saidBy(Deed deed) const {
    std::fflush(stderr);
    const int kept = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
    const int said = ::open(file("said").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(said, STDERR_FILENO);
    deed();
    std::fflush(stderr);
    ::dup2(kept, STDERR_FILENO);
    ::close(said);
    ::close(kept);
    return core::readWhole(file("said"));
  }

  core::TemporaryFolder folder_{"hdf5-library"};
};

TEST_F(Hdf5LibraryTest, TellsTheSystemsErrorWhereThereIsOne) {
  detail::prepareHdf5();
  EXPECT_LT(H5Fopen(file("none.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), 0);
  EXPECT_EQ(detail::hdf5Error().system, ENOENT);
  EXPECT_FALSE(detail::hdf5Error().text.empty());
  EXPECT_LT(H5Fopen(file("").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), 0);
  EXPECT_EQ(detail::hdf5Error().system, EISDIR);

  core::writeWhole(file("text.h5"), "time,x\n0,1\n");
  EXPECT_LT(H5Fopen(file("text.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), 0);
  EXPECT_EQ(detail::hdf5Error().system, 0);
  EXPECT_NE(detail::hdf5Error().text.find("signature"), std::string::npos) << detail::hdf5Error().text;
}

TEST_F(Hdf5LibraryTest, SaysNothingItself) {
  core::writeWhole(file("text.h5"), "time,x\n0,1\n");
  EXPECT_EQ(saidBy([&] { EXPECT_THROW(load(file("text.h5")), core::InputError); }), "");
}

TEST_F(Hdf5LibraryTest, AFileThatCannotBeOpenedIsNamedWithTheReason) {
  const auto mistake = [](const fs::path& path) -> std::string {
    try {
      load(path);
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "no mistake";
  };
  EXPECT_EQ(
      mistake(file("none.h5")),
      file("none.h5").string() + " cannot be read: No such file or directory. Check the path and its permissions.");
  // What the library says of a file holds its name.
  for (const char* const name : {"errno = 13.h5", "errno = .h5"}) {
    EXPECT_EQ(mistake(file(name)),
              file(name).string() + " cannot be read: No such file or directory. Check the path and its permissions.");
  }
  for (const char* const name : {"text.h5", "errno = 13.h5"}) {
    core::writeWhole(file(name), "time,x\n0,1\n");
    EXPECT_TRUE(mistake(file(name)).starts_with(file(name).string() + " cannot be read as HDF5: "))
        << mistake(file(name));
  }
  const std::string text = mistake(file("text.h5"));
  EXPECT_TRUE(text.starts_with(file("text.h5").string() + " cannot be read as HDF5: ")) << text;
  EXPECT_TRUE(text.ends_with(". Check that it is the right one.")) << text;
}

TEST_F(Hdf5LibraryTest, TextsHaveAFixedWidthFilledUpWithZeros) {
  const detail::Hdf5Handle type = detail::hdf5TextType(17);
  EXPECT_EQ(H5Tget_class(type.id()), H5T_STRING);
  EXPECT_EQ(H5Tget_size(type.id()), 17U);
  EXPECT_EQ(H5Tget_strpad(type.id()), H5T_STR_NULLPAD);
  EXPECT_EQ(H5Tget_cset(type.id()), H5T_CSET_UTF8);
}

TEST_F(Hdf5LibraryTest, LocksOfOthersAreNoHindrance) {
  core::writeWhole(file("results.partial.h5"), "");
  const int first = ::open(file("results.partial.h5").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(first, LOCK_EX | LOCK_NB), 0);
  Hdf5Recorder recorder(folder_.path());
  EXPECT_NO_THROW(recorder.begin(recorded::kTwoReals));
  recorder.row(0.0, recorded::reals({1.0, 2.0}));
  recorder.complete();
  EXPECT_NO_THROW(load(folder_.path()));
  ::close(first);
}

}  // namespace
}  // namespace koppla::results::hdf5_library_test
