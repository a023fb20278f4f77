#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "koppla/core/file.hpp"
#include "koppla/program/settings.hpp"

namespace koppla::program {

/// The folder of one instance of a program, with a new folder inside for every call: s000012/i003 for the third call in
/// step 12. Instances of the same name get folders of different names.
class CallFolders {
 public:
  /// Below `parent`, or temporary if that is empty. What an earlier run left there is removed, unless this one goes on
  /// with it. Throws core::InputError or core::FileError where it cannot be made.
  CallFolders(const std::filesystem::path& parent, const std::string& name, Keep keep, bool resume = false);
  ~CallFolders();
  CallFolders(const CallFolders&) = delete;
  CallFolders& operator=(const CallFolders&) = delete;

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] bool isTemporary() const { return temporary_.has_value(); }

  struct Call {
    std::filesystem::path folder;
    std::uint64_t step;
    std::uint64_t iteration;
  };
  /// A new empty folder. Throws as the constructor does.
  Call begin(std::uint64_t step);
  /// A call that an earlier run has made: numbers go on behind it.
  void recall(std::uint64_t step, std::uint64_t iteration);
  /// The call has ended; its folder stays or goes.
  void end(const Call& call, bool well);

 private:
  [[nodiscard]] std::filesystem::path folderOf(std::uint64_t step, std::uint64_t iteration) const;
  void remove(const std::filesystem::path& folder) const;

  Keep keep_;
  std::optional<core::TemporaryFolder> temporary_;
  std::filesystem::path root_;
  std::filesystem::path last_;  ///< of the last call that ended well, if it is there
  std::uint64_t step_ = 0;
  std::uint64_t iteration_ = 0;
};

/// Restart files as they were at the end of a step, kept in a folder that goes with the last who refers to it.
class RestartFiles {
 public:
  /// Those in a folder below `parent` that an earlier run has left, under their number from 1. They may be gone, or not
  /// be what they were; who needs them is told.
  RestartFiles(const std::vector<RestartFile>& files, const std::filesystem::path& parent, std::uint64_t number,
               std::uint64_t checksum);
  /// Keeps what a call has written. Throws core::InputError where it has not, core::FileError where there is no room.
  RestartFiles(const std::vector<RestartFile>& files, const std::filesystem::path& parent, std::uint64_t number,
               const std::filesystem::path& callFolder);
  ~RestartFiles();
  RestartFiles(const RestartFiles&) = delete;
  RestartFiles& operator=(const RestartFiles&) = delete;

  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] std::uint64_t checksum() const { return checksum_; }
  /// They stay behind, for a run that goes on from here.
  void keep() const { kept_ = true; }
  /// Puts copies into the folder of the next call. Throws core::InputError where they are gone or damaged,
  /// core::FileError where there is no room.
  void provide(const std::filesystem::path& callFolder) const;

 private:
  [[nodiscard]] std::uint64_t checksumNow() const;

  std::vector<RestartFile> files_;
  std::uint64_t number_;
  std::filesystem::path folder_;
  std::uint64_t checksum_ = 0;
  mutable bool sound_ = true;  ///< known to be what it was
  mutable bool kept_ = false;
};

/// Copies a file to where another one or a link may be, which is replaced. Throws core::InputError or core::FileError.
void copyInto(const std::filesystem::path& from, const std::filesystem::path& to);
/// The same of a folder with all its content, into one that may be there. What links lead to is copied, not the links.
/// A folder that cannot be read throws std::filesystem::filesystem_error.
void copyFolderInto(const std::filesystem::path& from, const std::filesystem::path& to);

/// The start files, for the first step.
void provideStart(const std::vector<RestartFile>& files, const std::filesystem::path& callFolder);

}  // namespace koppla::program
