#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::test {
namespace {

using Ids = std::vector<std::int64_t>;

Points readGmsh(std::string_view text, const std::string& group = {}) {
  return parseGmsh(text, "mesh.msh", group);
}

void expectGmshMistake(std::string_view text, std::size_t line, std::string_view part, const std::string& group = {}) {
  const core::Problem problem = mistakeOf([&] { readGmsh(text, group); });
  EXPECT_EQ(problem.place.file, "mesh.msh");
  EXPECT_EQ(problem.place.line, line) << core::text(problem);
  EXPECT_NE(problem.message.find(part), std::string::npos) << core::text(problem);
}

const std::string kFormat2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const std::string kNodes2 = "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n7 .5 .5 1\n$EndNodes\n";
const std::string kNames = "$PhysicalNames\n2\n1 8 \"edge\"\n2 9 \"the wall\"\n$EndPhysicalNames\n";

/// A point, a line of the group 'edge', a quadrilateral and a triangle of the group 'the wall', a tetrahedron.
const std::string kElements2 =
    "$Elements\n5\n1 15 2 0 1 1\n2 1 2 8 1 1 2\n3 3 2 9 1 1 2 3 4\n4 2 2 9 1 1 2 7\n5 4 2 0 1 1 2 3 7\n$EndElements\n";

const std::string kFormat4 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
const std::string kEntities4 =
    "$Entities\n1 1 1 0\n1 0 0 0 0\n5 0 0 0 1 0 0 1 8 2 1 -2\n6 0 0 0 1 1 0 2 -9 3 1 5\n$EndEntities\n";
const std::string kNodes4 =
    "$Nodes\n2 4 1 4\n1 5 0 2\n1\n2\n0 0 0\n1 0 0\n2 6 1 2\n3\n4\n1 1 0 .5 .5\n0 1 0 0 1\n$EndNodes\n";
const std::string kElements4 = "$Elements\n2 3 1 3\n1 5 1 1\n1 1 2\n2 6 2 2\n2 1 2 3\n3 1 3 4\n$EndElements\n";

TEST(Gmsh, ReadsVersion2) {
  const Points points = readGmsh(kFormat2 + kNodes2 + kElements2);
  EXPECT_EQ(points.ids, (Ids{1, 2, 3, 4, 7}));
  EXPECT_EQ(points.positions[4], (Position{0.5, 0.5, 1}));
  ASSERT_EQ(points.simplices.size(), 1U);  // the tetrahedron alone: lines and triangles are its boundary
  EXPECT_EQ(points.simplices[0].corners, (std::array<std::uint32_t, 4>{0, 1, 2, 4}));
}

TEST(Gmsh, KeepsAPhysicalGroupOfVersion2) {
  const Points wall = readGmsh(kFormat2 + kNames + kNodes2 + kElements2, "the wall");
  EXPECT_EQ(wall.ids, (Ids{1, 2, 3, 4, 7}));
  EXPECT_EQ(wall.simplices.size(), 3U);
  const Points edge = readGmsh(kFormat2 + kNames + kNodes2 + kElements2, "edge");
  EXPECT_EQ(edge.ids, (Ids{1, 2}));
  ASSERT_EQ(edge.simplices.size(), 1U);
  EXPECT_EQ(edge.simplices[0].count, 2U);
}

TEST(Gmsh, ReadsVersion4) {
  const Points points =
      readGmsh(kFormat4 + "$Comments\nanything $Nodes\n$EndComments\n" + kNames + kEntities4 + kNodes4 + kElements4);
  EXPECT_EQ(points.ids, (Ids{1, 2, 3, 4}));
  EXPECT_EQ(points.positions[3], (Position{0, 1, 0}));
  ASSERT_EQ(points.simplices.size(), 2U);
  EXPECT_EQ(points.simplices[1].corners, (std::array<std::uint32_t, 4>{0, 2, 3, 0}));
}

TEST(Gmsh, KeepsAPhysicalGroupOfVersion4) {
  const std::string text = kFormat4 + kNames + kEntities4 + kNodes4 + kElements4;
  EXPECT_EQ(readGmsh(text, "edge").ids, (Ids{1, 2}));
  EXPECT_EQ(readGmsh(text, "edge").simplices.size(), 1U);
  EXPECT_EQ(readGmsh(text, "the wall").simplices.size(), 2U);
}

TEST(Gmsh, KeepsThePointsOfElementsThatItCannotDivide) {
  const std::string elements = "$Elements\n1\n1 16 2 9 1 1 2 3 4 1 2 3 4\n$EndElements\n";
  const Points points = readGmsh(kFormat2 + kNames + kNodes2 + elements, "the wall");
  EXPECT_EQ(points.ids, (Ids{1, 2, 3, 4}));
  EXPECT_TRUE(points.simplices.empty());
  ASSERT_EQ(points.notes.size(), 1U);
  EXPECT_NE(points.notes[0].find("type 16"), std::string::npos);
}

TEST(Gmsh, TellsTheLineOfEveryMistake) {
  expectGmshMistake("", 0, "no nodes");
  expectGmshMistake("solid x\n", 1, "section should begin");
  expectGmshMistake("$Nodes\n", 1, "not $MeshFormat");
  expectGmshMistake("$MeshFormat\n4 0 8\n$EndMeshFormat\n", 2, "version '4'");
  expectGmshMistake("$MeshFormat\n4.1 1 8\n\1\2\3\4", 2, "binary");
  expectGmshMistake(kFormat2, 3, "no nodes");
  expectGmshMistake(kFormat2 + "$Nodes\n1\n1 0 0\n$EndNodes\n", 6, "3 entries");
  expectGmshMistake(kFormat2 + "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", 6, "'nan'");
  expectGmshMistake(kFormat2 + "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", 7, "The id 1 is already");
  expectGmshMistake(kFormat2 + "$Nodes\n-2\n$EndNodes\n", 5, "'-2'");
  expectGmshMistake(kFormat2 + "$Nodes\n2\n1 0 0 0\n$EndNodes\n", 7, "1 entries");
  expectGmshMistake(kFormat2 + "$Nodes\n9000000000000000000\n1 0 0 0\n", 6, "ends inside");
  expectGmshMistake(kFormat2 + "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", 7, "$EndNodes should stand");
  expectGmshMistake(kFormat2 + kNodes2 + "$Elements\n1\n1 2 2 0 1 1 2 99\n$EndElements\n", 14, "no node 99");
  expectGmshMistake(kFormat2 + kNodes2 + "$Elements\n1\n1 2 2 0 1 1 2\n$EndElements\n", 14, "2 nodes, not 3");
  expectGmshMistake(kFormat2 + kNodes2 + "$Elements\n1\n1 2 9 0 1 1 2\n$EndElements\n", 14, "fewer entries");
  expectGmshMistake(kFormat2 + kNames + kNodes2 + kElements2, 0, "no physical group 'wall'", "wall");
  expectGmshMistake(kFormat2 + kNames + kNodes2, 0, "has no elements", "edge");
  expectGmshMistake(kFormat4 + "$Entities\n0 1 0 0\n5 0 0 0 1 0 0 7 1\n$EndEntities\n", 6, "fewer physical groups");
}

}  // namespace
}  // namespace koppla::mapping::test
