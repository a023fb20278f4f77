// Results as HDF5: a table whose series are as long as its times, or a refusal.

#include <filesystem>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/results/load.hpp"

#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const koppla::core::TemporaryFolder place("fuzz");
  const std::filesystem::path file = place.path() / "results.h5";
  koppla::core::writeWhole(file, koppla::fuzz::textOf(data, size));
  try {
    const koppla::results::Table table = koppla::results::load(file);
    for (const koppla::results::Series& series : table.series)
      koppla::fuzz::demand((series.numeric() ? series.numbers.size() : series.texts.size()) == table.time.size());
  } catch (const koppla::core::InputError& error) {
    koppla::fuzz::demand(!error.problems().empty());
  }
  return 0;
}
