#pragma once

#include <bit>
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

using Floats [[gnu::vector_size(16)]] = float;
inline constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
inline constexpr Floats kTestNumbers{1.0F, 1.0F, kDenormal, kDenormal};

/// Whether numbers are rounded to the nearest and denormal ones are kept, as programs expect it. Found out by
/// computing, since to read the register costs more than a small FMU's whole step; of traps this says nothing. One
/// addition of four floats at once is enough, since the register rules over floats and doubles alike. `numbers` are the
/// test numbers; whoever keeps them where they may change finds out about that, too.
[[gnu::always_inline]] inline bool computesAsUsual(const Floats& numbers = kTestNumbers) {
  using Bits [[gnu::vector_size(16)]] = std::int32_t;
  constexpr float kLast = std::numeric_limits<float>::epsilon();
  Floats sums = numbers;
  // The compiler must not compute in advance.
#if defined(__x86_64__)
  asm volatile("" : "+x"(sums));
#else
  asm volatile("" : "+m"(sums));
#endif
  // Rounded to the nearest, 3/4 of the last digit become one and 1/4 none; in all other ways both become the same.
  sums += Floats{0.75F * kLast, 0.25F * kLast, kDenormal, kDenormal};
  // As bits, since whoever takes denormal numbers for zero finds them equal to it.
  constexpr Bits kUsual{std::bit_cast<std::int32_t>(1.0F + kLast), std::bit_cast<std::int32_t>(1.0F), 2, 2};
  const Bits same = std::bit_cast<Bits>(sums) == kUsual;
#if defined(__x86_64__)
  return __builtin_ia32_movmskps(std::bit_cast<Floats>(same)) == 0b1111;
#else
  return (same[0] & same[1] & same[2] & same[3]) != 0;
#endif
}

}  // namespace koppla::core
