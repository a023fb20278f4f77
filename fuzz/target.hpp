#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// What a target does with one input, named as libFuzzer wants it. It returns, whatever the input: refusing is fine,
/// crashing, hanging and breaking a promise (`demand`) are findings.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace koppla::fuzz {

inline std::string_view textOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void demand(bool promise) {
  if (!promise) std::abort();
}

}  // namespace koppla::fuzz
