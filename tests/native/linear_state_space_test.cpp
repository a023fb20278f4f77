#include "koppla/native/linear_state_space.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "model_access.hpp"

namespace koppla::native {
namespace {

using test::inputError;

LinearStateSpace example() {
  return {.inputs = {"u1", "u2"},
          .outputs = {"y"},
          .states = {"a", "b"},
          .A = {{1.0, 2.0}, {3.0, 4.0}},
          .B = {{5.0, 6.0}, {7.0, 8.0}},
          .C = {{9.0, 10.0}},
          .D = {{0.0, 11.0}},
          .x0 = {1.0, -1.0}};
}

std::string mistakeAfter(const std::function<void(LinearStateSpace&)>& change) {
  LinearStateSpace settings = example();
  change(settings);
  return inputError([&] { linearStateSpace(settings); });
}

TEST(LinearStateSpace, MultipliesByItsMatrices) {
  const auto model = linearStateSpace(example());
  EXPECT_EQ(test::startOf(*model), (std::vector<double>{1.0, -1.0}));
  EXPECT_EQ(test::derivativesOf(*model, {1.0, -1.0}, {1.0, 2.0}), (std::vector<double>{16.0, 22.0}));
  EXPECT_EQ(test::outputsOf(*model, {1.0, -1.0}, {1.0, 2.0}), (std::vector<double>{21.0}));
  test::setPort(*model, "b.start", 4.0);
  EXPECT_EQ(test::startOf(*model), (std::vector<double>{1.0, 4.0}));
}

TEST(LinearStateSpace, FeedThroughIsWhereDIsNotZero) {
  const auto model = linearStateSpace(example());
  EXPECT_EQ(*model->describe().dependenciesOf(2), std::vector<subsystem::PortIndex>{1});
}

TEST(LinearStateSpace, NeedsOnlyWhatHasASize) {
  const auto gain = linearStateSpace(
      {.inputs = {"u"}, .outputs = {"y"}, .states = {}, .A = {}, .B = {}, .C = {}, .D = {{3.0}}, .x0 = {}});
  EXPECT_EQ(gain->stateCount(), 0U);
  EXPECT_EQ(test::outputsOf(*gain, {}, {2.0}), std::vector<double>{6.0});
  const auto decay = linearStateSpace(
      {.inputs = {}, .outputs = {"y"}, .states = {}, .A = {{-2.0}}, .B = {}, .C = {{1.0}}, .D = {}, .x0 = {}});
  EXPECT_EQ(test::startOf(*decay), std::vector<double>{0.0});
  EXPECT_EQ(test::derivativesOf(*decay, {3.0}), std::vector<double>{-6.0});
  EXPECT_TRUE(decay->describe().find("x1.start").has_value());
}

TEST(LinearStateSpace, MistakesAreNamed) {
  const std::string where = "linear-state-space: ";
  EXPECT_EQ(mistakeAfter([](auto& s) { s.A.pop_back(); }),
            where + "the matrix A has 1 rows. It must be 2 x 2: states x states.");
  EXPECT_EQ(mistakeAfter([](auto& s) { s.A[1].push_back(1.0); }),
            where + "row 2 of A has 3 values. It must be 2 x 2: states x states.");
  EXPECT_EQ(mistakeAfter([](auto& s) { s.B.clear(); }),
            where + "the matrix B has 0 rows. It must be 2 x 2: states x inputs.");
  EXPECT_EQ(mistakeAfter([](auto& s) {
              s.C.push_back({1.0, 2.0});
            }),
            where + "the matrix C has 2 rows. It must be 1 x 2: outputs x states.");
  EXPECT_EQ(mistakeAfter([](auto& s) { s.D[0].pop_back(); }),
            where + "row 1 of D has 1 values. It must be 1 x 2: outputs x inputs.");
  EXPECT_EQ(mistakeAfter([](auto& s) { s.x0.pop_back(); }),
            where + "x0 has 1 values. It needs one for each of the 2 states.");
  EXPECT_EQ(mistakeAfter([](auto& s) { s.B[1][0] = std::nan(""); }), where + "B(2, 1) is nan. Give a finite number.");
  EXPECT_EQ(mistakeAfter([](auto& s) { s.x0[0] = HUGE_VAL; }),
            where + "parameter 'a.start' is inf. Give a finite number.");
  EXPECT_EQ(mistakeAfter([](auto& s) { s.outputs[0] = "u1"; }),
            where + "the name 'u1' is used twice. Rename one of the two.");
  EXPECT_EQ(mistakeAfter([](auto& s) { s.states[0] = ""; }),
            where + "a name is empty. Give every port and state a name.");
}

TEST(LinearStateSpace, AllMistakesAreListed) {
  const std::string text = mistakeAfter([](auto& s) {
    s.A.clear();
    s.x0.clear();
    s.C.clear();
  });
  EXPECT_EQ(text,
            "linear-state-space: the matrix A has 0 rows. It must be 2 x 2: states x states.\n"
            "linear-state-space: the matrix C has 0 rows. It must be 1 x 2: outputs x states.");
}

}  // namespace
}  // namespace koppla::native
