// Sections of gmsh files, number by number.

#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::gmsh_sections_test {
namespace {

using Ids = std::vector<std::int64_t>;
using Corners = std::vector<std::vector<std::int64_t>>;

const std::string kFormat2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const std::string kFormat4 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";

std::string section(const std::string& name, const std::string& body) {
  return "$" + name + "\n" + body + "$End" + name + "\n";
}

const std::string kNodes2 = section("Nodes", "5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n9 0 0 1\n");
const std::string kNodes4 = section("Nodes", "1 5 1 9\n2 1 0 5\n1\n2\n3\n4\n9\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n");

Points read(const std::string& text, const std::string& group = {}) {
  return parseGmsh(text, "mesh.msh", group);
}

std::string refusal(const std::string& text, const std::string& group = {}) {
  return core::text(test::mistakeOf([&] { read(text, group); }));
}

Corners corners(const Points& points) {
  Corners result;
  for (const Simplex& simplex : points.simplices) {
    result.emplace_back();
    for (std::size_t i = 0; i < simplex.count; ++i) result.back().push_back(points.ids[simplex.corners[i]]);
  }
  return result;
}

TEST(GmshSections, MayHoldBlankLinesAndOthersMayStandBetween) {
  std::string text = "\n" + kFormat2 + section("Entities", "nothing that a file of version 2 has\n") +
                     section("Periodic", "1\n$Nodes\n") + kNodes2 + section("Elements", "1\n1 1 2 0 1 1 2\n");
  const Points points = read(text);
  EXPECT_EQ(points.ids, (Ids{1, 2, 3, 4, 9}));
  EXPECT_EQ(corners(points), (Corners{{1, 2}}));
  std::string spaced;
  for (const char c : text) spaced += c == '\n' ? std::string("\n\n  \n") : std::string(1, c);
  EXPECT_EQ(corners(read(spaced)), (Corners{{1, 2}}));
  EXPECT_EQ(read(spaced).positions, points.positions);
}

TEST(GmshSections, ElementsOfTheHighestDimensionAreKept) {
  const std::string point = "1 15 2 0 1 1\n", line = "2 1 2 0 1 1 2\n", triangle = "3 2 2 0 1 1 2 3\n",
                    quadrilateral = "4 3 2 0 1 1 2 3 4\n", tetrahedron = "5 4 2 0 1 1 2 3 9\n",
                    hexahedron = "6 5 2 0 1 1 2 3 4 1 2 3 4\n", bent = "7 8 2 0 1 1 2 3\n";
  const auto elements = [](int count, const std::string& lines) {
    return kFormat2 + kNodes2 + section("Elements", std::to_string(count) + "\n" + lines);
  };
  EXPECT_EQ(corners(read(elements(2, point + line))), (Corners{{1, 2}}));
  EXPECT_TRUE(read(elements(2, point + line)).notes.empty());
  EXPECT_EQ(corners(read(elements(3, line + triangle + quadrilateral))), (Corners{{1, 2, 3}, {1, 2, 3}, {1, 3, 4}}));
  EXPECT_EQ(corners(read(elements(3, tetrahedron + line + triangle))), (Corners{{1, 2, 3, 9}}));
  EXPECT_TRUE(corners(read(elements(1, point))).empty());
  const Points rest = read(elements(5, hexahedron + line + bent + hexahedron + point));
  EXPECT_EQ(corners(rest), (Corners{{1, 2}}));
  const std::string why = " are left out: they are not lines, triangles, quadrilaterals or tetrahedra of first order.";
  EXPECT_EQ(rest.notes,
            (std::vector<std::string>{"2 elements of gmsh's type 5" + why, "1 elements of gmsh's type 8" + why}));
}

TEST(GmshSections, ElementsHaveTheNodesOfTheirType) {
  const auto element = [](const std::string& line) {
    return refusal(kFormat2 + kNodes2 + section("Elements", "1\n" + line + "\n"));
  };
  const std::string remedy = " Complete the line; the file may have been cut.";
  EXPECT_EQ(element("1 1 2 0 1 1"), "mesh.msh:14:1: The element has 1 nodes, not 2 as its type." + remedy);
  EXPECT_EQ(element("1 2 2 0 1 1 2 3 4"), "mesh.msh:14:1: The element has 4 nodes, not 3 as its type." + remedy);
  EXPECT_EQ(element("1 3 2 0 1 1 2 3"), "mesh.msh:14:1: The element has 3 nodes, not 4 as its type." + remedy);
  EXPECT_EQ(element("1 4 2 0 1 1 2 3 4 9"), "mesh.msh:14:1: The element has 5 nodes, not 4 as its type." + remedy);
  EXPECT_EQ(element("1 1 4 0 1 1"),
            "mesh.msh:14:1: The element has fewer entries than it announces. Complete the line.");
  EXPECT_EQ(element("1 1 -1 0 1 1"), "mesh.msh:14:1: A count is '-1'. It must not be negative.");
}

/// Elements may have no tags, one or several; the first one is the physical group.
TEST(GmshSections, TagsOfVersion2TellTheGroup) {
  const std::string names = section("PhysicalNames", "3\n1 2 \"a\"\n1 3 \"b\"\n1 1 \"c\"\n");
  const std::string text =
      kFormat2 + names + kNodes2 +
      section("Elements", "6\n1 1 0 2 3\n2 1 1 2 1 2\n3 1 2 -2 7 4 9\n4 1 3 3 2 2 2 9\n5 1 0 1 9\n6 1 1 1 3 4\n");
  EXPECT_EQ(corners(read(text, "a")), (Corners{{1, 2}, {4, 9}}));
  EXPECT_EQ(read(text, "a").ids, (Ids{1, 2, 4, 9}));
  EXPECT_EQ(corners(read(text, "b")), (Corners{{2, 9}}));
  EXPECT_EQ(corners(read(text, "c")), (Corners{{3, 4}}));
  EXPECT_EQ(read(text).simplices.size(), 6U);
}

/// Groups of several dimensions may have one number, and a name may stand for several groups.
TEST(GmshSections, GroupsAreToldApartByDimensionAndNumber) {
  const std::string names = section("PhysicalNames", "4\n1 5 \"edge\"\n2 5 \"face\"\n2 6 \"both\"\n1 7 \"both\"\n");
  const std::string text =
      kFormat2 + names + kNodes2 +
      section("Elements", "5\n1 1 1 5 1 2\n2 2 1 5 1 2 3\n3 2 1 6 2 3 4\n4 1 1 7 4 9\n5 15 1 5 9\n");
  EXPECT_EQ(corners(read(text, "edge")), (Corners{{1, 2}}));
  EXPECT_EQ(corners(read(text, "face")), (Corners{{1, 2, 3}}));
  EXPECT_EQ(corners(read(text, "both")), (Corners{{2, 3, 4}}));
  EXPECT_EQ(read(text, "both").ids, (Ids{2, 3, 4, 9}));
  EXPECT_EQ(read(text, "edge").ids, (Ids{1, 2, 9}))
      << "a type without a dimension here is in every group of its number";
}

TEST(GmshSections, EntitiesOfVersion4TellTheGroup) {
  const std::string names = section("PhysicalNames", "4\n0 4 \"tips\"\n1 5 \"edge\"\n2 5 \"face\"\n3 6 \"body\"\n");
  // A tip (1), two edges (1 with groups 3 and 5, 2 with none), a face (1 with group -5), a body (7).
  const std::string entities = section("Entities",
                                       "1 2 1 1\n1 0 0 0 1 4\n1 0 0 0 1 0 0 2 3 5 2 1 -1\n2 0 0 0 1 0 0 0 2 1 2\n"
                                       "1 0 0 0 1 1 0 1 -5 1 1\n7 0 0 0 1 1 1 1 6 0\n");
  const std::string elements =
      section("Elements",
              "5 6 1 6\n0 1 15 1\n1 9\n1 1 1 1\n2 1 2\n1 2 1 1\n3 2 3\n2 1 2 2\n4 1 2 3\n5 1 3 4\n"
              "3 7 4 1\n6 1 2 3 9\n");
  const std::string text = kFormat4 + names + entities + kNodes4 + elements;
  EXPECT_EQ(read(text, "tips").ids, Ids{9});
  EXPECT_EQ(corners(read(text, "edge")), (Corners{{1, 2}}));
  EXPECT_EQ(corners(read(text, "face")), (Corners{{1, 2, 3}, {1, 3, 4}}));
  EXPECT_EQ(corners(read(text, "body")), (Corners{{1, 2, 3, 9}}));
  EXPECT_EQ(corners(read(text)), (Corners{{1, 2, 3, 9}}));
}

TEST(GmshSections, AnEntityHasTheGroupsThatItAnnounces) {
  const auto entity = [](const std::string& line) {
    return kFormat4 + section("Entities", "0 1 0 0\n" + line + "\n") + kNodes4;
  };
  EXPECT_EQ(read(entity("5 0 0 0 1 0 0 2 8 9")).ids.size(), 5U);
  const std::string fewer = "mesh.msh:6:1: The entity has fewer physical groups than it announces. Complete the line.";
  EXPECT_EQ(refusal(entity("5 0 0 0 1 0 0 3 8 9")), fewer);
  EXPECT_EQ(refusal(entity("5 0 0 0 1 0 0 1")), fewer);
  EXPECT_EQ(refusal(entity("5 0 0 0 1 0 0")),
            "mesh.msh:6:1: The line has 7 entries, not at least 8. Complete it; the file may have been cut.");
  EXPECT_EQ(refusal(kFormat4 + "$Entities\n1 0 0 0\n1 0 0 0\n"),
            "mesh.msh:6:1: The line has 4 entries, not at least 5. Complete it; the file may have been cut.");
}

TEST(GmshSections, CountsMayBeZero) {
  EXPECT_EQ(read(kFormat2 + section("PhysicalNames", "0\n") + kNodes2 + section("Elements", "0\n")).ids.size(), 5U);
  EXPECT_EQ(read(kFormat4 + section("Entities", "0 0 0 0\n") + kNodes4 + section("Elements", "0 0 0 0\n")).ids.size(),
            5U);
  EXPECT_EQ(refusal(kFormat2 + section("Nodes", "0\n")),
            "mesh.msh:6:1: The file has no nodes. Save the mesh, not the geometry alone.");
}

TEST(GmshSections, NamesStandInQuotes) {
  const auto names = [](const std::string& line) {
    return kFormat2 + section("PhysicalNames", "1\n" + line + "\n") + kNodes2 + section("Elements", "1\n1 1 1 8 1 2\n");
  };
  EXPECT_EQ(corners(read(names("1 8 \"a \"b\" c\""), "a \"b\" c")), (Corners{{1, 2}}));
  EXPECT_EQ(corners(read(names("1 8 \"x\""), "x")), (Corners{{1, 2}}));
  const std::string none =
      "mesh.msh:6:1: A physical group has no name in quotes. Write dimension, number and \"name\".";
  EXPECT_EQ(refusal(names("1 8 x"), "x"), none);
  EXPECT_EQ(refusal(names("1 8 \"x"), "x"), none);
}

TEST(GmshSections, UnknownGroupsAreTold) {
  const std::string mesh = kNodes2 + section("Elements", "1\n1 1 1 8 1 2\n");
  EXPECT_EQ(refusal(kFormat2 + mesh, "wall"), "mesh.msh: There is no physical group 'wall'. The file names no groups.");
  EXPECT_EQ(refusal(kFormat2 + section("PhysicalNames", "1\n1 8 \"walk\"\n") + mesh, "wall"),
            "mesh.msh: There is no physical group 'wall'. Did you mean 'walk'?");
  EXPECT_EQ(refusal(kFormat2 + section("PhysicalNames", "1\n1 9 \"wall\"\n") + mesh, "wall"),
            "mesh.msh: The physical group 'wall' has no elements. Save the mesh after the group is defined.");
}

TEST(GmshSections, MistakesHaveTheirPlaceAndRemedy) {
  EXPECT_EQ(refusal("solid x\n"),
            "mesh.msh:1:1: Here a section should begin, not 'solid x'. Check that this is a gmsh file in ASCII.");
  EXPECT_EQ(refusal("$Nodes\n"),
            "mesh.msh:1:1: The first section is $'Nodes', not $MeshFormat. Check that this is a gmsh file of version "
            "2.2 or 4.1.");
  EXPECT_EQ(refusal("$MeshFormat\n2.2 1 8\n"),
            "mesh.msh:2:1: The file is binary. Save it as ASCII (gmsh without -bin).");
  EXPECT_EQ(refusal("$MeshFormat\n2.2 0\n"),
            "mesh.msh:2:1: The line has 2 entries, not at least 3. Complete it; the file may have been cut.");
  EXPECT_EQ(refusal(kFormat2 + "$Nodes\n1\n1 0 0 0\n2 0 0 0\n"),
            "mesh.msh:7:1: Here $EndNodes should stand, not '2 0 0 0'. Check the numbers that the section announces.");
  EXPECT_EQ(refusal(kFormat2 + "$Nodes\n1\n"),
            "mesh.msh:5:1: The file ends inside the section 'Nodes'. It may have been cut; write it again.");
  EXPECT_EQ(refusal(kFormat2 + "$Other\n1\n"),
            "mesh.msh:5:1: The file ends inside the section 'Other'. It may have been cut; write it again.");
  EXPECT_EQ(refusal(kFormat4 + "$Nodes\n1 1 1\n"),
            "mesh.msh:5:1: The line has 3 entries, not at least 4. Complete it; the file may have been cut.");
  EXPECT_EQ(refusal(kFormat4 + kNodes4 + "$Elements\n1 1 1\n"),
            "mesh.msh:19:1: The line has 3 entries, not at least 4. Complete it; the file may have been cut.");
  EXPECT_EQ(refusal(kFormat4 + kNodes4 + "$Elements\n1 1 1 1\n1 1 1 1\n1\n"),
            "mesh.msh:21:1: The line has 1 entries, not at least 2. Complete it; the file may have been cut.");
}

}  // namespace
}  // namespace koppla::mapping::gmsh_sections_test
