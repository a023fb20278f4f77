#pragma once

#include <filesystem>
#include <system_error>

#include <sys/stat.h>

namespace koppla::fmi::detail {

/// The working folder of the process and the permissions of its new files, as they are now. Paths of the user are
/// relative to the one, and the other makes results readable; an FMU may change both.
class WorkingPlace {
 public:
  WorkingPlace() : folder_(std::filesystem::current_path(ignored_)), mask_(::umask(kCareful)) { ::umask(mask_); }

  void restore() const {
    ::umask(mask_);
    std::error_code none;
    if (!folder_.empty() && std::filesystem::current_path(none) != folder_)
      std::filesystem::current_path(folder_, none);
  }

 private:
  static constexpr mode_t kCareful = 077;  // while it is asked for, which cannot be done without a change
  std::error_code ignored_;
  std::filesystem::path folder_;
  mode_t mask_;
};

}  // namespace koppla::fmi::detail
