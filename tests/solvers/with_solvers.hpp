#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::solvers {

/// Tests that need these programs in PATH. Where one is missing they are skipped, and with KOPPLA_NEED_SOLVERS in the
/// environment (`make test-solvers`) they fail.
class WithSolvers : public testing::Test {
 protected:
  explicit WithSolvers(std::vector<std::string> programs) : programs_(std::move(programs)) {}
  void SetUp() override;

 private:
  std::vector<std::string> programs_;
};

}  // namespace koppla::solvers
