#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace koppla::test {

/// One entry of an archive to be made.
struct ZipEntry {
  std::string name;
  std::string content;
  std::uint32_t mode = 0;  ///< of Unix, with its kind of file; 0: none stored
};

void writeZip(const std::filesystem::path& file, const std::vector<ZipEntry>& entries);

/// The parts of our FMU 'Gain', from which broken ones are forged.
std::string gainDescription();
std::string gainLibrary();
inline constexpr const char* kGainLibraryEntry = "binaries/linux64/Gain.so";

/// The description with one text replaced by another; the first must be there.
std::string gainDescriptionWith(std::string_view from, std::string_view to);

/// A Gain with this description and this library.
void writeGain(const std::filesystem::path& file, const std::string& description, const std::string& library);

/// A shared library that is no FMU.
std::string foreignLibrary();

}  // namespace koppla::test
