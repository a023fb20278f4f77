#pragma once

#include <cfenv>
#include <cstdint>
#include <limits>

namespace koppla::core {

/// How a thread's processor computes: rounding, denormal numbers, traps. It belongs to the thread, so that foreign code
/// which changes it and returns changes all numbers that come after. Sticky flags are no part of it.
class FloatEnvironment {
 public:
  /// The present one.
  FloatEnvironment() : control_(control()), extended_(extended()) {}

  [[nodiscard]] bool isPresent() const { return control() == control_ && extended() == extended_; }

  void restore() const {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(control_);
    asm volatile("fldcw %0" : : "m"(extended_));
#elif defined(__aarch64__)
    const std::uint64_t control = control_;
    asm volatile("msr fpcr, %0" : : "r"(control));
#else
    std::fesetround(static_cast<int>(control_));
#endif
  }

 private:
  /// Of the arithmetic of float and double.
  static std::uint32_t control() {
#if defined(__x86_64__)
    constexpr std::uint32_t kFlags = 0x3FU;
    return __builtin_ia32_stmxcsr() & ~kFlags;
#elif defined(__aarch64__)
    std::uint64_t control = 0;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return static_cast<std::uint32_t>(control);
#else
    return static_cast<std::uint32_t>(std::fegetround());
#endif
  }
  /// Of the arithmetic of long double, where that is another.
  static std::uint16_t extended() {
#if defined(__x86_64__)
    std::uint16_t control = 0;
    asm volatile("fnstcw %0" : "=m"(control));
    return control;
#else
    return 0;
#endif
  }

  std::uint32_t control_;
  std::uint16_t extended_;
};

/// Whether doubles are rounded to the nearest and denormal numbers are kept, as programs expect it. Found out by
/// computing, since to read the register costs more than a small FMU's whole step; of traps this says nothing.
[[gnu::always_inline]] inline bool computesAsUsual() {
  double one = 1.0;
  double denormal = std::numeric_limits<double>::denorm_min();
  // The compiler must not compute in advance.
#if defined(__x86_64__)
  asm volatile("" : "+x"(one), "+x"(denormal));
#else
  asm volatile("" : "+m"(one), "+m"(denormal));
#endif
  constexpr double kLast = std::numeric_limits<double>::epsilon();
  // Rounded to the nearest, 3/4 of the last digit become one and 1/4 none; in all other ways both become the same.
  return (one + 0.75 * kLast) - (one + 0.25 * kLast) == kLast && denormal + denormal != 0.0;
}

}  // namespace koppla::core
