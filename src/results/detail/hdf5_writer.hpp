#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "koppla/core/file_identity.hpp"
#include "koppla/core/process_mark.hpp"
#include "koppla/results/detail/hdf5_checksum.hpp"
#include "koppla/results/detail/hdf5_layout.hpp"
#include "koppla/results/detail/hdf5_library.hpp"
#include "koppla/results/hdf5_recorder.hpp"

namespace koppla::results::detail {

/// Writes rows to an HDF5 file in blocks. After every block the file is sound and as long as it need be.
class Hdf5Writer {
 public:
  Hdf5Writer(std::filesystem::path path, const std::vector<Column>& columns, const Facts& facts);
  /// What close() would have written is lost without it.
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void row(double time, const core::Values& values);
  void flush();
  void close();
  [[nodiscard]] double seconds() const { return seconds_; }  ///< to write blocks
  /// Writes rows that are not in the file to one beside it, from another thread or a signal handler; for a reader they
  /// are the same. Gives up where the writer itself is at work for longer than a second.
  void rescue() noexcept;

 private:
  /// A dataset with its rows that are not written yet.
  struct Open {
    Hdf5Dataset plan;
    Hdf5Handle dataset{};
    Hdf5Handle memoryType{};
    std::size_t rowBytes = 0;
    std::vector<std::byte> pending{};
    std::int64_t cut = 0;     ///< texts that were too long
    Hdf5Checksum checksum{};  ///< of what is written
  };

  void flushInTurn();
  void writeBlock();
  void forgetPending() noexcept;
  void create(const Facts& facts);
  void createDataset(const Open& open, hid_t links);
  void startConcurrentReading();
  static void gather(Open& open, const core::Values& values);
  void requireOwnFile();
  void reserve();
  void release();
  void write(const Open& open);
  void note(const Open& open, const char* name, std::int64_t number);
  void noteEnds();
  void closeIntoMemory();
  /// Throws where the library failed, and lets nobody call it again.
  void require(bool done);

  std::filesystem::path path_;
  std::filesystem::path pendingPath_;
  std::size_t rescued_ = 0;         ///< of the pending rows
  std::atomic<bool> busy_ = false;  ///< somebody looks at the pending rows, or changes them
  Hdf5Handle file_;
  core::FileIdentity identity_;
  core::ProcessMark process_;
  int descriptor_ = -1;    ///< the library's own, of the file
  std::vector<Open> all_;  ///< by column, and the time behind them: a row whose time can be read is there as a whole
  std::array<std::size_t, 4> sizes_{};  ///< of the arrays of a row
  std::size_t written_ = 0;             ///< rows
  std::size_t pending_ = 0;             ///< rows
  std::size_t blockRows_ = 1;
  bool broken_ = false;
  std::int64_t reserved_ = 0;  ///< bytes of the file that the system has granted
  double seconds_ = 0.0;
};

}  // namespace koppla::results::detail
