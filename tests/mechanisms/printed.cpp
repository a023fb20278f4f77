#include "printed.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace koppla::test {

void expectPrinted(double obtained, const std::string& printed, const std::string& what) {
  const std::size_t exponentAt = std::min(printed.find('e'), printed.size());
  const std::size_t point = printed.find('.');
  const auto decimals = point < exponentAt ? static_cast<int>(exponentAt - point) - 1 : 0;
  const int exponent = exponentAt < printed.size() ? std::stoi(printed.substr(exponentAt + 1)) : 0;
  const double expected = std::stod(printed);
  const double lastDigit = std::pow(10.0, exponent - decimals);
  EXPECT_NEAR(obtained, expected, std::fmax(0.1 * std::fabs(expected), lastDigit)) << what;
}

}  // namespace koppla::test
