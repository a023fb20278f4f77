#include "koppla/results/load.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/before_names.hpp"
#include "koppla/results/csv_names.hpp"
#include "koppla/results/csv_reader.hpp"
#include "koppla/results/detail/hdf5_reader.hpp"
#include "koppla/results/hdf5_names.hpp"

namespace koppla::results {

namespace fs = std::filesystem;

namespace {

constexpr const char* kResults = "results";

fs::path fileIn(const fs::path& folder, const std::string& name) {
  std::error_code error;
  // The one from before is there as long as it has come further; of other settings it does not stand for this run.
  std::array records{name + kBefore, name};
  if (fs::exists(folder / (name + kBefore + kOtherProject), error)) std::swap(records[0], records[1]);
  for (const std::string& record : records)
    for (const char* ending : {kComplete, kHdf5Complete, kPartial, kHdf5Partial})
      if (fs::exists(folder / (record + ending), error)) return folder / (record + ending);
  if (error)
    throw core::InputError("The folder " + folder.string() + " cannot be read: " + error.message() + ".",
                           "Check its permissions.");
  throw core::InputError("The folder " + folder.string() + " holds neither " + name + kComplete + " nor " + name +
                             kHdf5Complete + ", nor " + name + kPartial + " or " + name + kHdf5Partial + ".",
                         "Name the folder of a run, or a file of results.");
}

bool isPartial(const fs::path& csv) {
  return csv.stem().extension() == ".partial";
}

/// The file of types and units beside one of rows, if there is one.
std::optional<fs::path> unitsOf(const fs::path& csv) {
  const fs::path stem = isPartial(csv) ? csv.stem().stem() : csv.stem();
  fs::path units = csv.parent_path() / (stem.string() + ".units.csv");
  std::error_code ignored;
  if (!fs::exists(units, ignored)) return std::nullopt;
  return units;
}

Table readCsv(const fs::path& file, bool anyOrder) {
  CsvSource source;
  source.file = file.string();
  source.anyOrder = anyOrder;
  source.partial = isPartial(file);
  if (const std::optional<fs::path> units = unitsOf(file))
    source.columns = parseUnits(core::readWhole(*units), units->string());
  return parseCsv(core::readWhole(file, core::kAnySize), source);
}

bool isCsv(const fs::path& file) {
  return file.extension() != kHdf5Complete;
}

/// A file stands for itself, a folder for the record of that name in it.
fs::path fileAt(const fs::path& path, const std::string& name) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? fileIn(path, name) : path;
}

void requireOrder(const Table& table) {
  const bool finite = std::ranges::all_of(table.time, [](double time) { return std::isfinite(time); });
  if (finite && std::ranges::is_sorted(table.time)) return;
  throw core::InputError(table.source + ": Times must be finite and must not decrease.",
                         "Choose the results of a run, not another record.");
}

Table readAny(const fs::path& path, const std::string& name, bool anyOrder) {
  const fs::path file = fileAt(path, name);
  if (isCsv(file)) return readCsv(file, anyOrder);
  Table table = detail::readHdf5(file);
  if (!anyOrder) requireOrder(table);
  return table;
}

}  // namespace

Table load(const fs::path& path) {
  return readAny(path, kResults, false);
}

std::vector<fs::path> filesOf(const fs::path& path) {
  const fs::path file = fileAt(path, kResults);
  std::vector<fs::path> files{file};
  if (!isCsv(file)) return files;
  if (std::optional<fs::path> units = unitsOf(file)) files.push_back(std::move(*units));
  return files;
}

Table loadIterations(const fs::path& path) {
  Table table = readAny(path, "iterations", true);
  const Series* const total = table.find("total");
  if (total == nullptr || !total->numeric())
    throw core::InputError(table.source + " is no history of iterations.",
                           "Name the folder of a run with results.iterations, or its iterations.csv.");
  table.time = total->numbers;
  table.over = "iteration";
  for (Series& series : table.series)
    series.decades = series.name == "residual" || series.name.starts_with("residual.") ||
                     series.name.ends_with(".change_mean") || series.name.ends_with(".change_largest");
  return table;
}

}  // namespace koppla::results
