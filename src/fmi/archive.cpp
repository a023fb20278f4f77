#include "koppla/fmi/archive.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "koppla/core/descriptor.hpp"
#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/interruption.hpp"
#include "koppla/fmi/findings.hpp"

namespace koppla::fmi {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDescription = "modelDescription.xml";
constexpr std::string_view kDamaged = "Fetch or export it again; 'unzip -t' tests an archive.";
constexpr std::string_view kTooLarge =
    "If you trust the FMU, set KOPPLA_UNPACK_LIMIT to the size that it may have unpacked, such as 8G.";
constexpr std::string_view kNoRoom = "Free space there, or set TMPDIR to a folder with more.";
constexpr std::string_view kOtherPlace =
    "Set TMPDIR to a folder that you may write to, or export the FMU with shorter file names.";
constexpr std::string_view kUntrusted = "No exporter writes such archives: do not use it unless you trust its source.";

struct ZipCloser {
  void operator()(zip_t* zip) const { zip_discard(zip); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Zip = std::unique_ptr<zip_t, ZipCloser>;
using ZipFile = std::unique_ptr<zip_file_t, ZipCloser>;

/// An entry that passed all checks.
struct Entry {
  zip_uint64_t index;
  std::string path;  ///< normalised: relative, '/' only, no '.', no '..'
  bool folder;
  bool executable;
  std::uint64_t size;
  std::uint64_t packedSize;
};

[[noreturn]] void refuse(const fs::path& archive, std::string message, std::string_view remedy) {
  throw inputError(archive.string(), std::move(message), remedy);
}

Zip open(const fs::path& archive) {
  std::error_code error;
  const fs::file_status status = fs::status(archive, error);
  if (!fs::exists(status)) refuse(archive, "There is no such file.", "Check the path of the FMU.");
  if (fs::is_directory(status)) refuse(archive, "This is a folder, not an FMU.", "Name the .fmu file.");
  int code = 0;
  Zip zip(zip_open(archive.c_str(), ZIP_RDONLY, &code));
  if (zip) return zip;
  zip_error_t reason;
  zip_error_init_with_code(&reason, code);
  const std::string why = zip_error_strerror(&reason);
  zip_error_fini(&reason);
  if (code == ZIP_ER_OPEN || code == ZIP_ER_READ)
    refuse(archive, fmt::format("The file cannot be read: {}.", why), "Check its permissions.");
  refuse(archive, fmt::format("This is no zip archive, or a part of it is missing: {}.", why), kDamaged);
}

/// The parts of a path between '/' and '\'; empty ones and '.' mean nothing and are left out.
std::vector<std::string_view> parts(std::string_view name) {
  std::vector<std::string_view> result;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("/\\"), name.size());
    const std::string_view part = name.substr(0, end);
    if (!part.empty() && part != ".") result.push_back(part);
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return result;
}

bool leadsOut(std::string_view name) {
  if (name.empty()) return false;
  if (name.front() == '/' || name.front() == '\\') return true;
  const std::vector<std::string_view> names = parts(name);
  if (std::ranges::find(names, "..") != names.end()) return true;
  return !names.empty() && names.front().size() >= 2 && names.front()[1] == ':' &&
         std::isalpha(static_cast<unsigned char>(names.front()[0])) != 0;
}

bool namesFolder(std::string_view name) {
  return name.ends_with('/') || name.ends_with('\\');
}

/// The Unix mode of an entry, 0 where its maker did not store one.
mode_t unixMode(zip_t* zip, zip_uint64_t index) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(zip, index, 0, &system, &attributes) != 0) return 0;
  if (system != ZIP_OPSYS_UNIX && system != ZIP_OPSYS_OS_X) return 0;
  return static_cast<mode_t>(attributes >> 16U);
}

Entry inspect(zip_t* zip, zip_uint64_t index, const fs::path& archive) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  const char* rawName = zip_get_name(zip, index, ZIP_FL_ENC_GUESS);
  if (rawName == nullptr || zip_stat_index(zip, index, 0, &stat) != 0 || (stat.valid & ZIP_STAT_SIZE) == 0)
    refuse(archive, fmt::format("Entry {} is damaged.", index + 1), kDamaged);
  const std::string_view name = rawName;
  if (leadsOut(name))
    refuse(archive, fmt::format("The entry '{}' leads out of the folder it is unpacked to.", name), kUntrusted);
  const mode_t mode = unixMode(zip, index);
  const mode_t kind = mode & S_IFMT;
  if (kind != 0 && kind != S_IFREG && kind != S_IFDIR)
    refuse(archive, fmt::format("The entry '{}' is a link or a device, not a file.", name),
           "Export the FMU with the file itself in its place.");
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE)
    refuse(archive, fmt::format("The entry '{}' is encrypted.", name), "Export the FMU without a password.");
  if ((stat.valid & ZIP_STAT_COMP_METHOD) != 0 && stat.comp_method != ZIP_CM_STORE &&
      stat.comp_method != ZIP_CM_DEFLATE)
    refuse(archive, fmt::format("The entry '{}' is compressed by a method that FMUs must not use.", name),
           "Pack the FMU again, with the method 'deflate'.");
  return {index,
          fmt::format("{}", fmt::join(parts(name), "/")),
          namesFolder(name) || kind == S_IFDIR,
          (mode & S_IXUSR) != 0,
          stat.size,
          stat.comp_size};
}

void refuseDoubles(const std::vector<Entry>& entries, const fs::path& archive) {
  std::unordered_set<std::string_view> files;
  for (const Entry& entry : entries)
    if (!entry.folder && !files.insert(entry.path).second)
      refuse(archive, fmt::format("The entry '{}' is there twice.", entry.path), kDamaged);
  for (const Entry& entry : entries) {
    const std::string_view path = entry.path;
    if (entry.folder && files.contains(path))
      refuse(archive, fmt::format("The entry '{}' is both a file and a folder.", path), kDamaged);
    for (std::size_t end = path.find('/'); end != std::string_view::npos; end = path.find('/', end + 1))
      if (files.contains(path.substr(0, end)))
        refuse(archive, fmt::format("The entry '{}' is both a file and a folder.", path.substr(0, end)), kDamaged);
  }
}

void refuseWithoutDescription(const std::vector<Entry>& entries, const fs::path& archive) {
  const auto has = [&](auto&& test) {
    return std::ranges::any_of(entries, [&](const Entry& entry) { return !entry.folder && test(entry.path); });
  };
  if (has([](const std::string& path) { return path == kDescription; })) return;
  std::string_view remedy = "Check that the file is an FMU.";
  if (has([](const std::string& path) { return path == "SystemStructure.ssd"; }))
    remedy = "It holds SystemStructure.ssd: this is an SSP package, not an FMU.";
  else if (has([](const std::string& path) { return path.ends_with("/modelDescription.xml"); }))
    remedy = "There is one in a folder of the archive: zip the content of that folder, not the folder itself.";
  refuse(archive, "The archive holds no modelDescription.xml.", remedy);
}

std::vector<Entry> plan(zip_t* zip, const fs::path& archive, const ArchiveLimits& limits) {
  const zip_int64_t count = zip_get_num_entries(zip, 0);
  if (count < 0 || static_cast<std::uint64_t>(count) > limits.entries)
    refuse(archive, fmt::format("The archive has {} entries; {} are accepted.", count, limits.entries), kUntrusted);
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(count));
  const std::uint64_t archiveSize = fs::file_size(archive);
  std::uint64_t total = 0;
  std::uint64_t packedTotal = 0;
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    Entry entry = inspect(zip, i, archive);
    if (entry.path.empty()) continue;
    // What is declared is what is unpacked at most: extract() stops where an entry goes on beyond its declared size.
    if (entry.size > limits.totalBytes - total)
      refuse(archive, fmt::format("The archive holds more than the {} bytes accepted.", limits.totalBytes), kTooLarge);
    total += entry.size;
    packedTotal += std::min(entry.packedSize, archiveSize + 1);  // which cannot wrap: there are few entries
    entries.push_back(std::move(entry));
  }
  if (packedTotal > archiveSize)
    refuse(archive, "The entries together are larger than the archive: they overlap.", kUntrusted);
  if (total > limits.ratioFloor && static_cast<double>(total) > limits.ratio * static_cast<double>(archiveSize))
    refuse(archive,
           fmt::format("The archive unpacks from {} to {} bytes, more than {:g} times its size.", archiveSize, total,
                       limits.ratio),
           kTooLarge);
  refuseDoubles(entries, archive);
  refuseWithoutDescription(entries, archive);
  return entries;
}

/// A file that is being unpacked.
class Target {
 public:
  Target(const Entry& entry, fs::path path, const fs::path& archive)
      : entry_(entry),
        path_(std::move(path)),
        archive_(archive),
        file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                     entry.executable ? S_IRWXU : S_IRUSR | S_IWUSR)) {
    if (file_.get() < 0) fail(errno);
  }

  void write(std::string_view bytes) const {
    if (const int error = core::writeAll(file_.get(), bytes); error != 0) fail(error);
  }
  /// Some file systems say only now that there was no room.
  void close() {
    if (const int error = file_.close(); error != 0) fail(error);
  }

 private:
  [[noreturn]] void fail(int error) const {
    core::failAtFile(fmt::format("{}: The entry '{}'", archive_.string(), entry_.path),
                     "cannot be unpacked to " + path_.string(), error, kOtherPlace, kNoRoom);
  }

  const Entry& entry_;
  fs::path path_;
  const fs::path& archive_;
  core::Descriptor file_;
};

/// Inflates one entry; libzip compares size and checksum with the declared ones at its end.
void extract(zip_t* zip, const Entry& entry, const fs::path& path, const fs::path& archive) {
  const ZipFile from(zip_fopen_index(zip, entry.index, 0));
  if (!from)
    refuse(archive, fmt::format("The entry '{}' cannot be unpacked: {}.", entry.path, zip_strerror(zip)), kDamaged);
  Target to(entry, path, archive);
  std::vector<char> buffer(std::size_t{1} << 16U);
  std::uint64_t written = 0;
  while (true) {
    if (core::interruptionRequested())
      throw core::Interrupted(fmt::format("Interrupted while {} was unpacked.", archive.string()));
    const zip_int64_t read = zip_fread(from.get(), buffer.data(), buffer.size());
    if (read < 0)
      refuse(archive,
             fmt::format("The entry '{}' cannot be unpacked: {}.", entry.path,
                         zip_error_strerror(zip_file_get_error(from.get()))),
             kDamaged);
    if (read == 0) break;
    written += static_cast<std::uint64_t>(read);
    if (written > entry.size)
      refuse(archive, fmt::format("The entry '{}' is larger than the {} bytes it declares.", entry.path, entry.size),
             kUntrusted);
    to.write({buffer.data(), static_cast<std::size_t>(read)});
  }
  if (written != entry.size)
    refuse(archive, fmt::format("The entry '{}' ends after {} of {} bytes.", entry.path, written, entry.size),
           kDamaged);
  to.close();
}

/// Says before anything is written what would be found out when the disk is full.
void failWithoutRoom(const std::vector<Entry>& entries, const fs::path& folder, const fs::path& archive) {
  std::uint64_t total = 0;
  for (const Entry& entry : entries) total += entry.size;
  std::error_code unknown;
  const fs::space_info space = fs::space(folder, unknown);
  if (unknown || space.available >= total) return;
  throw core::FileError(fmt::format("{}: The archive has {} bytes unpacked; {} are free below {}.", archive.string(),
                                    total, space.available, folder.parent_path().string()),
                        std::string(kNoRoom));
}

}  // namespace

ArchiveLimits archiveLimits() {
  ArchiveLimits limits;
  const char* const given = std::getenv("KOPPLA_UNPACK_LIMIT");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (given == nullptr || *given == '\0') return limits;
  const std::string_view text = given;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limits.totalBytes);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::array<std::string_view, 4> kUnits{"", "K", "M", "G"};  // each 1024 of the one before
  const auto* const known = std::ranges::find(kUnits, unit);
  const auto shift = static_cast<unsigned>(10 * (known - kUnits.begin()));
  if (error != std::errc{} || known == kUnits.end() ||
      limits.totalBytes > (std::numeric_limits<std::uint64_t>::max() >> shift))
    throw core::InputError(fmt::format("The environment's KOPPLA_UNPACK_LIMIT is '{}', which is no size.", text),
                           "Give a number of bytes, or one with K, M or G: 8G.");
  limits.totalBytes <<= shift;
  limits.ratio = std::numeric_limits<double>::infinity();
  return limits;
}

core::TemporaryFolder unpack(const fs::path& archive, const ArchiveLimits& limits) {
  const Zip zip = open(archive);
  const std::vector<Entry> entries = plan(zip.get(), archive, limits);
  try {
    core::TemporaryFolder folder("fmu");
    failWithoutRoom(entries, folder.path(), archive);
    for (const Entry& entry : entries) {
      const fs::path target = folder.path() / entry.path;
      fs::create_directories(entry.folder ? target : target.parent_path());
      if (!entry.folder) extract(zip.get(), entry, target, archive);
    }
    return folder;
  } catch (const fs::filesystem_error& error) {
    core::failAtFile(archive.string(), "cannot be unpacked to " + error.path1().string(), error.code().value(),
                     kOtherPlace, kNoRoom);
  }
}

}  // namespace koppla::fmi
