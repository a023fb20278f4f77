#include "support/figure.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "koppla/core/value.hpp"

namespace koppla::test {

void showFigure(const Demand& demand, const std::string& obtained, bool holds) {
  EXPECT_TRUE(holds) << demand.requirement << " " << demand.figure << ": demanded " << demand.demanded << ", obtained "
                     << obtained;
  const char* ledger = std::getenv("KOPPLA_LEDGER");  // NOLINT(concurrency-mt-unsafe)
  if (ledger == nullptr) return;
  std::ofstream(ledger, std::ios::app) << demand.requirement << '\t' << demand.figure << '\t'
                                       << (holds ? "pass" : "fail") << '\t' << demand.demanded << '\t' << obtained
                                       << '\n';
}

void showEqual(const Demand& demand, double obtained, double expected) {
  showFigure(demand, core::text(obtained), obtained == expected);
}

void showAtMost(const Demand& demand, double obtained, double limit) {
  showFigure(demand, core::text(obtained), obtained <= limit);
}

void showWithin(const Demand& demand, double obtained, double expected, double distance) {
  showFigure(demand, core::text(obtained), std::fabs(obtained - expected) <= distance);
}

}  // namespace koppla::test
