#include "support/figure.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "koppla/core/value.hpp"

namespace koppla::test {

namespace {

/// Tests of several programs may have the same name.
std::string nameOf(const testing::TestInfo& test) {
  return std::string(program_invocation_short_name) + "." + test.test_suite_name() + "." + test.name();
}

/// One call of write(2) a line, so that lines of tests that run at the same time do not mix.
void append(const std::string& line) {
  const char* ledger = std::getenv("KOPPLA_LEDGER");  // NOLINT(concurrency-mt-unsafe)
  if (ledger != nullptr) std::ofstream(ledger, std::ios::app) << line + '\n';
}

/// Writes how tests end that have shown figures.
class Outcomes final : public testing::EmptyTestEventListener {
 public:
  /// The ledger's name of the running test.
  std::string running() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    if (test == nullptr) throw std::logic_error("A figure is shown outside a test.");
    shows_ = true;
    return nameOf(*test);
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    if (shows_)
      append("end\t" + nameOf(test) + '\t' +
             (test.result()->Failed()    ? "fail"
              : test.result()->Skipped() ? "skip"
                                         : "pass"));
    shows_ = false;
  }

 private:
  bool shows_ = false;
};

/// The listeners own it.
Outcomes& outcomes() {
  static Outcomes* const listener = [] {
    auto* const created = new Outcomes;
    testing::UnitTest::GetInstance()->listeners().Append(created);
    return created;
  }();
  return *listener;
}

void write(const Demand& demand, const std::string& obtained, const char* verdict) {
  append(std::string(demand.requirement) + '\t' + std::string(demand.figure) + '\t' + verdict + '\t' + demand.demanded +
         '\t' + obtained + '\t' + outcomes().running());
}

}  // namespace

void showFigure(const Demand& demand, const std::string& obtained, bool holds) {
  EXPECT_TRUE(holds) << demand.requirement << " " << demand.figure << ": demanded " << demand.demanded << ", obtained "
                     << obtained;
  write(demand, obtained, holds ? "pass" : "fail");
}

void showUnmet(const Demand& demand, const std::string& obtained) {
  write(demand, obtained, "unmet");
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
