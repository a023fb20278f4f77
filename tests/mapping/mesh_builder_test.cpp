#include "koppla/mapping/detail/mesh_builder.hpp"

#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::mesh_builder_test {
namespace {

using namespace detail;

using Ids = std::vector<std::int64_t>;

TEST(MeshBuilder, ShapesHaveTheirCornersAndDimension) {
  EXPECT_EQ(cornersOf(Shape::segment), 2U);
  EXPECT_EQ(cornersOf(Shape::triangle), 3U);
  EXPECT_EQ(cornersOf(Shape::quadrilateral), 4U);
  EXPECT_EQ(cornersOf(Shape::tetrahedron), 4U);
  EXPECT_EQ(dimensionOf(Shape::segment), 1);
  EXPECT_EQ(dimensionOf(Shape::triangle), 2);
  EXPECT_EQ(dimensionOf(Shape::quadrilateral), 2);
  EXPECT_EQ(dimensionOf(Shape::tetrahedron), 3);
}

/// Ids 11 to 15 at x = 1 to 5, and one element of each shape.
MeshBuilder built(const Lines& lines) {
  MeshBuilder builder(lines);
  for (int i = 1; i <= 5; ++i) builder.addNode(10 + i, {static_cast<double>(i), 0.5, 0.25});
  builder.addElement(Shape::segment, Ids{12, 11}, 1);
  builder.addElement(Shape::triangle, Ids{15, 14, 12}, 2);
  builder.addElement(Shape::quadrilateral, Ids{12, 13, 14, 15}, 3);
  builder.addElement(Shape::tetrahedron, Ids{12, 14, 13, 15}, 4);
  return builder;
}

void expectSimplices(const Points& points, const std::vector<std::vector<std::uint32_t>>& expected) {
  ASSERT_EQ(points.simplices.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(std::vector<std::uint32_t>(points.simplices[i].corners.begin(),
                                         points.simplices[i].corners.begin() + points.simplices[i].count),
              expected[i]);
}

TEST(MeshBuilder, FindsNodesByTheirIds) {
  const Lines lines("", "file");
  const MeshBuilder builder = built(lines);
  EXPECT_EQ(builder.nodes(), 5U);
  EXPECT_EQ(builder.ids(), (Ids{11, 12, 13, 14, 15}));
  EXPECT_EQ(builder.find(11), 0U);
  EXPECT_EQ(builder.find(15), 4U);
  EXPECT_EQ(builder.find(10), 5U);
  EXPECT_EQ(builder.require(13, 7), 2U);
  EXPECT_EQ(core::text(test::mistakeOf([&] { (void)builder.require(10, 7); })),
            "file:7:1: There is no node 10 in the file. Define it, or leave out what refers to it.");
}

TEST(MeshBuilder, KeepsAll) {
  const Lines lines("", "file");
  const Points points = built(lines).finish();
  EXPECT_EQ(points.ids, (Ids{11, 12, 13, 14, 15}));
  expectSimplices(points, {{1, 0}, {4, 3, 1}, {1, 2, 3}, {1, 3, 4}, {1, 3, 2, 4}});
}

TEST(MeshBuilder, KeepsTheMarkedPointsAndTheElementsAmongThem) {
  const Lines lines("", "file");
  const Points points = built(lines).finish({false, true, true, true, true});
  EXPECT_EQ(points.ids, (Ids{12, 13, 14, 15}));
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(points.positions.at(i), (Position{static_cast<double>(i) + 2.0, 0.5, 0.25}));
  EXPECT_EQ(points.size(), 4U);
  expectSimplices(points, {{3, 2, 0}, {0, 1, 2}, {0, 2, 3}, {0, 2, 1, 3}});
  const Points fewer = built(lines).finish({true, true, false, true, true});
  EXPECT_EQ(fewer.ids, (Ids{11, 12, 14, 15}));
  expectSimplices(fewer, {{1, 0}, {3, 2, 1}});
  const Points two = built(lines).finish({true, false, false, false, true});
  EXPECT_EQ(two.positions, (std::vector<Position>{{1, 0.5, 0.25}, {5, 0.5, 0.25}}));
  expectSimplices(two, {});
}

TEST(MeshBuilder, AnIdIsThatOfOnePoint) {
  Lines lines("a\nb", "file");
  lines.next();
  MeshBuilder builder(lines);
  builder.addNode(3, {});
  EXPECT_EQ(core::text(test::mistakeOf([&] { builder.addNode(3, {}); })),
            "file:1:1: The id 3 is already that of another point. Give each point an id of its own.");
}

}  // namespace
}  // namespace koppla::mapping::mesh_builder_test
