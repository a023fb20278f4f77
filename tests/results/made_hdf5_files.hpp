#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/detail/hdf5_library.hpp"
#include "koppla/results/hdf5_recorder.hpp"
#include "koppla/results/load.hpp"

#include "recorded_rows.hpp"

/// Files in HDF5 that are made or changed by the library's own functions.
namespace koppla::results::made {

namespace fs = std::filesystem;
using core::Type;
using detail::Hdf5Handle;
using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

inline void setNumber(hid_t object, const char* name, std::int64_t number, hsize_t count = 1) {
  const std::vector<std::int64_t> numbers(count, number);
  const Hdf5Handle space(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
  if (H5Aexists(object, name) > 0) H5Adelete(object, name);
  const Hdf5Handle attribute(H5Acreate2(object, name, H5T_STD_I64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  EXPECT_GE(H5Awrite(attribute.id(), H5T_NATIVE_INT64, numbers.data()), 0);
}

inline void setText(hid_t object, const char* name, const std::string& text) {
  const Hdf5Handle type = detail::hdf5TextType(text.size());
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  if (H5Aexists(object, name) > 0) H5Adelete(object, name);
  const Hdf5Handle attribute(H5Acreate2(object, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  EXPECT_GE(H5Awrite(attribute.id(), type.id(), text.data()), 0);
}

/// A text of its own kind, which lies elsewhere in the file.
inline void setTextOfAnyLength(hid_t object, const char* name, const char* text) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  if (H5Aexists(object, name) > 0) H5Adelete(object, name);
  const Hdf5Handle attribute(H5Acreate2(object, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  EXPECT_GE(H5Awrite(attribute.id(), type.id(), static_cast<const void*>(&text)), 0);
}

inline Hdf5Handle opened(hid_t file, const char* dataset) {
  return {H5Dopen2(file, dataset, H5P_DEFAULT), H5Dclose};
}

/// How a dataset is stored.
struct Stored {
  hid_t type;
  std::vector<hsize_t> extent;
  bool compressed = false;
  std::vector<hsize_t> largest{};  ///< extent that is claimed, and never written
};

/// A dataset of reals or of other numbers, as a recorder describes it; its checksum is not known.
inline Hdf5Handle add(hid_t file, const char* path, const Stored& stored, const std::vector<double>& values,
                      const char* type, std::int64_t column) {
  const auto rank = static_cast<int>(stored.extent.size());
  const std::vector<hsize_t> unlimited(stored.extent.size(), H5S_UNLIMITED);
  std::vector<hsize_t> chunk(stored.extent.size(), 1);
  if (rank > 0) chunk[0] = 1000;
  const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (rank > 0) H5Pset_chunk(properties.id(), rank, chunk.data());
  if (stored.compressed) H5Pset_deflate(properties.id(), 9);
  const Hdf5Handle space(
      rank > 0 ? H5Screate_simple(rank, stored.extent.data(), unlimited.data()) : H5Screate(H5S_SCALAR), H5Sclose);
  Hdf5Handle dataset(H5Dcreate2(file, path, stored.type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                     H5Dclose);
  EXPECT_TRUE(dataset.valid()) << path;
  if (!values.empty()) {
    EXPECT_GE(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }
  if (!stored.largest.empty()) H5Dset_extent(dataset.id(), stored.largest.data());
  setText(dataset.id(), "type", type);
  setText(dataset.id(), "unit", "m");
  setText(dataset.id(), "description", "d");
  setText(dataset.id(), "name", path);
  setNumber(dataset.id(), "checksum", 0);
  if (column >= 0) setNumber(dataset.id(), "column", column);
  return dataset;
}

class MadeFilesTest : public testing::Test {
 protected:
  MadeFilesTest() { detail::prepareHdf5(); }

  [[nodiscard]] fs::path file(const std::string& name = "results.h5") const { return folder_.path() / name; }

  /// Three reals in a vector, a number of each other type, two texts; five rows.
  void record() const {
    std::vector<Column> columns{{"z.n", Type::integer, "1", "a count"}};
    for (const Column& column : recorded::vectorColumns("w.q", 3)) columns.push_back(column);
    columns.push_back({"a.on", Type::boolean, "", ""});
    columns.push_back({"b.text", Type::string, "", "words"});
    columns.push_back({"a.mode", Type::enumeration, "", ""});
    Hdf5Recorder recorder(folder_.path());
    recorder.begin(columns);
    for (int row = 0; row < 5; ++row)
      recorder.row(0.5 * row,
                   {{1.0 * row, 10.0 + row, 20.0 + row}, {-row, 2 * row}, {row % 2}, {"t" + std::to_string(row)}});
    recorder.complete();
  }

  /// A new file with times, and what is put into it.
  void make(const std::function<void(hid_t)>& fill, const Numbers& times = {0.0, 1.0}) const {
    const Hdf5Handle made(H5Fcreate(file().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    setNumber(made.id(), "format", 2);
    if (!times.empty()) add(made.id(), "time", {H5T_IEEE_F64LE, {times.size()}}, times, "real", -1);
    fill(made.id());
  }
  /// Changes what was recorded.
  void change(const std::function<void(hid_t)>& deed) const {
    const Hdf5Handle whole(H5Fopen(file().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    ASSERT_TRUE(whole.valid());
    deed(whole.id());
  }

  [[nodiscard]] std::string mistake() const {
    try {
      load(file());
    } catch (const core::InputError& error) {
      const std::string said = error.what();
      EXPECT_TRUE(said.starts_with(file().string() + " ")) << said;
      return said.substr(std::min(said.size(), file().string().size() + 1));
    }
    return "no mistake";
  }

  core::TemporaryFolder folder_{"hdf5-reader"};
};

inline const std::string kDamaged =
    "is damaged, or was changed after it was written. Restore it, or run the project again.";
inline const std::string kLacking = "lacks some of the columns that it once had. Restore the file.";
inline const std::string kNotOurs = "does not hold results of a run. Check that it is the right one.";

}  // namespace koppla::results::made
