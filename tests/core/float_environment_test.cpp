#include "koppla/core/float_environment.hpp"

#include <cfenv>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::core::float_environment_test {
namespace {

/// What a thread may be switched to, and how.
struct Way {
  std::string name;
  void (*enter)();
};

template <int kRounding>
void round() {
  std::fesetround(kRounding);
}

#if defined(__x86_64__)
template <unsigned kBits>
void addToControl() {
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | kBits);
}
#endif

/// All but the usual one.
std::vector<Way> unusualWays() {
  std::vector<Way> ways{{"up", round<FE_UPWARD>}, {"down", round<FE_DOWNWARD>}, {"to zero", round<FE_TOWARDZERO>}};
#if defined(__x86_64__)
  constexpr unsigned kFlushToZero = 0x8000;
  constexpr unsigned kDenormalsAreZeros = 0x0040;
  ways.push_back({"results flushed to zero", addToControl<kFlushToZero>});
  ways.push_back({"denormal numbers taken for zero", addToControl<kDenormalsAreZeros>});
#endif
  return ways;
}

TEST(FloatEnvironment, TheUsualOneIsTakenForUsual) {
  EXPECT_TRUE(computesAsUsual());
  EXPECT_TRUE(FloatEnvironment().isPresent());
}

TEST(FloatEnvironment, EveryOtherOneIsNoticedAndPutBack) {
  const FloatEnvironment usual;
  for (const Way& way : unusualWays()) {
    way.enter();
    // Nothing else is computed meanwhile.
    const bool computes = computesAsUsual();
    const bool present = usual.isPresent();
    usual.restore();
    EXPECT_FALSE(computes) << way.name;
    EXPECT_FALSE(present) << way.name;
    EXPECT_TRUE(computesAsUsual()) << "after " << way.name;
    EXPECT_TRUE(usual.isPresent()) << "after " << way.name;
  }
}

TEST(FloatEnvironment, FlagsOfPastOperationsAreNoPartOfIt) {
  const FloatEnvironment before;
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_INEXACT | FE_UNDERFLOW);
  EXPECT_TRUE(before.isPresent());
  EXPECT_TRUE(computesAsUsual());
  std::feclearexcept(FE_ALL_EXCEPT);
}

}  // namespace
}  // namespace koppla::core::float_environment_test
