#pragma once

namespace koppla::core {

/// A file descriptor that is closed on destruction; never one of the three standard ones.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number);
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return number_; }
  /// 0, or the system's reason: some file systems report a full disk or an exceeded quota only here.
  int close();

 private:
  int number_ = -1;
};

}  // namespace koppla::core
