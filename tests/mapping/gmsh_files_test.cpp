// Files that gmsh itself has written, in all formats that it shares with us: data/plate.geo, a plate of 1 by 0.5.

#include <cmath>

#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::gmsh_files_test {
namespace {

Points plate(const char* file, const char* part) {
  return readPoints(std::filesystem::path(KOPPLA_MAPPING_DATA) / file, part);
}

double areaOf(const Points& points) {
  double area = 0.0;
  for (const Simplex& triangle : points.simplices) {
    if (triangle.count != 3) continue;  // node sets keep the segments of the edge as well
    const auto& [a, b, c] = std::array{points.positions[triangle.corners[0]], points.positions[triangle.corners[1]],
                                       points.positions[triangle.corners[2]]};
    area += 0.5 * std::fabs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]));
  }
  return area;
}

TEST(FilesOfGmsh, HoldTheWholePlate) {
  for (const auto& [file, part] :
       {std::pair("plate_2.2.msh", "plate"), std::pair("plate_4.1.msh", "plate"), std::pair("plate.inp", "plate")}) {
    SCOPED_TRACE(file);
    const Points points = plate(file, part);
    EXPECT_NEAR(areaOf(points), 0.5, 1e-12);
    const Points same = plate("plate_2.2.msh", "plate");
    EXPECT_EQ(points.ids, same.ids);
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(points.positions[i][axis], same.positions.at(i)[axis], 1e-13);  // decks have 14 digits
  }
}

TEST(FilesOfGmsh, HoldTheNamedEdge) {
  for (const auto& [file, part] : {std::pair("plate_2.2.msh", "wet edge"), std::pair("plate_4.1.msh", "wet edge"),
                                   std::pair("plate.inp", "wet_edge")}) {
    SCOPED_TRACE(file);
    const Points edge = plate(file, part);
    double length = 0.0;
    for (const Simplex& segment : edge.simplices) {
      ASSERT_EQ(segment.count, 2U);
      length += std::fabs(edge.positions[segment.corners[1]][0] - edge.positions[segment.corners[0]][0]);
    }
    EXPECT_NEAR(length, 1.0, 1e-12);
    for (const Position& position : edge.positions) EXPECT_EQ(position[1], 0.5);
  }
}

TEST(FilesOfGmsh, MapALinearFieldToTheEdgeExactly) {
  const Points whole = plate("plate_4.1.msh", "plate");
  const Points edge = plate("plate_2.2.msh", "wet edge");
  const Mapping mapping = linear(whole, edge, Form::consistent);
  std::vector<double> field, mapped(edge.size());
  for (const Position& position : whole.positions) field.push_back(3.0 * position[0] - 2.0 * position[1]);
  mapping.map.apply(field, mapped);
  for (std::size_t i = 0; i < edge.size(); ++i)
    EXPECT_NEAR(mapped[i], 3.0 * edge.positions[i][0] - 2.0 * edge.positions[i][1], 1e-12);
  EXPECT_EQ(mapping.quality.outside, 0U);
}

TEST(SelectedPoints, AreInTheOrderOfTheIdsWithTheElementsAmongThem) {
  const Points whole = plate("plate_2.2.msh", "plate");
  const Simplex triangle = whole.simplices.at(5);
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < 3; ++i) ids.push_back(whole.ids[triangle.corners[2 - i]]);
  const Points selected = select(whole, ids);
  EXPECT_EQ(selected.ids, ids);
  ASSERT_EQ(selected.simplices.size(), 1U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(selected.positions[selected.simplices[0].corners[i]], whole.positions[triangle.corners[i]]);
  EXPECT_THROW(select(whole, std::vector<std::int64_t>{1, 1000}), core::InputError);
}

}  // namespace
}  // namespace koppla::mapping::gmsh_files_test
