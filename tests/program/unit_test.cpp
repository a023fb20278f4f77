// Units behind numbers.

#include "koppla/program/detail/unit.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::program::unit_test {
namespace {

using detail::Unit;
using detail::unitIn;

TEST(UnitIn, CountsTheExponentOfEverySymbol) {
  const std::vector<std::pair<std::string, Unit>> known{{"m", {{"m", 1}}},
                                                        {"W/m2", {{"W", 1}, {"m", -2}}},
                                                        {"W/(m2.K)", {{"W", 1}, {"m", -2}, {"K", -1}}},
                                                        {"W/m2/K", {{"W", 1}, {"m", -2}, {"K", -1}}},
                                                        {"W/(m2/K)", {{"W", 1}, {"m", -2}, {"K", 1}}},
                                                        {"W/m2.K", {{"W", 1}, {"m", -2}, {"K", 1}}},
                                                        {"kg*m^-3", {{"kg", 1}, {"m", -3}}},
                                                        {"kg**2", {{"kg", 2}}},
                                                        {"m.m2", {{"m", 3}}},
                                                        {"m/m", {}},
                                                        {"m2/m", {{"m", 1}}},
                                                        {"m0", {}},
                                                        {"1", {}},
                                                        {"-", {}},
                                                        {"1/s", {{"s", -1}}},
                                                        {"(m)", {{"m", 1}}},
                                                        {"m9", {{"m", 9}}},
                                                        {"m-9", {{"m", -9}}},
                                                        {"m^9", {{"m", 9}}},
                                                        {"°C.°C", {{"degC", 2}}},
                                                        {"L/min", {{"l", 1}, {"min", -1}}},
                                                        {"l", {{"l", 1}}},
                                                        {"%", {{"%", 1}}}};
  for (const auto& [text, unit] : known) {
    ASSERT_TRUE(unitIn(text)) << text;
    EXPECT_EQ(*unitIn(text), unit) << text;
  }
}

TEST(UnitIn, KnowsSymbolsWithAndWithoutPrefixes) {
  for (const char* text :
       {"mK", "kPa", "MW", "nF", "mC", "GHz", "Tbar", "pmol", "um", "cm", "dm", "hPa", "rad", "psi", "rpm"})
    EXPECT_EQ(unitIn(text), (Unit{{text, 1}})) << text;
  for (const char* text :
       {"F", "C", "Xm", "mX", "k", "kmin", "mrpm", "kkm", "kdeg", "Kk", "mF2x", "kg m", "a", "z", "Z", "@", "["})
    EXPECT_EQ(unitIn(text), std::nullopt) << text;
}

TEST(UnitIn, RefusesWhatIsNoUnit) {
  for (const char* text : {"", "m^", "m-", "m^-", "m10", "m-10", "m^99999999999", "(m", "m)", "()", "m..K", "m/", "/m",
                           ".m", "2m", "m:", "m2:", "in total"})
    EXPECT_EQ(unitIn(text), std::nullopt) << text;
}

TEST(UnitIn, LooksAtShortTextsOnly) {
  std::string text = "mm";
  for (int i = 0; i < 19; ++i) text += ".s";
  ASSERT_EQ(text.size(), 40U);
  EXPECT_EQ(unitIn(text), (Unit{{"mm", 1}, {"s", 19}}));
  EXPECT_EQ(unitIn("kg" + text.substr(2)), (Unit{{"kg", 1}, {"s", 19}}));
  EXPECT_EQ(unitIn("mol" + text.substr(2)), std::nullopt) << "41 characters";
}

}  // namespace
}  // namespace koppla::program::unit_test
