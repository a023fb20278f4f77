#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "koppla/core/fork_mark.hpp"
#include "koppla/fmi/fmi2_interface.hpp"
#include "koppla/subsystem/call_under_way.hpp"

namespace koppla::fmi {

template <std::size_t n>
struct FunctionName {
  consteval FunctionName(const char (&name)[n]) { std::copy_n(name, n, text); }  // NOLINT: as a literal is written
  char text[n]{};                                                                // NOLINT: must be structural
};

/// To be called where a function of an FMU has thrown, which FMI does not allow: keeps its words for takeThrown().
void noteThrown();
/// What the function threw when it was called last in this thread, in quotes; empty if nothing.
std::string takeThrown(std::string_view function);

/// A function of an FMU; null where the FMU lacks it. While it is called the thread's call under way says so; what it
/// throws becomes fmi2Fatal (no instance, no text), since nobody knows in what state it leaves the FMU. A child that it
/// forks ends where it returns.
template <FunctionName kName, class Signature>
class Function;

template <FunctionName kName, class Result, class... Arguments>
class Function<kName, Result(Arguments...)> {
 public:
  using Pointer = Result (*)(Arguments...);
  static constexpr const char* name() { return kName.text; }

  Function& operator=(Pointer pointer) {
    pointer_ = pointer;
    return *this;
  }
  operator Pointer() const { return pointer_; }  // NOLINT(google-explicit-constructor): to be compared with null

  [[gnu::always_inline]] Result operator()(Arguments... arguments) const {
    if constexpr (std::is_void_v<Result>) {
      amongOthers(arguments...);
      core::ForkMark::endIfForked();
      subsystem::callUnderWay.function = nullptr;
    } else {
      const Result result = amongOthers(arguments...);
      core::ForkMark::endIfForked();
      subsystem::callUnderWay.function = nullptr;
      return result;
    }
  }

  /// A call in a row of calls. That none is under way any more, and that no child goes on, is left to be said to
  /// whoever makes them.
  [[gnu::always_inline]] Result amongOthers(Arguments... arguments) const {
    subsystem::callUnderWay.function = name();
    try {
      return pointer_(arguments...);
    } catch (...) {
      noteThrown();
      if constexpr (std::is_same_v<Result, fmi2::Status>)
        return fmi2::Status::fatal;
      else
        return Result();
    }
  }

 private:
  Pointer pointer_ = nullptr;
};

}  // namespace koppla::fmi
