#include "koppla/study/journal.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/project/ingredients.hpp"
#include "koppla/results/load.hpp"

namespace koppla::study {

namespace fs = std::filesystem;

namespace {

constexpr const char* kJournal = "study.journal";
constexpr std::array kResults{"study.csv", "fits.csv", "study.svg"};
constexpr std::string_view kRestart = "Start anew with --restart, or choose another folder with --folder.";

/// FNV-1a with 64 bits: no secret is kept, only changes are noticed. Not core::Hash: journals hold these numbers, and
/// with others an interrupted study would not go on.
class JournalHash {
 public:
  void add(std::string_view bytes) {
    constexpr std::uint64_t kPrime = 0x100000001b3;
    for (const char byte : bytes) value_ = (value_ ^ static_cast<unsigned char>(byte)) * kPrime;
    value_ = (value_ ^ 0xffU) * kPrime;  // so that "ab", "c" is not "a", "bc"
  }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace

std::string fingerprint(const Study& study, const std::string& version) {
  JournalHash hash;
  hash.add(version);
  hash.add(study.text);
  hash.add(study.projectText);
  for (const project::Override& change : study.set) {
    hash.add(change.name);
    hash.add(change.value);
  }
  std::vector<std::vector<project::Override>> all = referenceSettings(study);
  for (const std::size_t point : study.grid.cross()) all.push_back(study.grid.overrides(point));
  project::Ingredients ingredients([&hash](const project::Ingredient& ingredient) { hash.add(ingredient.content); });
  for (const std::vector<project::Override>& settings : all) ingredients.tellThoseOf(planOf(study, settings));
  if (study.reference.kind == ReferenceKind::file)
    for (const fs::path& file : results::filesOf(study.reference.file.value))
      hash.add(core::readWhole(file, core::kAnySize));
  return hash.text();
}

Journal::Journal(fs::path folder, const std::string& fingerprint, std::size_t points, bool restart)
    : folder_(std::move(folder)), rows_(points) {
  const std::string head = "koppla-study 1 " + fingerprint + "\n";
  open(restart);
  const std::string content = restart ? std::string() : core::readWhole(folder_ / kJournal, core::kAnySize);
  if (content.find('\n') == std::string::npos) {  // fresh, or killed at its very beginning
    begin(head);
    return;
  }
  if (!content.starts_with(head))
    throw core::InputError(fmt::format("{} holds rows of another study: the study file, the project, an FMU, a "
                                       "mesh, samples, a program's script or folder, the settings or Koppla has "
                                       "changed since.",
                                       folder_.string()),
                           std::string(kRestart));
  takeOver(content.substr(head.size()));
}

void Journal::open(bool restart) {
  std::error_code error;
  if (fs::exists(folder_, error) && !fs::is_directory(folder_, error))
    throw core::InputError(fmt::format("The folder of the study, {}, is a file.", folder_.string()),
                           "Choose another with --folder.");
  if (!restart && fs::exists(folder_, error) && !fs::is_empty(folder_, error) && !fs::exists(folder_ / kJournal, error))
    throw core::InputError(fmt::format("The folder {} holds something else than a study.", folder_.string()),
                           std::string(kRestart));
  fs::create_directories(folder_, error);
  file_ = core::Descriptor(::open((folder_ / kJournal).c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (error || file_.get() < 0)
    core::failAtFile(fmt::format("The folder of the study, {},", folder_.string()), "cannot be written",
                     error ? error.value() : errno, "Choose another with --folder.");
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0)
    throw core::InputError(fmt::format("Another study is writing to {}.", folder_.string()),
                           "Wait for it, or choose another folder with --folder.");
}

void Journal::begin(const std::string& head) {
  std::error_code ignored;
  for (const char* name : kResults) fs::remove(folder_ / name, ignored);
  if (::ftruncate(file_.get(), 0) != 0)
    core::failAtFile((folder_ / kJournal).string(), "cannot be emptied", errno, "Remove it.", "Check the disk.");
  append(head);
}

void Journal::takeOver(const std::string& content) {
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = content.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = std::string_view(content).substr(begin, end - begin);
    std::size_t point = rows_.size();
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), point);
    if (error != std::errc() || point >= rows_.size() || rest == line.data() + line.size())
      throw core::InputError(fmt::format("{} is damaged: '{}'.", (folder_ / kJournal).string(), line),
                             std::string(kRestart));
    rows_[point] = rowFrom(line.substr(static_cast<std::size_t>(rest - line.data()) + 1));
  }
  // What was cut off by the end of an earlier process.
  const off_t whole = ::lseek(file_.get(), 0, SEEK_END) - static_cast<off_t>(content.size() - begin);
  if (begin < content.size() && ::ftruncate(file_.get(), whole) != 0)
    core::failAtFile((folder_ / kJournal).string(), "cannot be mended", errno, kRestart, "Check the disk.");
}

void Journal::add(std::size_t point, Row row) {
  append(fmt::format("{}\t{}\n", point, toLine(row)));
  rows_.at(point) = std::move(row);
}

void Journal::append(const std::string& line) {
  const int error = core::writeAll(file_.get(), line);
  if (error == 0) return;
  throw core::FileError(fmt::format("{} cannot be written: {}. Finished rows are kept.", (folder_ / kJournal).string(),
                                    std::generic_category().message(error)),
                        "Make room and start the study again; it continues.");
}

}  // namespace koppla::study
