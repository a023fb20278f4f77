#include "koppla/fmi/function.hpp"

#include <exception>
#include <utility>

#include <cxxabi.h>
#include <fmt/format.h>

#include "koppla/core/utf8.hpp"

namespace koppla::fmi {

namespace {

constexpr std::size_t kLongestWords = 1000;  // bytes

thread_local std::string thrower;
thread_local std::string thrownWords;

}  // namespace

void noteThrown() {
  thrower = subsystem::callUnderWay.function;
  subsystem::callUnderWay.function = nullptr;
  try {
    throw;
  } catch (const abi::__forced_unwind&) {  // the thread is being ended, which goes on
    throw;
  } catch (const std::exception& error) {
    const char* const words = error.what();
    thrownWords = fmt::format("'{}'", words != nullptr ? core::fitting(words, kLongestWords) : "");
  } catch (...) {
    thrownWords = "of an unknown type";
  }
}

std::string takeThrown(std::string_view function) {
  return thrower == function ? std::exchange(thrownWords, {}) : std::string();
}

}  // namespace koppla::fmi
