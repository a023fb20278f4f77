#pragma once

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

namespace koppla::results::detail {

inline constexpr char kAnotherFolder[] = "Choose an output folder that you may write to.";
inline constexpr char kRoomForRows[] =
    "Free space there, record fewer variables or rows, or choose another output folder; rows written so far are kept.";
inline constexpr char kRowsAreKept[] =
    "Check the disk or whoever reads it, or choose another output folder; rows written so far are kept.";

/// Whether more room would have helped.
inline bool lacksRoom(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

/// Tells the user that a file of results cannot be begun, with the system's reason.
[[noreturn]] inline void failToOpen(const std::filesystem::path& file, int error) {
  core::failAtFile(file.string(), "cannot be written", error, kAnotherFolder,
                   lacksRoom(error) ? kRoomForRows : kRowsAreKept);
}

/// The same of a file that was begun, where the place has proved right.
[[noreturn]] inline void failToWrite(const std::filesystem::path& file, int error) {
  throw core::FileError(
      file.string() + " cannot be written: " + std::error_code(error, std::generic_category()).message() + ".",
      lacksRoom(error) ? kRoomForRows : kRowsAreKept);
}

/// Tells the user that somebody else has laid hands on a file of results: nothing in it can be trusted.
[[noreturn]] inline void failAsForeign(const std::filesystem::path& file) {
  throw core::FileError(file.string() +
                            " is no longer the file that was being written: its descriptor was closed or given to "
                            "another file, or it was moved, replaced or written by somebody else.",
                        "Most likely a subsystem closes files that it did not open (run them one by one to find out "
                        "which), or another program works in the folder.");
}

/// Makes the folder and removes the results of an earlier run, which must not pass for those of this one if it fails.
inline void clearTheWay(const std::filesystem::path& folder, const std::filesystem::path& complete) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) core::failAtFile(folder.string(), "cannot be made", error.value(), kAnotherFolder);
  std::filesystem::remove(complete, error);
  if (error) core::failAtFile(complete.string(), "cannot be replaced", error.value(), kAnotherFolder);
}

/// Gives the file of a run that completed its final name. The place has proved right, so what is in the way now came
/// meanwhile.
inline void takeFinalName(const std::filesystem::path& partial, const std::filesystem::path& complete) {
  std::error_code error;
  std::filesystem::rename(partial, complete, error);
  if (error)
    throw core::FileError(
        complete.string() + " cannot take the place of " + partial.string() + ": " + error.message() + ".",
        "All rows are in the partial file; rename it once the place is free.");
}

}  // namespace koppla::results::detail
