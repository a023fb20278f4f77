#include "koppla/results/detail/hdf5_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <system_error>

#include "koppla/core/error.hpp"
#include "koppla/results/detail/hdf5_layout.hpp"
#include "koppla/results/detail/hdf5_library.hpp"
#include "koppla/results/hdf5_names.hpp"

namespace koppla::results::detail {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kReadBytes = std::size_t{8} << 20U;  // at once

Hdf5Handle attributeOf(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  return {H5Aopen(object, name, H5P_DEFAULT), H5Aclose};
}

std::optional<std::int64_t> numberOf(hid_t object, const char* name) {
  const Hdf5Handle attribute = attributeOf(object, name);
  std::int64_t number = 0;
  if (!attribute.valid() || H5Aread(attribute.id(), H5T_NATIVE_INT64, &number) < 0) return std::nullopt;
  return number;
}

std::string textOf(hid_t object, const char* name) {
  const Hdf5Handle attribute = attributeOf(object, name);
  const Hdf5Handle type = hdf5TextType(H5T_VARIABLE);
  char* text = nullptr;
  if (!attribute.valid() || H5Aread(attribute.id(), type.id(), &text) < 0 || text == nullptr) return {};
  std::string result = text;
  H5free_memory(text);
  return result;
}

/// A file that is being written, or whose writer was killed, is open in another way.
Hdf5Handle openFile(const fs::path& file) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.id(), false, true);
  Hdf5Handle whole(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (whole.valid()) return whole;
  const Hdf5Error error = hdf5Error();
  if (error.system != 0)
    throw core::InputError(
        file.string() + " cannot be read: " + std::error_code(error.system, std::generic_category()).message() + ".",
        "Check the path and its permissions.");
  Hdf5Handle growing(H5Fopen(file.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.id()), H5Fclose);
  if (growing.valid()) return growing;
  throw core::InputError(file.string() + " cannot be read as HDF5: " + error.text + ".",
                         "Check that it is the right one.");
}

std::vector<std::string> datasetsOf(hid_t file) {
  std::vector<std::string> paths;
  const auto visit = [](hid_t, const char* path, const H5O_info_t* info, void* into) -> herr_t {
    if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(into)->emplace_back(path);
    return 0;
  };
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &paths, H5O_INFO_BASIC);
  return paths;
}

core::Type typeNamed(const std::string& word) {
  constexpr std::array kAll{core::Type::integer, core::Type::boolean, core::Type::string, core::Type::enumeration};
  const auto* const found =
      std::find_if(kAll.begin(), kAll.end(), [&](core::Type type) { return core::word(type) == word; });
  return found == kAll.end() ? core::Type::real : *found;
}

class Hdf5Reader {
 public:
  explicit Hdf5Reader(const fs::path& path) : path_(path), file_(openFile(path)) {
    const auto format = numberOf(file_.id(), kHdf5Format);
    if (!format) fail("does not hold results of a run", "Check that it is the right one.");
    if (*format > kHdf5FormatNumber)
      fail("has the format " + std::to_string(*format) + ", which is newer than this Koppla", "Use a newer Koppla.");
  }

  Table read() {
    for (const std::string& path : datasetsOf(file_.id())) open(path);
    if (!time_) fail("holds no times", "Restore the file.");
    rows_ = time_->rows;
    for (const Part& part : parts_) rows_ = std::min(rows_, part.rows);
    table_.source = path_.string();
    table_.partial = path_.stem().extension() == ".partial";
    table_.time.reserve(rows_);
    forEachNumber(*time_, [&](std::size_t, double value) { table_.time.push_back(value); });
    describe();
    for (const Part& part : parts_) fill(part);
    return std::move(table_);
  }

 private:
  /// A dataset and the columns that it holds.
  struct Part {
    Hdf5Handle dataset;
    std::size_t rows = 0;
    std::size_t elements = 1;
    int rank = 1;
    std::size_t column = 0;
    std::size_t step = 1;
    core::Type type = core::Type::real;
  };

  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw core::InputError(path_.string() + " " + what + ".", remedy);
  }

  void open(const std::string& path) {
    Part part;
    part.dataset = Hdf5Handle(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
    const auto column = numberOf(part.dataset.id(), kHdf5Column);
    if (!column && path != kTimePath) return;  // what somebody added
    const Hdf5Handle space(H5Dget_space(part.dataset.id()), H5Sclose);
    std::array<hsize_t, 2> extent{0, 1};
    part.rank = H5Sget_simple_extent_ndims(space.id());
    if (part.rank < 1 || part.rank > 2)
      fail("holds an array '" + path + "' of more dimensions than two", "Restore it.");
    H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
    part.rows = extent[0];
    part.elements = extent[1];
    part.type = typeNamed(textOf(part.dataset.id(), kHdf5Type));
    if (path == kTimePath) {
      time_ = std::move(part);
      return;
    }
    part.column = static_cast<std::size_t>(*column);
    part.step = static_cast<std::size_t>(numberOf(part.dataset.id(), kHdf5ColumnStep).value_or(1));
    parts_.push_back(std::move(part));
  }

  /// Gives all columns their place; what was added to the file or taken from it may leave others empty.
  void describe() {
    std::size_t columns = 0;
    for (const Part& part : parts_) columns += part.elements;
    table_.series.resize(columns);
    for (const Part& part : parts_) {
      if (part.column + (part.elements - 1) * part.step >= columns)
        fail("lacks some of the columns that it once had", "Restore the file.");
      const std::string name = textOf(part.dataset.id(), kHdf5Name);
      const std::string unit = textOf(part.dataset.id(), kHdf5Unit);
      const std::string description = textOf(part.dataset.id(), kHdf5Description);
      for (std::size_t k = 0; k < part.elements; ++k)
        table_.series[part.column + k * part.step] = {
            part.rank == 1 ? name : nameOfElement(name, k + 1), unit, description, part.type, {}, {}};
      if (const auto cut = numberOf(part.dataset.id(), kHdf5Cut); cut.value_or(0) > 0)
        table_.notes.push_back(std::to_string(*cut) + " texts of '" + name + "' were too long and are cut off.");
    }
  }

  void fill(const Part& part) {
    if (part.type == core::Type::string) {
      fillTexts(part);
      return;
    }
    for (std::size_t k = 0; k < part.elements; ++k) table_.series[part.column + k * part.step].numbers.reserve(rows_);
    forEachNumber(part, [&](std::size_t element, double value) {
      table_.series[part.column + element * part.step].numbers.push_back(value);
    });
  }

  /// Reads some rows into the place, with values of the type.
  void readRows(const Part& part, std::size_t first, std::size_t rows, hid_t type, void* into) const {
    const std::array<hsize_t, 2> from{first, 0};
    const std::array<hsize_t, 2> count{rows, part.elements};
    const Hdf5Handle place(H5Dget_space(part.dataset.id()), H5Sclose);
    const Hdf5Handle block(H5Screate_simple(part.rank, count.data(), nullptr), H5Sclose);
    if (H5Sselect_hyperslab(place.id(), H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dread(part.dataset.id(), type, block.id(), place.id(), H5P_DEFAULT, into) < 0)
      fail("cannot be read: " + hdf5Error().text, "Restore the file.");
  }

  template <class Take>
  void forEachNumber(const Part& part, Take take) const {
    const std::size_t most = std::max<std::size_t>(1, kReadBytes / (sizeof(double) * part.elements));
    std::vector<double> block;
    for (std::size_t first = 0; first < rows_; first += most) {
      const std::size_t rows = std::min(most, rows_ - first);
      block.resize(rows * part.elements);
      readRows(part, first, rows, H5T_NATIVE_DOUBLE, block.data());
      for (std::size_t i = 0; i < block.size(); ++i) take(i % part.elements, block[i]);
    }
  }

  void fillTexts(const Part& part) {
    const Hdf5Handle type(H5Dget_type(part.dataset.id()), H5Tclose);
    const std::size_t width = H5Tget_size(type.id());
    std::string row(width * part.elements, '\0');
    for (std::size_t at = 0; at < rows_; ++at) {
      readRows(part, at, 1, type.id(), row.data());
      for (std::size_t k = 0; k < part.elements; ++k) {
        std::string text = row.substr(k * width, width);
        text.erase(text.find_last_not_of('\0') + 1);
        table_.series[part.column + k * part.step].texts.push_back(std::move(text));
      }
    }
  }

  const fs::path& path_;
  Hdf5Handle file_;
  std::optional<Part> time_;
  std::vector<Part> parts_;
  std::size_t rows_ = 0;
  Table table_;
};

}  // namespace

Table readHdf5(const fs::path& file) {
  silenceHdf5();
  return Hdf5Reader(file).read();
}

}  // namespace koppla::results::detail
