#include "koppla/results/reach.hpp"

#include <exception>
#include <string_view>
#include <system_error>

#include "koppla/core/file.hpp"
#include "koppla/results/csv_names.hpp"
#include "koppla/results/csv_reader.hpp"
#include "koppla/results/detail/hdf5_reader.hpp"
#include "koppla/results/hdf5_names.hpp"

namespace koppla::results {

namespace fs = std::filesystem;

namespace {

Reach reachOfCsv(const fs::path& file, bool partial) {
  Reach reach;
  const CsvSource source{.file = file.string(), .partial = partial, .columns = {}, .anyOrder = true};
  for (const double time : parseCsv(core::readWhole(file, core::kAnySize), source).time) reach.add(time);
  return reach;
}

Reach reachOfHdf5(const fs::path& file) {
  Reach reach;
  for (const double time : detail::readHdf5(file).time) reach.add(time);
  return reach;
}

}  // namespace

std::optional<Reach> reachOf(const fs::path& folder, const std::string& name) {
  Reach furthest;
  for (const char* ending : {kComplete, kPartial, kHdf5Complete, kHdf5Partial}) {
    const fs::path file = folder / (name + ending);
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) continue;
    try {
      const Reach reach = file.extension() == kHdf5Complete ? reachOfHdf5(file)
                                                            : reachOfCsv(file, std::string_view(ending) == kPartial);
      if (reach > furthest) furthest = reach;
    } catch (const std::exception&) {  // damaged, as after a crash of the machine: nobody could read its rows
    }
  }
  return furthest.rows > 0 ? std::optional(furthest) : std::nullopt;
}

}  // namespace koppla::results
