#include "with_solvers.hpp"

#include <cstdlib>

namespace koppla::solvers {

void WithSolvers::SetUp() {
  for (const std::string& program : programs_) {
    if (std::system(("command -v '" + program + "' > /dev/null").c_str()) == 0) continue;
    ASSERT_EQ(std::getenv("KOPPLA_NEED_SOLVERS"), nullptr) << "There is no " << program << " in PATH.";
    GTEST_SKIP() << "There is no " << program << " here; make test-solvers installs it.";
  }
}

}  // namespace koppla::solvers
