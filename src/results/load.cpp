#include "koppla/results/load.hpp"

#include <limits>
#include <system_error>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/csv_names.hpp"
#include "koppla/results/csv_reader.hpp"

namespace koppla::results {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kAnySize = std::numeric_limits<std::size_t>::max();

fs::path fileIn(const fs::path& folder) {
  std::error_code error;
  for (const char* name : {kCompleteFile, kPartialFile})
    if (fs::exists(folder / name, error)) return folder / name;
  if (error)
    throw core::InputError("The folder " + folder.string() + " cannot be read: " + error.message() + ".",
                           "Check its permissions.");
  throw core::InputError(
      "The folder " + folder.string() + " holds neither " + kCompleteFile + " nor " + kPartialFile + ".",
      "Name the folder of a run, or a CSV file.");
}

}  // namespace

Table load(const fs::path& path) {
  std::error_code ignored;
  const fs::path file = fs::is_directory(path, ignored) ? fileIn(path) : path;
  fs::path stem = file.stem();  // results, or results.partial
  CsvSource source;
  source.file = file.string();
  source.partial = stem.extension() == ".partial";
  if (source.partial) stem = stem.stem();

  const fs::path units = file.parent_path() / (stem.string() + ".units.csv");
  if (units != file && fs::exists(units, ignored)) source.columns = parseUnits(core::readWhole(units), units.string());
  return parseCsv(core::readWhole(file, kAnySize), source);
}

}  // namespace koppla::results
