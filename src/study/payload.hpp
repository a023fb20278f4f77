#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/core/error.hpp"

namespace koppla::study {

/// Values as bytes, for the pipe from a child process to its parent. Both are the same program on the same machine, so
/// numbers go as they lie in memory.
class Packer {
 public:
  void number(double value);
  void count(std::uint64_t value);
  void text(std::string_view value);
  void numbers(const std::vector<double>& values);
  void problems(const std::vector<core::Problem>& values);

  [[nodiscard]] std::string take() && { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size);

  std::string bytes_;
};

/// Reads them in the same order; core::InternalError where there are too few.
class Unpacker {
 public:
  /// The bytes outlive the reader.
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  double number();
  std::uint64_t count();
  std::string text();
  std::vector<double> numbers();
  std::vector<core::Problem> problems();

 private:
  void read(void* into, std::size_t size);

  std::string_view bytes_;
};

}  // namespace koppla::study
