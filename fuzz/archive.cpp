// An FMU's archive: whatever its bytes, it is unpacked into its own folder, within the limits, or refused.

#include "koppla/fmi/archive.hpp"

#include <filesystem>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "target.hpp"

namespace fs = std::filesystem;

namespace {

/// What was unpacked is within the limits, and nothing in it leads elsewhere.
void inspect(const fs::path& folder, const koppla::fmi::ArchiveLimits& limits) {
  std::uint64_t total = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const fs::file_status status = entry.symlink_status();
    koppla::fuzz::demand(fs::is_regular_file(status) || fs::is_directory(status));
    if (fs::is_regular_file(status)) total += entry.file_size();
  }
  koppla::fuzz::demand(total <= limits.totalBytes);
  koppla::fuzz::demand(fs::exists(folder / "modelDescription.xml"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const koppla::core::TemporaryFolder place("fuzz");
  const fs::path file = place.path() / "model.fmu";
  koppla::core::writeWhole(file, koppla::fuzz::textOf(data, size));
  koppla::fmi::ArchiveLimits limits;
  limits.totalBytes = std::uint64_t{1} << 20U;  // so that inputs are quick
  limits.entries = 100;
  limits.ratioFloor = std::uint64_t{1} << 14U;
  fs::path unpacked;
  try {
    const koppla::core::TemporaryFolder folder = koppla::fmi::unpack(file, limits);
    unpacked = folder.path();
    inspect(unpacked, limits);
  } catch (const koppla::core::InputError& error) {
    koppla::fuzz::demand(!error.problems().empty());
  }
  koppla::fuzz::demand(unpacked.empty() || !fs::exists(unpacked));
  return 0;
}
