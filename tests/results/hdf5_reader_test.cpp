// Files in HDF5 that were changed after a recorder wrote them: read as they are meant, or refused in words.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "koppla/results/load.hpp"

#include "made_hdf5_files.hpp"

namespace koppla::results::hdf5_reader_test {
namespace {

using namespace made;

class Hdf5ReaderTest : public MadeFilesTest {};

TEST_F(Hdf5ReaderTest, WhatWasRecordedIsReadInTheOrderOfItsColumns) {
  record();
  const Table table = load(file());
  EXPECT_EQ(table.source, file().string());
  EXPECT_FALSE(table.partial);
  EXPECT_TRUE(table.notes.empty());
  Texts names;
  for (const Series& series : table.series) names.push_back(series.name);
  EXPECT_EQ(names, (Texts{"z.n", "w.q[1]", "w.q[2]", "w.q[3]", "a.on", "b.text", "a.mode"}));
  EXPECT_EQ(table.time, (Numbers{0.0, 0.5, 1.0, 1.5, 2.0}));
  EXPECT_EQ(table.find("z.n")->numbers, (Numbers{0, -1, -2, -3, -4}));
  EXPECT_EQ(table.find("w.q[1]")->numbers, (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(table.find("w.q[3]")->numbers, (Numbers{20, 21, 22, 23, 24}));
  EXPECT_EQ(table.find("a.on")->numbers, (Numbers{0, 1, 0, 1, 0}));
  EXPECT_EQ(table.find("a.mode")->numbers, (Numbers{0, 2, 4, 6, 8}));
  EXPECT_EQ(table.find("b.text")->texts, (Texts{"t0", "t1", "t2", "t3", "t4"}));
  EXPECT_EQ(table.find("a.mode")->type, Type::enumeration);
  EXPECT_EQ(table.find("z.n")->type, Type::integer);
  EXPECT_EQ(table.find("a.on")->type, Type::boolean);
  EXPECT_EQ(table.find("w.q[2]")->unit, "K");
  EXPECT_EQ(table.find("z.n")->description, "a count");
}

TEST_F(Hdf5ReaderTest, AFileWithoutItsFormatIsNotOurs) {
  const std::vector<std::function<void(hid_t)>> deeds{[](hid_t whole) { H5Adelete(whole, "format"); },
                                                      [](hid_t whole) { setText(whole, "format", "2"); },
                                                      [](hid_t whole) { setNumber(whole, "format", 2, 2); }};
  for (std::size_t i = 0; i < deeds.size(); ++i) {
    record();
    change(deeds[i]);
    EXPECT_EQ(mistake(), kNotOurs) << i;
  }
}

TEST_F(Hdf5ReaderTest, OtherFormatsAreNamed) {
  record();
  change([](hid_t whole) { setNumber(whole, "format", 3); });
  EXPECT_EQ(mistake(), "has the format 3, which is newer than this Koppla. Use a newer Koppla.");
  change([](hid_t whole) { setNumber(whole, "format", 1); });
  EXPECT_EQ(mistake(),
            "has the format 1 of an earlier Koppla, whose texts cannot be read safely where a file is damaged. Run the "
            "project again; h5dump and h5py still read this file.");
}

TEST_F(Hdf5ReaderTest, WhatADatasetLacksIsDamage) {
  for (const char* name : {"type", "unit", "description", "checksum", "name", "column"}) {
    record();
    change([&](hid_t whole) { H5Adelete(opened(whole, "z/n").id(), name); });
    EXPECT_EQ(mistake(), kDamaged) << name;
  }
  for (const char* name : {"type", "unit", "description", "checksum"}) {
    record();
    change([&](hid_t whole) { H5Adelete(opened(whole, "time").id(), name); });
    EXPECT_EQ(mistake(), kDamaged) << "time, " << name;
  }
  record();
  change([](hid_t whole) { H5Adelete(opened(whole, "w/q").id(), "column_step"); });
  EXPECT_EQ(mistake(), kDamaged);
}

TEST_F(Hdf5ReaderTest, AttributesOfAnotherKindAreDamage) {
  record();
  change([](hid_t whole) { setNumber(opened(whole, "z/n").id(), "unit", 1); });
  EXPECT_EQ(mistake(), kDamaged);
  record();
  change([](hid_t whole) { setText(opened(whole, "z/n").id(), "column", "0"); });
  EXPECT_EQ(mistake(), kDamaged);
  record();
  change([](hid_t whole) { setTextOfAnyLength(opened(whole, "z/n").id(), "unit", "1"); });
  EXPECT_EQ(mistake(), kDamaged);
  record();
  change([](hid_t whole) { setText(opened(whole, "z/n").id(), "type", "complex"); });
  EXPECT_EQ(mistake(), kDamaged);
}

TEST_F(Hdf5ReaderTest, AttributesHaveAMebibyteAtMost) {
  constexpr std::size_t kMost = std::size_t{1} << 20U;
  record();
  change([](hid_t whole) { setText(opened(whole, "z/n").id(), "unit", std::string(kMost, 'u')); });
  EXPECT_EQ(load(file()).find("z.n")->unit.size(), kMost);
  change([](hid_t whole) { setText(opened(whole, "z/n").id(), "unit", std::string(kMost + 1, 'u')); });
  EXPECT_EQ(mistake(), kDamaged);
}

TEST_F(Hdf5ReaderTest, WhatSomebodyAddedIsLeftAlone) {
  record();
  change([](hid_t whole) {
    const hsize_t three = 3;
    const Hdf5Handle space(H5Screate_simple(1, &three, nullptr), H5Sclose);
    const Hdf5Handle added(H5Dcreate2(whole, "added", H5T_STD_I32LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           H5Dclose);
    const Hdf5Handle group(H5Gcreate2(whole, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    setText(added.id(), "unit", "m");
  });
  const Table table = load(file());
  EXPECT_EQ(table.series.size(), 7U);
  EXPECT_EQ(table.time.size(), 5U);
}

TEST_F(Hdf5ReaderTest, DatasetsThatAreGoneAreMissed) {
  record();
  change([](hid_t whole) { H5Ldelete(whole, "z/n", H5P_DEFAULT); });
  EXPECT_EQ(mistake(), kLacking);
  record();
  change([](hid_t whole) { H5Ldelete(whole, "time", H5P_DEFAULT); });
  EXPECT_EQ(mistake(), "holds no times. Restore the file.");
  record();
  change([](hid_t whole) {
    H5Adelete(opened(whole, "z/n").id(), "column");
    H5Adelete(opened(whole, "z/n").id(), "checksum");
  });
  EXPECT_EQ(mistake(), kLacking) << "taken for what somebody added";
}

TEST_F(Hdf5ReaderTest, EachColumnHasItsPlace) {
  for (const std::int64_t place : {std::int64_t{-1}, (std::int64_t{1} << 31) + 1}) {
    record();
    change([&](hid_t whole) { setNumber(opened(whole, "z/n").id(), "column", place); });
    EXPECT_EQ(mistake(), kDamaged) << place;
  }
  for (const std::int64_t place : {std::int64_t{7}, std::int64_t{1} << 31}) {
    record();
    change([&](hid_t whole) { setNumber(opened(whole, "z/n").id(), "column", place); });
    EXPECT_EQ(mistake(), kLacking) << place;
  }
  for (const std::int64_t place : {4, 5, 6, 1, 3}) {
    record();
    change([&](hid_t whole) { setNumber(opened(whole, "z/n").id(), "column", place); });
    EXPECT_EQ(mistake(), kDamaged) << "two at " << place;
  }
  record();
  change([](hid_t whole) { setNumber(opened(whole, "w/q").id(), "column_step", 0); });
  EXPECT_EQ(mistake(), kDamaged);
  record();
  change([](hid_t whole) { setNumber(opened(whole, "w/q").id(), "column_step", 4); });
  EXPECT_EQ(mistake(), kLacking);
}

TEST_F(Hdf5ReaderTest, OfAFileThatWasClosedEveryValueIsChecked) {
  for (const char* path : {"time", "z/n", "w/q", "a/on", "a/mode"}) {
    record();
    change([&](hid_t whole) {
      const Hdf5Handle dataset = opened(whole, path);
      Numbers values(15, 0.0);
      H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
      for (double& value : values) value = value == 1.0 ? 0.0 : value;
      values[2] += 0.25;
      values[1] = 0.0;
      H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    });
    EXPECT_EQ(mistake(), kDamaged) << path;
  }
  record();
  change([](hid_t whole) {
    const Hdf5Handle texts = opened(whole, "b/text");
    const Hdf5Handle type(H5Dget_type(texts.id()), H5Tclose);
    std::string bytes(5 * H5Tget_size(type.id()), 'x');
    H5Dwrite(texts.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  });
  EXPECT_EQ(mistake(), kDamaged);
}

TEST_F(Hdf5ReaderTest, OfAFileThatWasClosedNoRowMayBeMissing) {
  for (const char* path : {"time", "z/n", "b/text"}) {
    record();
    change([&](hid_t whole) {
      const hsize_t four = 4;
      H5Dset_extent(opened(whole, path).id(), &four);
    });
    EXPECT_EQ(mistake(), kDamaged) << path;
  }
}

TEST_F(Hdf5ReaderTest, TextsThatWereCutOffAreTold) {
  record();
  EXPECT_TRUE(load(file()).notes.empty());
  change([](hid_t whole) { setNumber(opened(whole, "b/text").id(), "cut", 1); });
  EXPECT_EQ(load(file()).notes, Texts{"1 texts of 'b.text' were too long and are cut off."});
  change([](hid_t whole) { setNumber(opened(whole, "b/text").id(), "cut", -1); });
  EXPECT_TRUE(load(file()).notes.empty());
}

}  // namespace
}  // namespace koppla::results::hdf5_reader_test
