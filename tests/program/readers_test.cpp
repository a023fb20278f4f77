// What programs print, read back.

#include "koppla/program/readers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"

#include "refusal.hpp"

namespace koppla::test {
namespace {

using program::Field;
using program::Format;
using program::Reading;
using program::Take;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Readers : public testing::Test {
 protected:
  std::vector<double> read(const std::string& text, Reading reading, const Field& field, double time = 1.0) {
    core::writeWhole(folder_.path() / "out.txt", text);
    reading.file = "out.txt";
    check(reading, field);
    return program::read(reading, field, folder_.path(), time);
  }
  std::string problem(const std::string& text, const Reading& reading, const Field& field, double time = 1.0) {
    return refusal([&] { read(text, reading, field, time); });
  }

  const Field nodes_{"T", {11, 12, 15}, 1, true};
  const Field vector_{"u", {1, 2}, 2};

 private:
  core::TemporaryFolder folder_{"readers"};
};

TEST_F(Readers, StandardCsvGivesThePortsIdsInTheirOrder) {
  EXPECT_THAT(read("15 , 3\n11 , 1\n12 , 2\n13 , 9\n", {}, nodes_), ElementsAre(1, 2, 3));
  EXPECT_THAT(read("15 , 3 , 30\n11 , 1 , 10\n12 , 2 , 20\n", {.columns = {std::size_t{2}}}, nodes_),
              ElementsAre(10, 20, 30));
  EXPECT_THAT(problem("11 , 1\n12 , 2\n", {}, nodes_), HasSubstr("out.txt: Ids without values: 15."));
  EXPECT_THAT(problem("11 , 1 , 2\n12 , 2 , 2\n15 , 1 , 1\n", {}, nodes_),
              HasSubstr("out.txt:1: Values for each id: 2; 'T' needs 1."));
}

TEST_F(Readers, HalfAFileIsNotTaken) {
  EXPECT_THAT(problem("11 , 1\n12 , 2\n15 , 3.1", {}, nodes_),
              HasSubstr("out.txt:3: The last line has no end: the file may be cut off."));
  EXPECT_THAT(read("11 , 1\n12 , 2\n15 , 3.1", {.openEnd = true}, nodes_), ElementsAre(1, 2, 3.1));
  EXPECT_THAT(problem("", {}, nodes_), HasSubstr("out.txt: The file is empty."));
}

TEST_F(Readers, ColumnsAreFoundByPositionOrName) {
  const std::string table = "# results\nnode  x   T[K]  flux\n12 0.1 2.5 1.\n\n11, 0.0; 1.5D0 2.\n15 0.2 +3.5 3.\n";
  const Reading byName{.format = Format::columns, .columns = {"T[K]"}, .idColumn = "node"};
  EXPECT_THAT(read(table, byName, nodes_), ElementsAre(1.5, 2.5, 3.5));
  const Reading byPosition{.format = Format::columns, .columns = {std::size_t{2}, std::size_t{1}}};
  EXPECT_THAT(read("1 2\n3 4\n", byPosition, vector_), ElementsAre(2, 1, 4, 3));
  EXPECT_THAT(read("1 2\n3 4\n", {.format = Format::columns}, vector_), ElementsAre(1, 2, 3, 4));
  const Reading separated{.format = Format::columns, .columns = {"wall heat"}, .separator = ';'};
  EXPECT_THAT(read("node ; wall heat\n1 ; 7.5\n", separated, {"q", {1}}), ElementsAre(7.5));
}

TEST_F(Readers, DecimalCommasDoNotBecomeColumns) {
  const Reading columns{.format = Format::columns, .columns = {std::size_t{2}}};
  const Field value{"x", {1}};
  for (const char* line : {"1 2,5\n", "1;2,5\n", "1\t-2,5e-3\n", "1 ; 2,5 ; 3\n"})
    EXPECT_THAT(problem(line, columns, value), AllOf(HasSubstr("out.txt:1: '"), HasSubstr("has a decimal comma"),
                                                     HasSubstr("write numbers with a decimal point")))
        << line;
  EXPECT_THAT(problem("1;2,5\n", {.format = Format::columns, .columns = {std::size_t{2}}, .separator = ';'}, value),
              HasSubstr("out.txt:1: '2,5' is no number. Make the program write numbers with a decimal point."));
  EXPECT_THAT(problem("x = 2,5\n", {.format = Format::keyValue}, value),
              HasSubstr("out.txt:1: Numbers behind 'x': 2; 'x' has 1. Make the program write numbers with a decimal"));
  for (const char* line : {"1,2,5\n", "1, 2, 5\n", "1 , 2,5\n", "1 2, 5\n", "1 2.0,5\n"})
    EXPECT_THAT(read(line, columns, value), ElementsAre(2)) << line;
}

TEST_F(Readers, AnotherUnitThanThePortsIsRefused) {
  const Field value{"T", {1}};
  const auto inUnit = [](const char* unit) { return Reading{.format = Format::keyValue, .unit = unit}; };
  EXPECT_THAT(problem("T = 3.5 mK\n", inUnit("K"), value),
              HasSubstr("out.txt:1: The unit 'mK' stands behind the number; the port is in 'K'. Write unit = \"mK\" at "
                        "the port"));
  for (const char* text : {"[mK]", "(mK).", "degC", "°C", "K/s", "%", "K2", "1/K"})
    EXPECT_THAT(problem("T = 3.5 " + std::string(text) + "\n", inUnit("K"), value), HasSubstr("the port is in 'K'"))
        << text;
  EXPECT_THAT(problem("T = 3.5 in\n", inUnit("m"), value), HasSubstr("The unit 'in'"));
  for (const char* text :
       {"K", "[K]", "(K).", "K, converged", "# mK", "in total", "A remark", "Kelvin", "after 3 s", ""})
    EXPECT_THAT(read("T = 3.5 " + std::string(text) + "\n", inUnit("K"), value), ElementsAre(3.5)) << text;
  EXPECT_THAT(read("T = 3.5 mK\n", inUnit(""), value), ElementsAre(3.5)) << "the port tells no unit";
}

TEST_F(Readers, UnitsAreTheSameHoweverTheyAreSpelled) {
  const Field value{"h", {1}};
  const auto accepts = [&](const char* ofPort, const std::string& printed) {
    return read("h = 2 " + printed + "\n", {.format = Format::keyValue, .unit = ofPort}, value);
  };
  for (const char* printed : {"W/(m2.K)", "W/m2/K", "W/(m^2*K)", "W/m²/K", "W·m^-2·K^-1", "W.m⁻².K-1"})
    EXPECT_THAT(accepts("W/(m2.K)", printed), ElementsAre(2)) << printed;
  EXPECT_THAT(accepts("degC", "°C"), ElementsAre(2));
  EXPECT_THAT(accepts("kOhm", "kΩ"), ElementsAre(2));
  EXPECT_THAT(accepts("um", "µm"), ElementsAre(2));
  EXPECT_THAT(problem("h = 2 W/m2\n", {.format = Format::keyValue, .unit = "W/(m2.K)"}, value),
              HasSubstr("The unit 'W/m2'"));
}

TEST_F(Readers, BytesThatCannotBeShownDoNotCutTheMessage) {
  using namespace std::string_literals;
  const Field value{"y", {1}};
  const std::string shown = "out.txt:1: '1.5\\u0000\\u0000' is no number. Check what the program printed";
  EXPECT_THAT(problem("y = 1.5\0\0\n"s, {.format = Format::keyValue}, value), HasSubstr(shown));
  EXPECT_THAT(problem("1.5\0\0\n"s, {.format = Format::columns}, value), HasSubstr(shown));
  EXPECT_THAT(problem("1 , 1.5\0\n"s, {}, value), HasSubstr("out.txt:1: '1.5\\u0000' is no number. Each line"));
}

TEST_F(Readers, WrongTablesAreNamedWithTheirLine) {
  const Reading byName{.format = Format::columns, .columns = {"T"}, .idColumn = "node"};
  EXPECT_THAT(problem("node t\n11 1\n", byName, nodes_),
              HasSubstr("out.txt:1: The header of the table has no column 'T'. Did you mean 't'?"));
  EXPECT_THAT(problem("node T\n11 1\n12\n15 3\n", byName, nodes_),
              HasSubstr("out.txt:3: Columns in this line: 1; expected: at least 2."));
  EXPECT_THAT(problem("node T\n11 1\n12 NaN\n15 3\n", byName, nodes_),
              HasSubstr("out.txt:3: The value 'NaN' is not finite."));
  EXPECT_THAT(problem("node T\n11 1\n12 ****\n15 3\n", byName, nodes_), HasSubstr("out.txt:3: '****' is no number."));
  EXPECT_THAT(problem("node T\n11 1\n12 2\n11 3\n", byName, nodes_),
              HasSubstr("out.txt:4: The id 11 stands already in line 2."));
  EXPECT_THAT(problem("node T\n11 1\n12 2\n", byName, nodes_), HasSubstr("Ids without values: 15."));
  EXPECT_THAT(problem("1 2\n", {.format = Format::columns}, vector_), HasSubstr("Rows in the table: 1; 'u' has 2."));
}

TEST_F(Readers, KeysHaveTheirLastValueUnlessTheFirstIsAsked) {
  const std::string log = "iteration: 1\nT1 = 300.5 degC\niteration: 2\nT1 = 378.96 degC\nforce : 1.0, -2.5\n";
  const Field temperature{"T1", {1}};
  EXPECT_THAT(read(log, {.format = Format::keyValue}, temperature), ElementsAre(378.96));
  EXPECT_THAT(read(log, {.format = Format::keyValue, .take = Take::first}, temperature), ElementsAre(300.5));
  EXPECT_THAT(read(log, {.format = Format::keyValue, .key = "force"}, {"f", {1, 2}}), ElementsAre(1.0, -2.5));
  EXPECT_THAT(problem(log, {.format = Format::keyValue, .key = "T2"}, temperature),
              HasSubstr("out.txt: There is no line 'T2 = ...'."));
  EXPECT_THAT(problem(log, {.format = Format::keyValue, .key = "force"}, temperature),
              HasSubstr("out.txt:5: Numbers behind 'force': 2; 'T1' has 1."));
  EXPECT_THAT(problem("T1 = inf\n", {.format = Format::keyValue}, temperature),
              HasSubstr("out.txt:1: The value 'inf' is not finite."));
}

TEST_F(Readers, BlocksStandBetweenTwoLines) {
  const std::string log =
      "TEMPERATURES step 1\n11 1\n12 2\n15 3\n---\nTEMPERATURES step 2\n\n11 10\n12 20\n15 30\n---\nend\n";
  Reading reading{.format = Format::block, .idColumn = std::size_t{1}, .begin = "^TEMPERATURES", .end = "^-+$"};
  EXPECT_THAT(read(log, reading, nodes_), ElementsAre(10, 20, 30));
  reading.take = Take::first;
  EXPECT_THAT(read(log, reading, nodes_), ElementsAre(1, 2, 3));
  reading.end = "";
  EXPECT_THAT(read("x\nTEMPERATURES\n\n11 1\n12 2\n15 3\n\nother 5\n", reading, nodes_), ElementsAre(1, 2, 3));
  reading.end = "^===";
  EXPECT_THAT(problem(log, reading, nodes_),
              HasSubstr("out.txt:1: No line behind matches '^===', which ends the block."));
  reading.begin = "^PRESSURES";
  EXPECT_THAT(problem(log, reading, nodes_), HasSubstr("No line matches '^PRESSURES', which begins the block."));
  reading.begin = "(";
  EXPECT_THAT(problem(log, reading, nodes_), HasSubstr("'begin' ('(') is no regular expression"));
}

constexpr const char* kDat = R"(
 displacements (vx,vy,vz) for set NALL and time  0.5000000E+00

        12  1.000000E-03  2.000000E-03  3.000000E-03
        11  4.000000E-03  5.000000E-03  6.000000E-03
        15  0.000000E+00  0.000000E+00 -1.000000E-01

 displacements (vx,vy,vz) for set NALL and time  0.1000000E+01

        11  1.000000E+00  2.000000E+00  3.000000E+00
        12  4.000000E+00  5.000000E+00  6.000000E+00
        15  7.000000E+00  8.000000E+00  9.000000E+00

 temperatures for set NALL and time  0.1000000E+01

        11  3.000000E+02
        12  3.010000E+02
        15  3.020000E+02

 total force (fx,fy,fz) for set FIX and time  0.1000000E+01

        -1.000000E+00  2.500000E+00  0.000000E+00

 stresses (elem, integ.pnt.,sxx,syy,szz,sxy,sxz,syz) for set EALL and time  0.1000000E+01

         1   1  1.000000E+01  2.000000E+01  3.000000E+01  0.000000E+00  0.000000E+00  0.000000E+00
         1   2  1.100000E+01  2.100000E+01  3.100000E+01  0.000000E+00  0.000000E+00  0.000000E+00
)";

TEST_F(Readers, TablesOfCalculixAreFoundByQuantitySetAndTime) {
  Reading reading{.format = Format::calculixDat, .columns = {"vz"}, .quantity = "displacements", .set = "nall"};
  EXPECT_THAT(read(kDat, reading, nodes_), ElementsAre(3, 6, 9));
  reading.take = Take::atTime;
  EXPECT_THAT(read(kDat, reading, nodes_, 0.5), ElementsAre(6e-3, 3e-3, -0.1));
  EXPECT_THAT(problem(kDat, reading, nodes_, 0.7),
              HasSubstr("There is no table of displacements for set nall at time 0.7"));
  EXPECT_THAT(read(kDat, {.format = Format::calculixDat, .quantity = "temperatures"}, nodes_),
              ElementsAre(300, 301, 302));
  EXPECT_THAT(read(kDat, {.format = Format::calculixDat, .quantity = "total force"}, {"F", {1}, 3}),
              ElementsAre(-1, 2.5, 0));
  const Field element{"s", {1}, 1, true};
  EXPECT_THAT(read(kDat, {.format = Format::calculixDat, .quantity = "stresses", .point = 2}, element),
              ElementsAre(11));
  EXPECT_THAT(read(kDat, {.format = Format::calculixDat, .columns = {"syy"}, .quantity = "stresses"}, element),
              ElementsAre(20));
  reading = {.format = Format::calculixDat, .columns = {"vw"}, .quantity = "displacements"};
  EXPECT_THAT(problem(kDat, reading, nodes_), HasSubstr("out.txt:8: The header of the table has no column 'vw'."));
}

/// Lines as CalculiX 2.20 prints them, with its blanks.
constexpr const char* kRealDat = R"(
 heat generation for set RIGHT and time  0.1000000E+01

        11 -1.003523E+00
        12  2.157476-110
        15 -7.283084E-01

 total heat generation for set RIGHT and time  0.1000000E+01

       -1.598750E+01

 heat flux (elem, integ.pnt.,qx,qy,qz) for setBAR and time  0.1000000E+01

      1001   1  3.996931E+04 -2.252035E-01 -2.252035E-01
      1001   2  3.996906E+04 -8.404709E-01 -8.404709E-01

 equivalent plastic strain (elem, integ.pnt.,pe)for set EALL and time  0.1000000E+01

         1   1  1.000000E-03

 mass (element, mass) and mass moment of itertia(xx,yy,zz,xy,xz,yz) for set EALL and time  0.1000000E+01

         1  2.000000E+00  3.000000E+00  4.000000E+00  5.000000E+00  6.000000E+00  7.000000E+00  8.000000E+00

     E I G E N V A L U E   O U T P U T

 MODE NO    EIGENVALUE                       FREQUENCY

      1   0.1043430E+06   0.3230217E+03   0.5141050E+02   0.0000000E+00
)";

TEST_F(Readers, OddHeadingsAndNumbersOfCalculixAreUnderstood) {
  const auto quantity = [](const char* name) { return Reading{.format = Format::calculixDat, .quantity = name}; };
  EXPECT_THAT(read(kRealDat, quantity("heat generation"), nodes_), ElementsAre(-1.003523, 2.157476e-110, -0.7283084));
  EXPECT_THAT(read(kRealDat, quantity("total heat generation"), {"Q", {1}}), ElementsAre(-15.9875));
  Reading flux = quantity("heat flux");
  flux.set = "BAR";
  flux.point = 2;
  EXPECT_THAT(read(kRealDat, flux, {"q", {1001}, 3, true}), ElementsAre(39969.06, -0.8404709, -0.8404709));
  EXPECT_THAT(read(kRealDat, quantity("equivalent plastic strain"), {"e", {1}, 1, true}), ElementsAre(1e-3));
  Reading inertia = quantity("mass");
  inertia.columns = {"mass", "yy"};
  EXPECT_THAT(read(kRealDat, inertia, {"m", {1}, 2, true}), ElementsAre(2, 4));
}

TEST_F(Readers, WhatOnlyLooksLikeANumberOfFortranIsNone) {
  const Field value{"x", {1}};
  for (const char* text : {"2020-10\n", "20-110\n", "1.5-10\n", "1.5-1a0\n"})
    EXPECT_THAT(problem(text, {.format = Format::columns}, value), HasSubstr("is no number")) << text;
}

TEST_F(Readers, NumbersOfColumnsMustFitThePort) {
  const Reading two{.format = Format::columns, .columns = {std::size_t{1}, std::size_t{2}}};
  EXPECT_THAT(problem("1 2\n", two, nodes_), HasSubstr("The output 'T' has 2 columns and 1 values for each id."));
  EXPECT_THAT(problem("1 , 2\n", {.columns = {"T"}}, nodes_), HasSubstr("which has no header"));
  EXPECT_THAT(problem("x\n", {.format = Format::calculixDat}, nodes_), HasSubstr("says not which table it is in"));
}

}  // namespace
}  // namespace koppla::test
