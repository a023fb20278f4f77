#include "koppla/results/detail/hdf5_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/utf8.hpp"
#include "koppla/results/block_writer.hpp"
#include "koppla/results/detail/hdf5_pending.hpp"
#include "koppla/results/detail/turn.hpp"
#include "koppla/results/detail/write_failure.hpp"
#include "koppla/results/hdf5_names.hpp"

namespace koppla::results::detail {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{4} << 20U;
constexpr std::size_t kMostBlockRows = 1024;
// A chunk of short rows fills a page of the disk; that of a very long row is a part of it.
constexpr std::size_t kMostChunkRows = 512;
constexpr std::size_t kUsualChunkBytes = std::size_t{64} << 10U;
constexpr std::size_t kMostChunkBytes = std::size_t{1} << 20U;
/// Of the library's own tables for one dataset, when a block is added.
constexpr std::size_t kTableBytes = 4096;
/// Bytes on the disk beyond the end of the file, so many that a block seldom has to ask for more.
constexpr std::int64_t kReservedAhead = std::int64_t{8} << 20U;

struct Chunk {
  hsize_t rows;
  hsize_t elements;
};

Chunk chunkOf(std::size_t rowBytes, std::size_t elements) {
  const std::size_t parts = (rowBytes + kMostChunkBytes - 1) / kMostChunkBytes;  // of one row, about equal
  return {std::clamp<hsize_t>(kUsualChunkBytes / rowBytes, 1, kMostChunkRows), (elements + parts - 1) / parts};
}

std::size_t bytesOf(core::Type type) {
  switch (type) {
    case core::Type::real:
      return sizeof(double);
    case core::Type::boolean:
      return sizeof(std::uint8_t);
    case core::Type::string:
      return Hdf5Recorder::kTextBytes;
    default:
      return sizeof(std::int32_t);
  }
}

/// In the file; the same on every machine.
Hdf5Handle fileType(core::Type type) {
  switch (type) {
    case core::Type::real:
      return {H5Tcopy(H5T_IEEE_F64LE), H5Tclose};
    case core::Type::boolean:
      return {H5Tcopy(H5T_STD_U8LE), H5Tclose};
    case core::Type::string:
      return hdf5TextType(Hdf5Recorder::kTextBytes);
    default:
      return {H5Tcopy(H5T_STD_I32LE), H5Tclose};
  }
}

/// Of a fixed length: a damaged length of a text of its own kind, which lies elsewhere in the file, crashes the
/// library. Cut where no reader of ours would take it.
void addText(hid_t object, const char* name, std::string_view whole) {
  std::string text(core::fitting(whole, kMostTextBytes));
  if (text.empty()) text.push_back('\0');
  const Hdf5Handle type = hdf5TextType(text.size());
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(object, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(attribute.id(), type.id(), text.data());
}

void addNumber(hid_t object, const char* name, std::int64_t number) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(object, name, H5T_STD_I64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(attribute.id(), H5T_NATIVE_INT64, &number);
}

void describe(const Hdf5Dataset& plan, hid_t dataset) {
  addText(dataset, kHdf5Unit, plan.unit);
  addText(dataset, kHdf5Description, plan.description);
  addText(dataset, kHdf5Type, core::word(plan.type));
  addNumber(dataset, kHdf5Checksum, 0);
  if (plan.path == kTimePath) return;
  addText(dataset, kHdf5Name, plan.name);
  addNumber(dataset, kHdf5Column, static_cast<std::int64_t>(plan.column));
  if (plan.vector()) addNumber(dataset, kHdf5ColumnStep, static_cast<std::int64_t>(plan.columnStep));
  if (plan.type == core::Type::string) addNumber(dataset, kHdf5Cut, 0);
}

template <class Stored, class Value>
void append(std::vector<std::byte>& bytes, const std::vector<Value>& values, const Hdf5Dataset& plan) {
  const std::size_t before = bytes.size();
  bytes.resize(before + plan.elements * sizeof(Stored));
  std::byte* at = bytes.data() + before;
  if (std::is_same_v<Stored, Value> && plan.step == 1) {
    std::memcpy(at, values.data() + plan.first, plan.elements * sizeof(Stored));
    return;
  }
  for (std::size_t k = 0; k < plan.elements; ++k, at += sizeof(Stored)) {
    const auto stored = static_cast<Stored>(values[plan.first + k * plan.step]);
    std::memcpy(at, &stored, sizeof(Stored));
  }
}

template <class Stored>
void addNumbers(Hdf5Checksum& checksum, std::span<const std::byte> bytes) {
  for (; !bytes.empty(); bytes = bytes.subspan(sizeof(Stored))) {
    Stored value{};
    std::memcpy(&value, bytes.data(), sizeof(Stored));
    checksum.add(static_cast<double>(value));
  }
}

void addTo(Hdf5Checksum& checksum, core::Type type, std::span<const std::byte> bytes) {
  switch (type) {
    case core::Type::real:
      addNumbers<double>(checksum, bytes);
      break;
    case core::Type::boolean:
      addNumbers<std::uint8_t>(checksum, bytes);
      break;
    case core::Type::string:
      checksum.add(bytes);
      break;
    default:
      addNumbers<std::int32_t>(checksum, bytes);
      break;
  }
}

std::size_t roundedUp(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// A library that fails to begin a file leaks. So the system is asked first.
void tryToWrite(const std::filesystem::path& path) {
  BlockWriter trial(path);
  trial.advance(std::fill_n(trial.reserve(kTableBytes), kTableBytes, '\0'));
  trial.close();
}

}  // namespace

Hdf5Writer::Hdf5Writer(std::filesystem::path path, const std::vector<Column>& columns, const Facts& facts)
    : path_(std::move(path)), pendingPath_(pendingBeside(path_)) {
  prepareHdf5();
  std::size_t bytes = 0;
  for (Hdf5Dataset& plan : hdf5Layout(columns)) all_.push_back({std::move(plan)});
  all_.push_back({{kTimePath, kTimePath, core::Type::real, "s", "of the row", 0, 1, 0, 1, 1}});
  for (Open& open : all_) {
    open.memoryType = Hdf5Handle(H5Tget_native_type(fileType(open.plan.type).id(), H5T_DIR_ASCEND), H5Tclose);
    open.rowBytes = bytesOf(open.plan.type) * open.plan.elements;
    bytes += open.rowBytes;
  }
  for (const Column& column : columns)
    ++sizes_.at(column.type == core::Type::real      ? 0U
                : column.type == core::Type::boolean ? 2U
                : column.type == core::Type::string  ? 3U
                                                     : 1U);
  blockRows_ = std::clamp<std::size_t>(kBlockBytes / bytes, 1, kMostBlockRows);
  try {
    create(facts);
    startConcurrentReading();
  } catch (const std::exception&) {
    closeIntoMemory();
    throw;
  }
}

Hdf5Writer::~Hdf5Writer() {
  if (file_.valid()) closeIntoMemory();
}

void Hdf5Writer::require(bool done) {
  if (done) return;
  broken_ = true;
  const Hdf5Error error = hdf5Error();
  if (error.system != 0) failToWrite(path_, error.system);
  throw core::FileError(path_.string() + " cannot be written: " + error.text + ".", kRowsAreKept);
}

void Hdf5Writer::create(const Facts& facts) {
  tryToWrite(path_);
  const Hdf5Handle access = hdf5FileAccess();
  file_ = Hdf5Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  require(file_.valid());
  void* handle = nullptr;
  require(H5Fget_vfd_handle(file_.id(), access.id(), &handle) >= 0);
  descriptor_ = *static_cast<int*>(handle);
  identity_ = core::FileIdentity(descriptor_);
  ::fcntl(descriptor_, F_SETFD, FD_CLOEXEC);  // programs that a run starts have no business with it

  addNumber(file_.id(), kHdf5Format, kHdf5FormatNumber);
  for (const auto& [name, text] : facts) addText(file_.id(), name.c_str(), text);
  const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.id(), 1);
  H5Pset_char_encoding(links.id(), H5T_CSET_UTF8);
  for (const Open& open : all_) createDataset(open, links.id());
  require(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0);
}

void Hdf5Writer::createDataset(const Open& open, hid_t links) {
  const Hdf5Dataset& plan = open.plan;
  const Chunk chunk = chunkOf(open.rowBytes, plan.elements);
  const int rank = plan.vector() ? 2 : 1;
  const std::array<hsize_t, 2> none{0, plan.elements};
  const std::array<hsize_t, 2> most{H5S_UNLIMITED, plan.elements};
  const std::array<hsize_t, 2> chunked{chunk.rows, chunk.elements};
  const Hdf5Handle space(H5Screate_simple(rank, none.data(), most.data()), H5Sclose);
  const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties.id(), rank, chunked.data());
  // Not compressed: a chunk that is written again with more rows would need a new place each time its size changes, and
  // fields take ten times as long as without, longer than CSV, for half the size.
  const Hdf5Handle dataset(H5Dcreate2(file_.id(), plan.path.c_str(), fileType(plan.type).id(), space.id(), links,
                                      properties.id(), H5P_DEFAULT),
                           H5Dclose);
  require(dataset.valid());
  describe(plan, dataset.id());
}

void Hdf5Writer::startConcurrentReading() {
  require(H5Fstart_swmr_write(file_.id()) >= 0);
  for (Open& open : all_) {
    const Chunk chunk = chunkOf(open.rowBytes, open.plan.elements);
    const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    constexpr std::size_t kSlots = 11;
    const std::size_t chunkBytes = chunk.rows * chunk.elements * bytesOf(open.plan.type);
    H5Pset_chunk_cache(access.id(), kSlots, 2 * chunkBytes, 1.0);
    open.dataset = Hdf5Handle(H5Dopen2(file_.id(), open.plan.path.c_str(), access.id()), H5Dclose);
    require(open.dataset.valid());
  }
}

void Hdf5Writer::gather(Open& open, const core::Values& values) {
  switch (open.plan.type) {
    case core::Type::real:
      append<double>(open.pending, values.reals, open.plan);
      break;
    case core::Type::integer:
    case core::Type::enumeration:
      append<std::int32_t>(open.pending, values.integers, open.plan);
      break;
    case core::Type::boolean:
      append<std::uint8_t>(open.pending, values.booleans, open.plan);
      break;
    case core::Type::string:
      for (std::size_t k = 0; k < open.plan.elements; ++k) {
        const std::string& text = values.strings[open.plan.first + k * open.plan.step];
        const std::string_view kept = core::fitting(text, Hdf5Recorder::kTextBytes);
        open.cut += kept.size() < text.size() ? 1 : 0;
        const auto bytes = std::as_bytes(std::span(kept));
        const std::size_t before = open.pending.size();
        open.pending.insert(open.pending.end(), bytes.begin(), bytes.end());
        open.pending.resize(before + Hdf5Recorder::kTextBytes);
      }
      break;
  }
}

void Hdf5Writer::row(double time, const core::Values& values) {
  if (sizes_ != std::array{values.reals.size(), values.integers.size(), values.booleans.size(), values.strings.size()})
    throw core::InternalError("Hdf5Recorder: a row does not hold one value for each column.");
  const Turn turn(busy_, Turn::kAsLongAsItTakes);
  for (std::size_t i = 0; i + 1 < all_.size(); ++i) gather(all_[i], values);
  const auto bytes = std::as_bytes(std::span(&time, 1));
  all_.back().pending.insert(all_.back().pending.end(), bytes.begin(), bytes.end());
  if (++pending_ >= blockRows_) flushInTurn();
}

void Hdf5Writer::flush() {
  process_.endIfForked();
  const Turn turn(busy_, Turn::kAsLongAsItTakes);
  flushInTurn();
}

void Hdf5Writer::rescue() noexcept {
  const int before = errno;  // a signal may come between a call and the look at its error
  if (const Turn turn(busy_, Turn::kSecond); turn.owned() && pending_ > rescued_) {
    PendingFile beside(pendingPath_.c_str(), written_, pending_, all_.size());
    for (const Open& open : all_) beside.add(open.pending);
    rescued_ = pending_;
  }
  errno = before;
}

/// What is in the file need not be beside it.
void Hdf5Writer::forgetPending() noexcept {
  if (rescued_ > 0) ::unlink(pendingPath_.c_str());
  rescued_ = 0;
}

/// The library would write into whatever file has got its descriptor.
void Hdf5Writer::requireOwnFile() {
  if (broken_ || identity_.isOf(descriptor_)) return;
  broken_ = true;
  failAsForeign(path_);
}

void Hdf5Writer::flushInTurn() {
  if (pending_ == 0) return;
  const auto begin = std::chrono::steady_clock::now();
  writeBlock();
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void Hdf5Writer::writeBlock() {
  requireOwnFile();
  if (!broken_) reserve();
  require(!broken_);
  for (const Open& open : all_) write(open);
  require(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0);
  for (Open& open : all_) {
    addTo(open.checksum, open.plan.type, open.pending);
    open.pending.clear();
  }
  written_ += pending_;
  pending_ = 0;
  forgetPending();
}

/// A library that fails to write leaves its file, and itself, in disorder. So the system is asked for room first, some
/// blocks ahead and without a change of the file's size: to cut off after each block what it did not need would make
/// every block wait for the disk.
void Hdf5Writer::reserve() {
  std::size_t bytes = kTableBytes;
  for (const Open& open : all_) {
    const Chunk chunk = chunkOf(open.rowBytes, open.plan.elements);
    bytes += roundedUp(open.pending.size(), chunk.rows * open.rowBytes) + open.pending.size() / 8 + kTableBytes;
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const std::int64_t needed = status.st_size + static_cast<std::int64_t>(bytes);
  rlimit limit{};  // of which no reservation beyond the end of a file is told
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<rlim_t>(needed) > limit.rlim_cur)
    failToWrite(path_, EFBIG);
  if (needed <= reserved_) return;
  for (const std::int64_t ahead : {kReservedAhead, std::int64_t{0}}) {
    int result = 0;
    do {
      result = ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, status.st_size, needed - status.st_size + ahead);
    } while (result != 0 && errno == EINTR);
    if (result == 0) {
      reserved_ = needed + ahead;
      return;
    }
    if (!lacksRoom(errno)) return;  // some file systems cannot do it
  }
  failToWrite(path_, errno);
}

/// Gives back what was not needed.
void Hdf5Writer::release() {
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode))
    require(::ftruncate(descriptor_, status.st_size) == 0);
}

void Hdf5Writer::write(const Open& open) {
  const int rank = open.plan.vector() ? 2 : 1;
  const std::array<hsize_t, 2> all{written_ + pending_, open.plan.elements};
  const std::array<hsize_t, 2> from{written_, 0};
  const std::array<hsize_t, 2> count{pending_, open.plan.elements};
  require(H5Dset_extent(open.dataset.id(), all.data()) >= 0);
  const Hdf5Handle place(H5Dget_space(open.dataset.id()), H5Sclose);
  const Hdf5Handle block(H5Screate_simple(rank, count.data(), nullptr), H5Sclose);
  require(H5Sselect_hyperslab(place.id(), H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr) >= 0);
  require(H5Dwrite(open.dataset.id(), open.memoryType.id(), block.id(), place.id(), H5P_DEFAULT, open.pending.data()) >=
          0);
}

void Hdf5Writer::note(const Open& open, const char* name, std::int64_t number) {
  const Hdf5Handle attribute(H5Aopen(open.dataset.id(), name, H5P_DEFAULT), H5Aclose);
  require(H5Awrite(attribute.id(), H5T_NATIVE_INT64, &number) >= 0);
}

/// What is known of the datasets only now.
void Hdf5Writer::noteEnds() {
  for (const Open& open : all_) {
    if (open.cut != 0) note(open, kHdf5Cut, open.cut);
    note(open, kHdf5Checksum, open.checksum.value());
  }
}

void Hdf5Writer::close() {
  std::exception_ptr noRoom;
  try {
    flush();
  } catch (const core::FileError&) {
    if (broken_) throw;
    noRoom = std::current_exception();  // nothing of the last rows was written: the file can be closed without them
  }
  requireOwnFile();
  noteEnds();
  for (Open& open : all_) require(open.dataset.close());
  require(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0);
  release();
  require(file_.close());
  if (!identity_.isOf(path_)) failAsForeign(path_);
  if (noRoom) std::rethrow_exception(noRoom);
}

/// A library that could not write would try again when it closes the file. What it still has goes to a file in memory
/// instead, and the one on the disk stays as it is.
void Hdf5Writer::closeIntoMemory() {
  if (const int memory = ::memfd_create("koppla", MFD_CLOEXEC); memory >= 0) {
    if (descriptor_ >= 0) ::dup2(memory, descriptor_);
    ::close(memory);
  }
  for (Open& open : all_) open.dataset.close();
  file_.close();
}

}  // namespace koppla::results::detail
