#include "koppla/results/detail/hdf5_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "koppla/core/error.hpp"
#include "koppla/results/detail/hdf5_checksum.hpp"
#include "koppla/results/detail/hdf5_layout.hpp"
#include "koppla/results/detail/hdf5_library.hpp"
#include "koppla/results/detail/hdf5_pending.hpp"
#include "koppla/results/hdf5_names.hpp"

namespace koppla::results::detail {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kReadBytes = std::size_t{8} << 20U;  // at once

constexpr std::uintmax_t kMostDeflated = 1032;  // times as small: the limit of the method

/// A text without the zeros that fill up its room.
std::string unfilled(std::string text) {
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

/// None where it is missing or not one value of that class.
std::optional<Hdf5Handle> attributeOf(hid_t object, const char* name, H5T_class_t of) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (!attribute.valid()) return std::nullopt;
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  if (H5Sget_simple_extent_npoints(space.id()) != 1 || H5Tget_class(type.id()) != of) return std::nullopt;
  return attribute;
}

std::optional<std::int64_t> numberOf(hid_t object, const char* name) {
  const std::optional<Hdf5Handle> attribute = attributeOf(object, name, H5T_INTEGER);
  std::int64_t number = 0;
  if (!attribute || H5Aread(attribute->id(), H5T_NATIVE_INT64, &number) < 0) return std::nullopt;
  return number;
}

/// Texts of a fixed length only: those of a variable one can crash the library.
std::optional<std::string> textOf(hid_t object, const char* name) {
  const std::optional<Hdf5Handle> attribute = attributeOf(object, name, H5T_STRING);
  if (!attribute) return std::nullopt;
  const Hdf5Handle type(H5Aget_type(attribute->id()), H5Tclose);
  const std::size_t size = H5Tget_size(type.id());
  if (H5Tis_variable_str(type.id()) != 0 || size == 0 || size > kMostTextBytes) return std::nullopt;
  std::string text(size, '\0');
  if (H5Aread(attribute->id(), type.id(), text.data()) < 0) return std::nullopt;
  return unfilled(std::move(text));
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
  // Its writer may be at work, so the library reads again what seems damaged, each time after twice as long a pause. Of
  // itself it would do so a hundred times: for ever.
  constexpr unsigned kMostAttempts = 20;  // 2^20 ns, a millisecond in all
  H5Pset_metadata_read_attempts(access.id(), kMostAttempts);
  Hdf5Handle growing(H5Fopen(file.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.id()), H5Fclose);
  if (growing.valid()) return growing;
  throw core::InputError(file.string() + " cannot be read as HDF5: " + error.text + ".",
                         "Check that it is the right one.");
}

std::optional<std::vector<std::string>> datasetsOf(hid_t file) {
  std::vector<std::string> paths;
  const auto visit = [](hid_t, const char* path, const H5O_info_t* info, void* into) -> herr_t {
    if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(into)->emplace_back(path);
    return 0;
  };
  if (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &paths, H5O_INFO_BASIC) < 0) return std::nullopt;
  return paths;
}

std::optional<core::Type> typeNamed(std::string_view word) {
  constexpr std::array kAll{core::Type::real, core::Type::integer, core::Type::boolean, core::Type::string,
                            core::Type::enumeration};
  const auto* const found =
      std::find_if(kAll.begin(), kAll.end(), [&](core::Type type) { return core::word(type) == word; });
  return found == kAll.end() ? std::nullopt : std::optional(*found);
}

/// Whether values are stored as we store this type, so that none is lost or made up when they are read.
bool isStoredAs(hid_t stored, core::Type type) {
  const H5T_class_t of = H5Tget_class(stored);
  const std::size_t bytes = H5Tget_size(stored);
  switch (type) {
    case core::Type::real:
      return of == H5T_FLOAT && bytes == sizeof(double);
    case core::Type::boolean:
      return of == H5T_INTEGER && bytes == sizeof(std::uint8_t);
    case core::Type::string:
      return of == H5T_STRING && H5Tis_variable_str(stored) == 0 && bytes > 0 && bytes <= kMostTextBytes;
    default:
      return of == H5T_INTEGER && bytes == sizeof(std::int32_t);
  }
}

class Hdf5Reader {
 public:
  explicit Hdf5Reader(const fs::path& path) : path_(path), file_(openFile(path)) {
    std::error_code ignored;
    fileBytes_ = fs::file_size(path, ignored);
    const auto format = numberOf(file_.id(), kHdf5Format);
    if (!format) fail("does not hold results of a run", "Check that it is the right one.");
    if (*format > kHdf5FormatNumber)
      fail("has the format " + std::to_string(*format) + ", which is newer than this Koppla", "Use a newer Koppla.");
    if (*format < kHdf5FormatNumber)
      fail("has the format " + std::to_string(*format) +
               " of an earlier Koppla, whose texts cannot be read safely where a file is damaged",
           "Run the project again; h5dump and h5py still read this file.");
  }

  Table read() {
    const auto paths = datasetsOf(file_.id());
    if (!paths) failDamaged();
    for (const std::string& path : *paths) open(path);
    if (!time_) fail("holds no times", "Restore the file.");
    rows_ = time_->rows;
    for (const Part& part : parts_) rows_ = std::min(rows_, part.rows);
    table_.source = path_.string();
    table_.partial = path_.stem().extension() == ".partial";
    table_.time.reserve(rows_);
    forEachNumber(*time_, [&](std::size_t, double value) { table_.time.push_back(value); });
    describe();
    for (const Part& part : parts_) fill(part);
    if (table_.partial) addPending();
    return std::move(table_);
  }

 private:
  /// A dataset and the columns that it holds.
  struct Part {
    Hdf5Handle dataset;
    std::size_t rows = 0;
    std::size_t elements = 1;
    std::size_t bytes = 0;  ///< of a value
    int rank = 1;
    std::size_t column = 0;
    std::size_t step = 1;
    core::Type type = core::Type::real;
    std::int64_t checksum = 0;
    std::string name{};
    std::string unit{};
    std::string description{};
  };

  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw core::InputError(path_.string() + " " + what + ".", remedy);
  }

  [[noreturn]] void failDamaged() const {
    fail("is damaged, or was changed after it was written", "Restore it, or run the project again.");
  }

  template <class Value>
  Value require(std::optional<Value> value) const {
    if (!value) failDamaged();
    return std::move(*value);
  }

  void open(const std::string& path) {
    Part part;
    part.dataset = Hdf5Handle(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!part.dataset.valid()) failDamaged();
    const bool isTime = path == kTimePath;
    const auto column = numberOf(part.dataset.id(), kHdf5Column);
    if (!column && !isTime && !numberOf(part.dataset.id(), kHdf5Checksum)) return;  // what somebody added
    part.type = require(typeNamed(require(textOf(part.dataset.id(), kHdf5Type))));
    part.checksum = require(numberOf(part.dataset.id(), kHdf5Checksum));
    part.unit = require(textOf(part.dataset.id(), kHdf5Unit));
    part.description = require(textOf(part.dataset.id(), kHdf5Description));
    measure(part, path);
    if (isTime) {
      if (part.type != core::Type::real || part.rank != 1) failDamaged();
      time_ = std::move(part);
      return;
    }
    part.name = require(textOf(part.dataset.id(), kHdf5Name));
    part.column = placeFrom(column);
    if (part.rank == 2) part.step = placeFrom(numberOf(part.dataset.id(), kHdf5ColumnStep));
    parts_.push_back(std::move(part));
  }

  /// A column, or how many they are apart: more than any table has is damage, and no reason to overflow.
  [[nodiscard]] std::size_t placeFrom(std::optional<std::int64_t> number) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 31U;
    if (!number || *number < 0 || *number > kMost) failDamaged();
    return static_cast<std::size_t>(*number);
  }

  /// Takes the size of a dataset, as far as the file can hold that much.
  void measure(Part& part, const std::string& path) const {
    const Hdf5Handle space(H5Dget_space(part.dataset.id()), H5Sclose);
    std::array<hsize_t, 2> extent{0, 1};
    part.rank = H5Sget_simple_extent_ndims(space.id());
    if (part.rank < 1 || part.rank > 2)
      fail("holds an array '" + path + "' of more dimensions than two", "Restore it.");
    H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
    const Hdf5Handle type(H5Dget_type(part.dataset.id()), H5Tclose);
    constexpr std::uintmax_t kUsualElements = std::uintmax_t{1} << 20U;  // where there are no rows yet
    if (extent[1] == 0 || extent[1] > std::max(fileBytes_, kUsualElements) || !isStoredAs(type.id(), part.type))
      failDamaged();
    const Hdf5Handle made(H5Dget_create_plist(part.dataset.id()), H5Pclose);
    const std::uintmax_t most = fileBytes_ * (H5Pget_nfilters(made.id()) > 0 ? kMostDeflated : 1);
    if (extent[0] > most / H5Tget_size(type.id()) / extent[1]) failDamaged();
    part.rows = extent[0];
    part.elements = extent[1];
    part.bytes = H5Tget_size(type.id());
  }

  /// Gives all columns their place, and each place its column.
  void describe() {
    std::size_t columns = 0;
    for (const Part& part : parts_) columns += part.elements;
    table_.series.resize(columns);
    std::vector<bool> taken(columns, false);
    for (const Part& part : parts_) {
      if (part.column + (part.elements - 1) * part.step >= columns)
        fail("lacks some of the columns that it once had", "Restore the file.");
      if (part.rank == 2 && part.name.find("[]") == std::string::npos) failDamaged();
      for (std::size_t k = 0; k < part.elements; ++k) {
        const std::size_t column = part.column + k * part.step;
        if (taken[column]) failDamaged();
        taken[column] = true;
        table_.series[column] = {part.rank == 1 ? part.name : nameOfElement(part.name, k + 1),
                                 part.unit,
                                 part.description,
                                 part.type,
                                 {},
                                 {}};
      }
      if (const auto cut = numberOf(part.dataset.id(), kHdf5Cut); cut.value_or(0) > 0)
        table_.notes.push_back(std::to_string(*cut) + " texts of '" + part.name + "' were too long and are cut off.");
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

  /// A file that was closed has all rows, with their checksum.
  void check(const Part& part, const Hdf5Checksum& found) const {
    if (part.checksum == 0) return;
    if (part.rows != rows_ || part.checksum != found.value()) failDamaged();
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
    Hdf5Checksum checksum;
    for (std::size_t first = 0; first < rows_; first += most) {
      const std::size_t rows = std::min(most, rows_ - first);
      block.resize(rows * part.elements);
      readRows(part, first, rows, H5T_NATIVE_DOUBLE, block.data());
      for (std::size_t i = 0; i < block.size(); ++i) {
        checksum.add(block[i]);
        take(i % part.elements, block[i]);
      }
    }
    check(part, checksum);
  }

  void fillTexts(const Part& part) {
    const Hdf5Handle type(H5Dget_type(part.dataset.id()), H5Tclose);
    const std::size_t width = H5Tget_size(type.id());
    std::string row(width * part.elements, '\0');
    Hdf5Checksum checksum;
    for (std::size_t at = 0; at < rows_; ++at) {
      readRows(part, at, 1, type.id(), row.data());
      checksum.add(std::as_bytes(std::span(row)));
      for (std::size_t k = 0; k < part.elements; ++k) {
        table_.series[part.column + k * part.step].texts.push_back(unfilled(row.substr(k * width, width)));
      }
    }
    check(part, checksum);
  }

  /// Rows that are only beside the file so far, each part as its writer has it in memory.
  void addPending() {
    const std::optional<PendingRows> pending = readPending(pendingBeside(path_));
    if (!pending || pending->first > rows_ || pending->first + pending->rows <= rows_) return;
    std::ranges::sort(parts_, {}, &Part::column);
    std::vector<const Part*> all;
    for (const Part& part : parts_) all.push_back(&part);
    all.push_back(&*time_);
    if (pending->parts.size() != all.size()) return;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (pending->parts[i].size() != pending->rows * all[i]->elements * all[i]->bytes) return;
    const std::size_t known = rows_ - pending->first;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t at = known * all[i]->elements; at < pending->rows * all[i]->elements; ++at)
        addValue(*all[i], at % all[i]->elements, pending->parts[i].data() + at * all[i]->bytes);
  }

  void addValue(const Part& part, std::size_t element, const char* bytes) {
    const auto number = [bytes]<class Stored>(Stored stored) {
      std::memcpy(&stored, bytes, sizeof(Stored));
      return static_cast<double>(stored);
    };
    if (&part == &*time_) {
      table_.time.push_back(number(0.0));
      return;
    }
    Series& series = table_.series[part.column + element * part.step];
    switch (part.type) {
      case core::Type::real:
        series.numbers.push_back(number(0.0));
        break;
      case core::Type::boolean:
        series.numbers.push_back(number(std::uint8_t{0}));
        break;
      case core::Type::string:
        series.texts.push_back(unfilled(std::string(bytes, part.bytes)));
        break;
      default:
        series.numbers.push_back(number(std::int32_t{0}));
        break;
    }
  }

  const fs::path& path_;
  Hdf5Handle file_;
  std::uintmax_t fileBytes_ = 0;
  std::optional<Part> time_;
  std::vector<Part> parts_;
  std::size_t rows_ = 0;
  Table table_;
};

}  // namespace

Table readHdf5(const fs::path& file) {
  prepareHdf5();
  return Hdf5Reader(file).read();
}

}  // namespace koppla::results::detail
