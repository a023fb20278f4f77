#pragma once

#include <cstddef>

namespace koppla::test {

/// Calls of operator new so far, in a program that links koppla_test_allocations.
std::size_t allocations();
/// Bytes asked for by these calls.
std::size_t allocatedBytes();

}  // namespace koppla::test
