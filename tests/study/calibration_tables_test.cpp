// What a calibration writes and prints, to the letter.

#include <gtest/gtest.h>

#include "koppla/study/calibration.hpp"

#include "static_function.hpp"

namespace koppla::study::calibration_tables_test {
namespace {

using coupling::AdaptiveParameters;

CalibrationModel model(std::string name) {
  const auto half = [] { return test::staticFunction([](double y) { return 0.5 * y; }); };
  return {std::move(name), half, half, 1.0};
}

Calibration calibration() {
  Calibration result;
  result.common.first = 0.75;
  result.iteration.most = 50;
  result.models = {model("lin 5"), model("my \"own\"")};
  result.axes = {{"gain", &AdaptiveParameters::gain, {1.0, 2.0, 3.0}},
                 {"mass", &AdaptiveParameters::mass, {0.25, 1.0 / 3.0}}};
  return result;
}

CalibratedSet set(std::string name, double gain, double objective = std::numeric_limits<double>::quiet_NaN()) {
  CalibratedSet result;
  result.name = std::move(name);
  result.parameters = {.first = 0.5, .gain = gain, .mass = 0.125};
  result.objective = objective;
  result.eta = {0.6, 0.8};
  result.statistics = {
      .least = 0.01, .lowerQuartile = 0.02, .median = 0.03, .upperQuartile = 0.04, .most = 0.05, .mean = 0.06};
  result.worse = 7;
  return result;
}

CalibrationResult result() {
  CalibrationResult all;
  all.unrelaxed = {11, 12};
  all.best = {set("1", 1.23456, 0.71234), set("2", 3.0, 0.75)};
  all.named = {set("L(1,a)", 1.1111)};
  return all;
}

TEST(CalibrationCsv, OfModelsTellsTheIterationsUnrelaxed) {
  EXPECT_EQ(modelsCsv(calibration(), result()), "\"model\",\"unrelaxed\"\n\"lin 5\",11\n\"my \"\"own\"\"\",12\n");
}

/// The root of the mean square of 0.6 and 0.8 is sqrt(1/2).
TEST(CalibrationCsv, OfSetsTellsParametersStatisticsAndEveryModel) {
  EXPECT_EQ(
      setsCsv(calibration(), {set("1", 1.23456, 0.7), set("own", 2.0)}),
      "\"set\",\"first\",\"gain\",\"mass\",\"eta_global\",\"rms\",\"mean\",\"least\",\"lower_quartile\",\"median\","
      "\"upper_quartile\",\"most\",\"worse\",\"eta(lin 5)\",\"eta(my \"\"own\"\")\"\n"
      "\"1\",0.5,1.23456,0.125,0.7,0.7071067811865476,0.06,0.01,0.02,0.03,0.04,0.05,7,0.6,0.8\n"
      "\"own\",0.5,2,0.125,,0.7071067811865476,0.06,0.01,0.02,0.03,0.04,0.05,7,0.6,0.8\n");
}

TEST(CalibrationCsv, OfTheFieldHasALineForEverySet) {
  CalibrationResult with = result();
  with.objective = {1, 2, 3, 4, 5, 6};
  const std::string third = "0.3333333333333333";
  EXPECT_EQ(fieldCsv(calibration(), with), "\"gain\",\"mass\",\"eta_global\"\n1,0.25,1\n1," + third +
                                               ",2\n2,0.25,3\n2," + third + ",4\n3,0.25,5\n3," + third + ",6\n");
  with.smoothed = {{10, 20, 30, 40, 50, 60}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}};
  EXPECT_EQ(fieldCsv(calibration(), with),
            "\"gain\",\"mass\",\"eta_global\",\"smoothed(lin 5)\",\"smoothed(my \"\"own\"\")\"\n1,0.25,1,10,0.1\n1," +
                third + ",2,20,0.2\n2,0.25,3,30,0.3\n2," + third + ",4,40,0.4\n3,0.25,5,50,0.5\n3," + third +
                ",6,60,0.6\n");
}

const std::string kHead =
    "  set    gain    mass   eta_global    mean   least    25 %   median    75 %    most   worse\n";

TEST(CalibrationText, RanksTheBestSetsAndComparesTheCalibratedOnes) {
  EXPECT_EQ(calibrationText(calibration(), result()),
            "L/NL, one result relaxed, first factor 0.75: 6 sets on 2 models at 0.001\n\n" + kHead +
                "    1   1.235   0.125       0.7123   0.060   0.010   0.020    0.030   0.040   0.050       7\n"
                "    2       3   0.125       0.7500   0.060   0.010   0.020    0.030   0.040   0.050       7\n"
                "\nfor comparison, with their own first factors:\n"
                "     set    gain    mass   eta_global    mean   least    25 %   median    75 %    most   worse\n"
                "  L(1,a)   1.111   0.125                0.060   0.010   0.020    0.030   0.040   0.050       7\n");
}

TEST(CalibrationText, TellsOfBordersAndTheBestSetWithin) {
  Calibration linear = calibration();
  linear.common.steering = coupling::Steering::linear;
  linear.iteration.values = coupling::Accelerated::all;
  CalibrationResult all = result();
  all.named.clear();
  all.best.resize(1);
  all.best.front().borders = {"gain", "mass"};
  const std::string table =
      kHead + "    1   1.235   0.125       0.7123   0.060   0.010   0.020    0.030   0.040   0.050       7\n";
  const std::string begin = "L, all results relaxed, first factor 0.75: 6 sets on 2 models at 0.001\n\n" + table +
                            "\nset 1 has its first or last value of gain, mass\n";
  EXPECT_EQ(calibrationText(linear, all), begin);
  all.inside = set("42", 2.0, 0.8);
  EXPECT_EQ(calibrationText(linear, all),
            begin +
                "the best set without such values has rank 42:\n"
                "  set   gain    mass   eta_global    mean   least    25 %   median    75 %    most   worse\n"
                "   42      2   0.125       0.8000   0.060   0.010   0.020    0.030   0.040   0.050       7\n");
}

/// The borders are those of the first set.
TEST(CalibrationText, SaysNothingOfBordersOfOtherSets) {
  CalibrationResult all = result();
  all.best.back().borders = {"gain"};
  EXPECT_EQ(calibrationText(calibration(), all).find("first or last value"), std::string::npos);
}

TEST(CalibrationText, TellsTwentySetsAndAllThatAreCompared) {
  CalibrationResult all = result();
  all.best.assign(25, set("b", 1.0, 0.5));
  all.named.assign(23, set("n", 1.0));
  const std::string text = calibrationText(calibration(), all);
  const auto count = [&text](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("\n    b "), 20U);
  EXPECT_EQ(count("\n    n "), 23U);
}

TEST(CalibrationText, TellsHowManyModelsDoNotConvergeAndWhichNoSetSolves) {
  CalibrationResult all = result();
  EXPECT_EQ(calibrationText(calibration(), all).find("do not converge"), std::string::npos);
  all.unrelaxed = {50, 12};
  all.unsolved = {"lin 5", "my \"own\""};
  EXPECT_TRUE(
      calibrationText(calibration(), all)
          .ends_with("\n1 of 2 models do not converge unrelaxed within 50 iterations\n"
                     "\nwarning: no set converges on 'lin 5' within 50 iterations: its eta says nothing about the "
                     "sets\n"
                     "\nwarning: no set converges on 'my \"own\"' within 50 iterations: its eta says nothing about "
                     "the sets\n"))
      << calibrationText(calibration(), all);
}

}  // namespace
}  // namespace koppla::study::calibration_tables_test
