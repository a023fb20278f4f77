#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <hdf5.h>

namespace koppla::results::detail {

/// Owns an object of the HDF5 library.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  /// A negative identifier is a call that failed: nothing is owned.
  Hdf5Handle(hid_t id, Close how) : id_(id), close_(how) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  ~Hdf5Handle() { close(); }

  [[nodiscard]] bool valid() const { return id_ >= 0; }
  [[nodiscard]] hid_t id() const { return id_; }
  /// Whether closing worked, or there was nothing to close.
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// To be called before all else. Makes the library silent: its errors are read with hdf5Error(). And it shall not clean
/// up at the end of the process: it would try once more to write what it could not write, and crash over it.
void prepareHdf5();

/// Why the last call of the library failed.
struct Hdf5Error {
  int system = 0;    ///< errno, where the system refused something
  std::string text;  ///< the library's own words for the innermost cause
};
Hdf5Error hdf5Error();

/// How files are opened: format of 1.10, which knows one writer with many readers, and no locks, which some file
/// systems lack (a run locks its folder).
Hdf5Handle hdf5FileAccess();

/// Of an attribute: a longer one is taken for damage.
inline constexpr std::size_t kMostTextBytes = std::size_t{1} << 20U;

/// Texts of a fixed width; what is not used is zero.
Hdf5Handle hdf5TextType(std::size_t bytes);

}  // namespace koppla::results::detail
