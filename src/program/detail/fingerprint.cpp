#include "koppla/program/detail/fingerprint.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/file.hpp"

namespace koppla::program::detail {

namespace fs = std::filesystem;

namespace {

void addFile(Hash& hash, const fs::path& file) {
  constexpr std::uintmax_t kLarge = 1U << 20U;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) return;
  hash.add(size);
  if (size <= kLarge)
    hash.add(core::readWhole(file));
  else
    hash.add(static_cast<std::uint64_t>(fs::last_write_time(file, error).time_since_epoch().count()));
}

/// In an order that does not depend on the file system.
void addFolder(Hash& hash, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    hash.add(fs::relative(file, folder).string());
    addFile(hash, file);
  }
}

}  // namespace

std::string fingerprint(const ProgramSettings& settings) {
  Hash hash;
  for (const Command* command : {&settings.before, &settings.command, &settings.after}) {
    hash.add(text(*command));
    // A script beside the project file is a part of the command.
    const auto* words = std::get_if<std::vector<std::string>>(command);
    if (words != nullptr && !words->empty() && words->front().find('/') != std::string::npos)
      addFile(hash, words->front());
  }
  for (const DeckFile& deck : settings.deck) {
    hash.add(deck.name.string());
    addFile(hash, deck.original);
  }
  for (const fs::path& file : settings.include) addFile(hash.add(file.filename().string()), file);
  if (!settings.folder.empty()) addFolder(hash, settings.folder);
  for (const RestartFile& file : settings.restart)
    if (!file.start.empty()) addFile(hash, file.start);
  return fmt::format("{:016x}", hash.value());
}

}  // namespace koppla::program::detail
