#include "koppla/core/file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file_identity.hpp"

namespace koppla::core {

namespace fs = std::filesystem;

namespace {

/// Where the content of a file that may be a link, or a link to a link, has its place; links to nothing count.
fs::path linkTarget(fs::path file) {
  constexpr int kMostLinks = 40;  // as the system follows
  std::error_code error;
  for (int link = 0; link < kMostLinks && fs::is_symlink(fs::symlink_status(file, error)); ++link) {
    const fs::path target = fs::read_symlink(file, error);
    if (error) break;
    file = target.is_absolute() ? target : file.parent_path() / target;
  }
  return file;
}

/// 0, or the system's reason.
int writeInto(int descriptor, std::string_view content) {
  if (descriptor < 0) return errno;
  const int error = writeAll(descriptor, content);
  // Some file systems report a full disk or an exceeded quota only here.
  return ::close(descriptor) != 0 && error == 0 && errno != EINTR ? errno : error;
}

int replace(const fs::path& file, std::string_view content) {
  const fs::path hidden =
      file.parent_path() / ("." + file.filename().string() + "." + std::to_string(::getpid()) + ".part");
  int error = writeInto(::open(hidden.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), content);
  if (error == 0 && ::rename(hidden.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(hidden.c_str());
  return error;
}

}  // namespace

bool placeIsAtFault(int error) {
  constexpr std::array kOfPlace{ENOENT, ENOTDIR, EISDIR,    EACCES,  EPERM, EROFS,  ENAMETOOLONG, ELOOP,
                                EEXIST, EXDEV,   ENOTEMPTY, ETXTBSY, ENXIO, EINVAL, EBUSY};
  return std::ranges::find(kOfPlace, error) != kOfPlace.end();
}

void failAtFile(const std::string& whom, std::string_view what, int error, std::string_view forPlace,
                std::string_view forSystem) {
  const std::string message =
      whom + " " + std::string(what) + ": " + std::error_code(error, std::generic_category()).message() + ".";
  if (placeIsAtFault(error)) throw InputError(message, std::string(forPlace));
  throw FileError(message, std::string(forSystem));
}

void passOnFileError(const std::string& undone, const std::string& text) {
  throw FileError(undone, text);  // which ends with its remedy
}

int writeAll(int descriptor, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t taken = ::write(descriptor, bytes.data(), bytes.size());
    if (taken >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(taken));
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

bool isOpenAs(const fs::path& file, int descriptor) {
  return FileIdentity(descriptor).isOf(file);
}

void writeWhole(const fs::path& file, std::string_view content) {
  int error = 0;
  struct stat status {};
  const bool isThere = ::stat(file.c_str(), &status) == 0;
  if (!isThere && errno == ELOOP) {
    error = ELOOP;
  } else if (isOpenAs(file, STDOUT_FILENO)) {
    std::fflush(stdout);
    error = writeAll(STDOUT_FILENO, content);
  } else if (isOpenAs(file, STDERR_FILENO)) {
    error = writeAll(STDERR_FILENO, content);
  } else if (isThere && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    error = writeInto(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY), content);
  } else {
    error = replace(linkTarget(file), content);
  }
  if (error != 0) failAtFile(file.string(), "cannot be written", error);
}

std::string readWhole(const fs::path& file, std::size_t maxBytes) {
  std::error_code error;
  if (fs::is_directory(file, error)) throw InputError(file.string() + " is a folder, not a file.", "Name a file.");
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) throw InputError(file.string() + " cannot be read: " + error.message() + ".", "Check the path.");
  if (size > maxBytes)
    throw InputError(file.string() + " has " + std::to_string(size) + " bytes, more than the " +
                         std::to_string(maxBytes) + " that are accepted here.",
                     "Check that it is the right file.");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string content(static_cast<std::size_t>(size), '\0');
  in.read(content.data(), static_cast<std::streamsize>(size));
  if (!in)
    failAtFile(file.string(), "cannot be read", errno != 0 ? errno : EIO, "Check its permissions.",
               "Check that it does not change meanwhile, and the disk.");
  return content;
}

}  // namespace koppla::core
