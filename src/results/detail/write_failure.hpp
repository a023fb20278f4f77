#pragma once

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "koppla/core/error.hpp"

namespace koppla::results::detail {

/// Whether more room would have helped.
inline bool lacksRoom(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

/// Tells the user that a file of results cannot be written, with the system's reason.
[[noreturn]] inline void failToWrite(const std::filesystem::path& file, int error) {
  throw core::InputError(
      file.string() + " cannot be written: " + std::error_code(error, std::generic_category()).message() + ".",
      lacksRoom(error) ? "Free space there, record fewer variables or rows, or choose another output folder; rows "
                         "written so far are kept."
                       : "Choose an output folder that you may write to.");
}

/// Tells the user that somebody else has laid hands on a file of results: nothing in it can be trusted.
[[noreturn]] inline void failAsForeign(const std::filesystem::path& file) {
  throw core::InputError(file.string() +
                             " is no longer the file that was being written: its descriptor was closed or given to "
                             "another file, or it was moved, replaced or written by somebody else.",
                         "Most likely a subsystem closes files that it did not open (run them one by one to find out "
                         "which), or another program works in the folder.");
}

/// The same about what is done to a file or folder before and after.
[[noreturn]] inline void failAt(const std::filesystem::path& path, const std::string& what,
                                const std::error_code& error) {
  throw core::InputError(path.string() + " " + what + ": " + error.message() + ".",
                         "Choose an output folder that you may write to.");
}

/// Makes the folder and removes the results of an earlier run, which must not pass for those of this one if it fails.
inline void clearTheWay(const std::filesystem::path& folder, const std::filesystem::path& complete) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) failAt(folder, "cannot be made", error);
  std::filesystem::remove(complete, error);
  if (error) failAt(complete, "cannot be replaced", error);
}

/// Gives the file of a run that completed its final name.
inline void takeFinalName(const std::filesystem::path& partial, const std::filesystem::path& complete) {
  std::error_code error;
  std::filesystem::rename(partial, complete, error);
  if (error) failAt(complete, "cannot take the place of the partial file", error);
}

}  // namespace koppla::results::detail
