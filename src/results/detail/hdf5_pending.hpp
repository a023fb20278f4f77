#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "koppla/results/detail/hdf5_checksum.hpp"

namespace koppla::results::detail {

// Rows that an HDF5 file does not have yet, in a plain file beside it. The HDF5 library cannot be called from a second
// thread while a subsystem may be using it in the first one, nor from a signal handler; write(2) can.
//
// "koppla rows 1\n\0\0", then as 64-bit numbers of the machine: the number of rows before these, of rows, of parts; for
// each part (by column, the time last) the number of its bytes and the bytes, as in memory; at the end a checksum of
// all parts.

/// Writes such a file; async-signal-safe. What cannot be written is left out, and the reader sees that by the checksum.
class PendingFile {
 public:
  PendingFile(const char* path, std::uint64_t first, std::uint64_t rows, std::uint64_t parts) noexcept;
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  void add(std::span<const std::byte> part) noexcept;

 private:
  void number(std::uint64_t value) noexcept;

  int descriptor_;
  Hdf5Checksum checksum_;
};

struct PendingRows {
  std::uint64_t first = 0;
  std::uint64_t rows = 0;
  std::vector<std::string> parts;  ///< bytes
};

/// Where they are: `results.partial.rows` for `results.partial.h5`.
inline std::filesystem::path pendingBeside(std::filesystem::path file) {
  return file.replace_extension(".rows");
}

/// None where there is no such file, or not a whole one.
std::optional<PendingRows> readPending(const std::filesystem::path& file);

}  // namespace koppla::results::detail
