#pragma once

#include <cstddef>

namespace koppla::test {

/// Calls of operator new so far, in a program that links koppla_test_allocations.
std::size_t allocations();

}  // namespace koppla::test
