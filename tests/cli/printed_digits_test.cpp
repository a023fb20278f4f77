// Programs that print few digits, without saying so, in loops that amplify what is lost.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"

namespace koppla::test::printed_digits_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// y = g u + (1 - g) pi, printed by awk; u = y.
class PrintedDigitsTest : public ::testing::Test {
 protected:
  /// What a run says on standard error.
  [[nodiscard]] std::string said(const std::string& format, double g, std::vector<std::string> more = {}) const {
    workspace_.write("law.awk",
                     fmt::format("{{ printf \"y = {}\\n\", $1 * $2 + (1 - $1) * 3.14159265358979 }}\n", format));
    workspace_.write("in.template", "{{g}} {{u}}\n");
    workspace_.write("loop.toml", fmt::format(R"(format = 1
simulation = {{ end = 0.3, step = 0.1 }}
algorithm = {{ kind = "iterated-gauss-seidel", rtol = 1e-4 }}
[[subsystems]]
name = "law"
program = ["awk", "-f", "law.awk", "in.txt"]
deck = {{ "in.txt" = "in.template" }}
include = ["law.awk"]
parameters.g = {}
inputs.u = {{ start = 0.0 }}
outputs.y = {{ file = "stdout.txt", reader = "key-value" }}
[[subsystems]]
name = "pass"
model = "expressions"
inputs = {{ y = 0.0 }}
outputs = {{ u = "y" }}
[[connections]]
from = "law.y"
to = "pass.y"
[[connections]]
from = "pass.u"
to = "law.u"
)",
                                              g));
    more.insert(more.begin(), {"run", "loop.toml", "--quiet", "--overwrite"});
    const Result result = workspace_.run(more);
    EXPECT_EQ(result.exitCode, 0) << result.all();
    return result.err;
  }

  Workspace workspace_;
};

/// Half a unit of the fourth digit of 3.142 is 0.0005, a thousand times that 0.5: 1600 tolerances of 1e-4.
TEST_F(PrintedDigitsTest, AreSeenInTheAnswersAndWarnedOf) {
  for (const char* start : {"solve", "start-values"})
    EXPECT_THAT(said("%.4g", 0.999, {"--set", std::string("simulation.initialisation=") + start}),
                HasSubstr("what is read from its files has 4 digits"))
        << start;
}

TEST_F(PrintedDigitsTest, AccuseNobodyWhoPrintsAll) {
  for (const double g : {0.5, 0.999}) EXPECT_THAT(said("%.17g", g), IsEmpty()) << g;
}

/// 0.0005 times 2 is within 3 tolerances of 1e-3.
TEST_F(PrintedDigitsTest, AreEnoughForLooseTolerances) {
  EXPECT_THAT(said("%.4g", 0.5, {"--set", "algorithm.rtol=1e-3"}), IsEmpty());
}

}  // namespace
}  // namespace koppla::test::printed_digits_test
