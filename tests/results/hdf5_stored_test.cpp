// How values may be stored in a file in HDF5.

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "koppla/core/error.hpp"
#include "koppla/results/hdf5_recorder.hpp"
#include "koppla/results/load.hpp"

#include "made_hdf5_files.hpp"
#include "recorded_rows.hpp"

namespace koppla::results::hdf5_stored_test {
namespace {

using namespace made;

class Hdf5StoredTest : public MadeFilesTest {};

TEST_F(Hdf5StoredTest, ValuesAreStoredAsTheirTypeSays) {
  const std::vector<std::pair<const char*, hid_t>> right{{"real", H5T_IEEE_F64LE},
                                                         {"real", H5T_IEEE_F64BE},
                                                         {"integer", H5T_STD_I32LE},
                                                         {"enumeration", H5T_STD_I32LE},
                                                         {"boolean", H5T_STD_U8LE}};
  for (const auto& kind : right) {
    const auto* const type = kind.first;
    make([&](hid_t made) { add(made, "x", {kind.second, {2}}, {1.0, 0.0}, type, 0); });
    EXPECT_EQ(load(file()).series.at(0).numbers, (Numbers{1.0, 0.0})) << type;
  }
  const std::vector<std::pair<const char*, hid_t>> wrong{
      {"real", H5T_IEEE_F32LE},    {"real", H5T_STD_I64LE},   {"integer", H5T_STD_I64LE},
      {"integer", H5T_IEEE_F32LE}, {"integer", H5T_STD_U8LE}, {"enumeration", H5T_STD_I16LE},
      {"boolean", H5T_STD_I32LE},  {"string", H5T_STD_U8LE},  {"boolean", H5T_IEEE_F64LE}};
  for (const auto& kind : wrong) {
    const auto* const type = kind.first;
    make([&](hid_t made) { add(made, "x", {kind.second, {2}}, {1.0, 0.0}, type, 0); });
    EXPECT_EQ(mistake(), kDamaged) << type;
  }
}

TEST_F(Hdf5StoredTest, TextsAreStoredWithAFixedLength) {
  for (const std::size_t width : {1U, 7U}) {
    make([&](hid_t made) {
      const Hdf5Handle type = detail::hdf5TextType(width);
      const Hdf5Handle texts = add(made, "s", {type.id(), {2}}, {}, "string", 0);
      std::string bytes(2 * width, '\0');
      bytes[0] = 'a';
      bytes[width] = 'b';
      H5Dwrite(texts.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
    });
    EXPECT_EQ(load(file()).series.at(0).texts, (Texts{"a", "b"})) << width;
  }
  make([](hid_t made) {
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), H5T_VARIABLE);
    add(made, "s", {type.id(), {2}}, {}, "string", 0);
  });
  EXPECT_EQ(mistake(), kDamaged);
  make([](hid_t made) { add(made, "s", {detail::hdf5TextType((1U << 20U) + 1).id(), {0}}, {}, "string", 0); });
  EXPECT_EQ(mistake(), kDamaged) << "longer than any text of a row";
  make([](hid_t made) { add(made, "s", {detail::hdf5TextType(1U << 20U).id(), {0}}, {}, "string", 0); });
  EXPECT_TRUE(load(file()).series.at(0).texts.empty());
}

/// No writer makes them, but files without checksums of their own can be damaged so, and the library believes it. A
/// type is stored as version and class (0x13), three bytes of flags (filled up with zeros: 1), and four of its size.
TEST_F(Hdf5StoredTest, TextsWithoutBytesAreDamage) {
  constexpr std::size_t kWidth = 12345;  // found in the file by it
  make([](hid_t made) { add(made, "s", {detail::hdf5TextType(kWidth).id(), {2}}, {}, "string", 0); });
  std::string content = core::readWhole(file());
  const std::string stored = std::string("\x13\x11\0\0", 4) + std::string("\x39\x30\0\0", 4);
  const std::size_t place = content.find(stored);
  ASSERT_NE(place, std::string::npos);
  EXPECT_EQ(content.find(stored, place + 1), std::string::npos);
  core::writeWhole(file(), content.replace(place + 4, 4, 4, '\0'));
  EXPECT_EQ(mistake(), kDamaged);
}

TEST_F(Hdf5StoredTest, AVectorOfTextsIsReadElementByElement) {
  make([](hid_t made) {
    const Hdf5Handle type = detail::hdf5TextType(3);
    const Hdf5Handle texts = add(made, "s[]", {type.id(), {2, 2}}, {}, "string", 0);
    setNumber(texts.id(), "column_step", 2);
    const std::string bytes(
        "one\0\0\0"
        "two"
        "abc",
        12);
    H5Dwrite(texts.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
    add(made, "x", {H5T_IEEE_F64LE, {2}}, {1.0, 2.0}, "real", 1);
  });
  const Table table = load(file());
  EXPECT_EQ(table.find("s[1]")->texts, (Texts{"one", "two"}));
  EXPECT_EQ(table.find("s[2]")->texts, (Texts{"", "abc"}));
  EXPECT_EQ(table.series.at(1).name, "x");
}

TEST_F(Hdf5StoredTest, ArraysHaveOneDimensionOrTwo) {
  const std::string two = "holds an array 'x' of more dimensions than two. Restore it.";
  make([](hid_t made) { add(made, "x", {H5T_IEEE_F64LE, {2, 2, 2}}, {}, "real", 0); });
  EXPECT_EQ(mistake(), two);
  make([](hid_t made) { add(made, "x", {H5T_IEEE_F64LE, {}}, {1.0}, "real", 0); });
  EXPECT_EQ(mistake(), two);
  make([](hid_t made) {
    setNumber(add(made, "x", {H5T_IEEE_F64LE, {2, 1}}, {1, 2}, "real", 0).id(), "column_step", 1);
  });
  EXPECT_EQ(mistake(), kDamaged) << "a name without a place for the index";
  make([](hid_t made) {
    setNumber(add(made, "x[]", {H5T_IEEE_F64LE, {2, 1}}, {1, 2}, "real", 0).id(), "column_step", 1);
  });
  EXPECT_EQ(load(file()).find("x[1]")->numbers, (Numbers{1.0, 2.0}));
  make([](hid_t made) { setNumber(add(made, "x[]", {H5T_IEEE_F64LE, {2, 0}}, {}, "real", 0).id(), "column_step", 1); });
  EXPECT_EQ(mistake(), kDamaged) << "no elements";
  make([](hid_t made) { add(made, "x[]", {H5T_IEEE_F64LE, {2}}, {1, 2}, "real", 0); });
  EXPECT_EQ(load(file()).series.at(0).name, "x[]") << "one column keeps its name";
}

TEST_F(Hdf5StoredTest, TimesAreRealsInOneColumn) {
  make([](hid_t made) { add(made, "time", {H5T_STD_I32LE, {2}}, {0, 1}, "integer", -1); }, {});
  EXPECT_EQ(mistake(), kDamaged);
  make([](hid_t made) { add(made, "time", {H5T_IEEE_F64LE, {2, 2}}, {0, 1, 2, 3}, "real", -1); }, {});
  EXPECT_EQ(mistake(), kDamaged);
}

TEST_F(Hdf5StoredTest, NoMoreIsClaimedThanAFileCanHold) {
  make([](hid_t made) { add(made, "x", {H5T_IEEE_F64LE, {2}, false, {1'000'000'000}}, {1, 2}, "real", 0); });
  EXPECT_EQ(mistake(), kDamaged);
  make([](hid_t made) {
    setNumber(add(made, "x[]", {H5T_IEEE_F64LE, {0, (1U << 20U) + 1}}, {}, "real", 0).id(), "column_step", 1);
  });
  EXPECT_EQ(mistake(), kDamaged) << "more elements than any vector has, though there are no rows";
}

TEST_F(Hdf5StoredTest, WhatIsNotCompressedTakesItsBytes) {
  make([](hid_t made) { add(made, "x", {H5T_IEEE_F64LE, {2}}, {1, 2}, "real", 0); });
  change([&](hid_t whole) {
    const hsize_t rows = fs::file_size(file()) * 3 / 2 / sizeof(double);
    H5Dset_extent(opened(whole, "x").id(), &rows);
  });
  hsize_t rows = 0;
  {
    const Hdf5Handle whole(H5Fopen(file().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    const Hdf5Handle space(H5Dget_space(opened(whole.id(), "x").id()), H5Sclose);
    H5Sget_simple_extent_dims(space.id(), &rows, nullptr);
  }
  ASSERT_GT(rows * sizeof(double), fs::file_size(file()));
  ASSERT_LT(rows * sizeof(double), 2 * fs::file_size(file()));
  EXPECT_EQ(mistake(), kDamaged);
}

/// As h5repack makes one: zeros of a few kB.
TEST_F(Hdf5StoredTest, ACompressedFileMayHoldMoreThanItIsLarge) {
  constexpr std::size_t kRows = 200'000;
  make(
      [](hid_t made) {
        add(made, "x", {H5T_IEEE_F64LE, {kRows}, true}, Numbers(kRows, 0.0), "real", 0);
        add(made, "time", {H5T_IEEE_F64LE, {kRows}, true}, Numbers(kRows, 0.0), "real", -1);
      },
      {});
  ASSERT_LT(fs::file_size(file()), kRows);
  const Table table = load(file());
  EXPECT_EQ(table.time.size(), kRows);
  EXPECT_EQ(table.series.at(0).numbers.size(), kRows);
}

TEST_F(Hdf5StoredTest, OfAFileThatIsBeingWrittenTheRowsThatAllHaveCount) {
  make(
      [](hid_t made) {
        add(made, "x", {H5T_IEEE_F64LE, {3}}, {1, 2, 3}, "real", 0);
        add(made, "y", {H5T_IEEE_F64LE, {4}}, {5, 6, 7, 8}, "real", 1);
      },
      {0.0, 1.0, 2.0, 3.0});
  const Table table = load(file());
  EXPECT_EQ(table.time, (Numbers{0.0, 1.0, 2.0}));
  EXPECT_EQ(table.find("x")->numbers, (Numbers{1.0, 2.0, 3.0}));
  EXPECT_EQ(table.find("y")->numbers, (Numbers{5.0, 6.0, 7.0}));
}

/// 8 MiB are read at once.
TEST_F(Hdf5StoredTest, ManyRowsAreReadBlockByBlock) {
  constexpr std::size_t kSize = 3000;
  constexpr int kRows = 750;  // two blocks of 349 rows and a part of a third
  Hdf5Recorder recorder(folder_.path());
  recorder.begin(recorded::vectorColumns("w.q", kSize));
  core::Values values = recorded::reals(Numbers(kSize, 0.0));
  for (int row = 0; row < kRows; ++row) {
    values.reals[0] = row;
    values.reals[kSize - 1] = -row;
    recorder.row(row, values);
  }
  recorder.complete();
  const Table table = load(file());
  ASSERT_EQ(table.time.size(), static_cast<std::size_t>(kRows));
  for (int row = 0; row < kRows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    ASSERT_EQ(table.series.front().numbers[at], row);
    ASSERT_EQ(table.series.back().numbers[at], -row);
  }
}

TEST_F(Hdf5StoredTest, TimesThatGoBackAreNoResults) {
  for (const Numbers& times : {Numbers{1.0, 0.5}, Numbers{0.0, HUGE_VAL}, Numbers{0.0, NAN}}) {
    make([](hid_t) {}, times);
    try {
      load(file());
      ADD_FAILURE() << "no error";
    } catch (const core::InputError& error) {
      EXPECT_EQ(error.what(),
                file().string() +
                    ": Times must be finite and must not decrease. Choose the results of a run, not another "
                    "record.");
    }
  }
  make([](hid_t) {}, {1.0, 1.0, 2.0});
  EXPECT_EQ(load(file()).time.size(), 3U) << "the sides of a jump";
}

}  // namespace
}  // namespace koppla::results::hdf5_stored_test
