#include "koppla/core/file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include <unistd.h>

#include "koppla/core/error.hpp"

namespace koppla::core {

namespace fs = std::filesystem;

namespace {

std::string reason() {
  return std::error_code(errno, std::generic_category()).message();
}

}  // namespace

void writeWhole(const fs::path& file, std::string_view content) {
  const fs::path hidden =
      file.parent_path() / ("." + file.filename().string() + "." + std::to_string(::getpid()) + ".part");
  std::ofstream out(hidden, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  std::error_code error;
  if (!out) error.assign(errno != 0 ? errno : EIO, std::generic_category());
  if (!error) fs::rename(hidden, file, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(hidden, ignored);
  throw InputError(file.string() + " cannot be written: " + error.message() + ".",
                   "Choose a folder that you may write to and a name that no folder has.");
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
  std::ifstream in(file, std::ios::binary);
  std::string content(static_cast<std::size_t>(size), '\0');
  in.read(content.data(), static_cast<std::streamsize>(size));
  if (!in) throw InputError(file.string() + " cannot be read: " + reason() + ".", "Check its permissions.");
  return content;
}

}  // namespace koppla::core
