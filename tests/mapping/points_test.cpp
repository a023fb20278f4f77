#include "koppla/mapping/points.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"

#include "meshes.hpp"

namespace koppla::mapping::test {
namespace {

std::string complaint(const Points& points) {
  return mistakeOf([&] { check(points, "The source"); }).message;
}

TEST(Points, MustBeWhole) {
  Points points = gridMesh(2, 2);
  EXPECT_NO_THROW(check(points, "The source"));
  points.ids[3] = points.ids[0];
  EXPECT_EQ(complaint(points), "The source has the id 1 more than once.");
  points = gridMesh(2, 2);
  points.ids.pop_back();
  EXPECT_EQ(complaint(points), "The source has 9 points and 8 ids.");
  points = gridMesh(2, 2);
  points.positions[4][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint(points), "The source has the coordinate nan at the point with the id 5.");
  points.positions[4][1] = 1e200;
  EXPECT_NE(complaint(points).find("at the point with the id 5."), std::string::npos);
  points = gridMesh(2, 2);
  points.simplices[0].corners[1] = 9;
  EXPECT_NE(complaint(points).find("corners"), std::string::npos);
  points = gridMesh(2, 2);
  points.simplices[0].count = 5;
  EXPECT_NE(complaint(points).find("corners"), std::string::npos);
}

TEST(Points, AreReadByTheEndingOfTheName) {
  const core::TemporaryFolder folder("mapping");
  const auto write = [&](const std::string& name, std::string_view text) {
    core::writeWhole(folder.path() / name, text);
    return folder.path() / name;
  };
  EXPECT_EQ(readPoints(write("a.csv", "1,2\n")).dimension, 1);
  EXPECT_EQ(readPoints(write("a.inp", "*NODE, NSET=all\n5, 1, 2, 3\n"), "all").ids.at(0), 5);
  const auto gmsh = write("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n9 0 0 0\n$EndNodes\n");
  EXPECT_EQ(readPoints(gmsh).ids.at(0), 9);
  mistakeOf([&] { readPoints(write("a.stl", "")); });
  mistakeOf([&] { readPoints(folder.path() / "a.csv", "part"); });
  mistakeOf([&] { readPoints(folder.path() / "missing.csv"); });
}

}  // namespace
}  // namespace koppla::mapping::test
