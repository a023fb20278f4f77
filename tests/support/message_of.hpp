#pragma once

#include <string>

#include <gtest/gtest.h>

namespace koppla::test {

/// The text of the error of the given type that the function throws.
template <typename Error, typename Function>
std::string messageOf(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace koppla::test
