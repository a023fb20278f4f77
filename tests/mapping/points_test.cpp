#include "koppla/mapping/points.hpp"

#include <algorithm>
#include <array>
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

TEST(Points, MayBeAsLargeAsTheySay) {
  Points points = gridMesh(3, 1);
  points.positions[7][2] = 1e100;
  points.positions[0][0] = -1e100;
  EXPECT_NO_THROW(check(points, "The source"));
  for (const double coordinate : {1.001e100, -1.001e100, std::numeric_limits<double>::infinity()})
    for (const std::size_t point : {0U, 7U})
      for (std::size_t axis = 0; axis < 3; ++axis) {
        points = gridMesh(3, 1);
        points.positions[point][axis] = coordinate;
        EXPECT_NE(complaint(points).find("at the point with the id " + std::to_string(point + 1)), std::string::npos);
      }
  points = gridMesh(2, 2);
  points.ids.push_back(77);
  EXPECT_EQ(complaint(points), "The source has 9 points and 10 ids.");
  points = gridMesh(2, 2);
  points.ids[0] = points.ids[8];  // at both ends of the list
  EXPECT_EQ(complaint(points), "The source has the id 9 more than once.");
}

TEST(Points, SimplicesHaveTwoToFourCornersThatArePoints) {
  Points points = cloud({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  for (std::uint32_t count = 0; count <= 5; ++count)
    for (std::uint32_t corner = 0; corner < 4; ++corner)
      for (const std::uint32_t index : {3U, 4U}) {
        Simplex simplex{{0, 1, 2, 3}, count};
        simplex.corners[corner] = index;
        points.simplices = {{{0, 1, 0, 0}, 2}, simplex};
        const bool good = count >= 2 && count <= 4 && (index == 3 || corner >= count);
        if (good) {
          EXPECT_NO_THROW(check(points, "The source")) << count << corner << index;
        } else {
          EXPECT_EQ(complaint(points), "The source has a simplex whose corners are not 2 to 4 of its points.");
        }
      }
}

TEST(Points, ASelectionIsInTheOrderOfItsIds) {
  Points points = cloud({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, 2);
  points.ids = {10, 20, 30, 40, 50};
  points.notes = {"Something was left out."};
  points.simplices = {{{0, 1, 2, 3}, 4}, {{4, 0, 2, 1}, 3}, {{0, 4, 3, 3}, 2}, {{1, 4, 0, 0}, 2}};
  const Points chosen = select(points, std::vector<std::int64_t>{50, 30, 10});
  EXPECT_EQ(chosen.ids, (std::vector<std::int64_t>{50, 30, 10}));
  EXPECT_EQ(chosen.positions, (std::vector<Position>{{1, 1, 1}, {0, 1, 0}, {0, 0, 0}}));
  EXPECT_EQ(chosen.dimension, 2);
  EXPECT_EQ(chosen.notes, points.notes);
  ASSERT_EQ(chosen.simplices.size(), 2U);
  EXPECT_EQ(chosen.simplices[0].count, 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(chosen.simplices[0].corners[i], (std::array{0U, 2U, 1U})[i]);
  EXPECT_EQ(chosen.simplices[1].count, 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(chosen.simplices[1].corners[i], (std::array{2U, 0U})[i]);
  const auto missing = [&](std::vector<std::int64_t> ids) { return mistakeOf([&] { select(points, ids); }).message; };
  EXPECT_EQ(missing({10, 11}), "There is no point with the id 11.");
  EXPECT_EQ(missing({12, 10, 11, 9}), "There is no point with the id 12, nor with 2 others.");
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
  EXPECT_EQ(readPoints(write("a.txt", "7,1,2\n")).ids.at(0), 7);
  const auto complaintAbout = [&](const std::string& name, const std::string& part) {
    const std::string message = mistakeOf([&] { readPoints(write(name, "1,2\n"), part); }).message;
    return message.substr(std::min(message.find(name), message.size()));
  };
  EXPECT_EQ(complaintAbout("a.stl", ""), "a.stl has the ending '.stl', which tells no known format of points.");
  EXPECT_EQ(complaintAbout("a.csv", "wall"), "a.csv is a CSV file and has no part 'wall'.");
  EXPECT_EQ(complaintAbout("a.txt", "wall"), "a.txt is a CSV file and has no part 'wall'.");
  mistakeOf([&] { readPoints(folder.path() / "missing.csv"); });
}

}  // namespace
}  // namespace koppla::mapping::test
