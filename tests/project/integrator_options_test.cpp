// Which options have an effect with which integrator, and their limits.

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/project/reader.hpp"

#include "option_effects.hpp"

namespace koppla::project::integrator_options_test {
namespace {

using test::expectEffects;
using test::mistakes;
using test::warnings;
using test::Words;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Reading bodyWith(const std::string& lines) {
  return parse(
      "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n[[subsystems]]\nname = \"a\"\nmodel = "
      "\"oscillator-body\"\n" +
          lines,
      "loop.toml");
}

TEST(IntegratorOptions, OfIntegratorsAreThoseOfTheirKind) {
  Words integrators;
  for (const solver::Kind kind : solver::kKinds) integrators.emplace_back(solver::word(kind));
  const Words newmark{"newmark"};
  const Words anyBdf{"bdf", "bdf-fixed"};
  const Words tolerant{"cvode-adams", "cvode-bdf", "newmark", "bdf", "bdf-fixed", "radau", "radau-fixed"};
  for (const std::string& word : tolerant) ASSERT_THAT(integrators, Contains(word));
  expectEffects(integrators,
                {{"rtol = 1e-3", tolerant},
                 {"atol = 0", tolerant},
                 {"alpha = -0.25", newmark},
                 {"beta = 0.3", newmark},
                 {"gamma = 0.6", newmark},
                 {"corrected = false", newmark},
                 {"restart = false", {"cvode-adams", "cvode-bdf", "bdf", "bdf-fixed"}},
                 {"order = 1", anyBdf},
                 {"first_micro_step = 0.1", {"bdf"}},
                 {"min_micro_step = 0.1", {"bdf"}},
                 {"newton_tolerance = 0.1", {"bdf", "bdf-fixed", "cvode-bdf"}},
                 {"jacobian = \"T:F\"", anyBdf}},
                [](const std::string& kind, const std::string& line) {
                  return bodyWith("integrator = \"" + kind + "\"\n" + line + "\n");
                });
  EXPECT_THAT(
      warnings(bodyWith("integrator = \"ode9\"\nalpha = -0.25\norder = 1\nfirst_micro_step = 1\nrestart = true\n")),
      IsEmpty())
      << "a mistyped one may be meant to use them";
}

TEST(IntegratorOptions, JacobiansAreRenewedByAPattern) {
  const auto renewal = [](const std::string& pattern) {
    const Reading reading = bodyWith("integrator = \"bdf\"\njacobian = \"" + pattern + "\"\n");
    EXPECT_THAT(mistakes(reading), IsEmpty()) << pattern;
    return reading.project.subsystems.at(0).model->integrator.renewal;
  };
  EXPECT_EQ(renewal("auto"), std::vector<bool>{});
  EXPECT_EQ(renewal("T"), std::vector<bool>{true});
  EXPECT_EQ(renewal("F"), std::vector<bool>{false});
  EXPECT_EQ(renewal("T:F"), (std::vector<bool>{true, false}));
  EXPECT_EQ(renewal("F:T:F:F"), (std::vector<bool>{false, true, false, false}));
  for (const std::string pattern :
       {"T:", "T:F:", ":T", "TF", "T:X", "X", "T;F", "T:F F", "TFT", "T:FT", "auto:T", "T::F"})
    EXPECT_THAT(
        mistakes(bodyWith("integrator = \"bdf\"\njacobian = \"" + pattern + "\"\n")),
        ElementsAre("7:12 '" + pattern +
                    "' is no pattern of renewals. Write \"auto\", or T (renewed) and F (kept) for the iterations, "
                    "such as \"T:F:F:F\"."));
  EXPECT_THAT(mistakes(bodyWith("integrator = \"bdf\"\njacobian = \"\"\n")),
              ElementsAre(HasSubstr("7:12 'jacobian' says nothing.")));
}

TEST(IntegratorOptions, OfIntegratorsHaveTheirLimits) {
  EXPECT_THAT(mistakes(bodyWith("integrator = \"newmark\"\nalpha = -0.34\n")),
              ElementsAre(HasSubstr("7:9 'alpha' in ")));
  EXPECT_THAT(mistakes(bodyWith("integrator = \"newmark\"\nbeta = 0\n")),
              ElementsAre(HasSubstr("it must be above 0.")));
  EXPECT_THAT(mistakes(bodyWith("integrator = \"bdf\"\norder = 0\n")),
              ElementsAre(HasSubstr("it must be at least 1.")));
  EXPECT_THAT(mistakes(bodyWith("integrator = \"bdf\"\norder = 99\n")), ElementsAre(HasSubstr("it must be at most")));
  for (const bool restart : {false, true}) {
    const Reading reading =
        bodyWith(std::string("integrator = \"bdf\"\nrestart = ") + (restart ? "true\n" : "false\n"));
    EXPECT_EQ(reading.project.subsystems.at(0).model->integrator.restart, restart);
  }
  EXPECT_EQ(bodyWith("integrator = \"bdf\"\n").project.subsystems.at(0).model->integrator.restart, std::nullopt);
}

}  // namespace
}  // namespace koppla::project::integrator_options_test
