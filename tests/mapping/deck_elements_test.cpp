// Elements and keywords of decks, one by one.

#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::deck_elements_test {
namespace {

using Ids = std::vector<std::int64_t>;
using Corners = std::vector<std::vector<std::int64_t>>;

const std::string kNodes = "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n";  // six lines

Points read(const std::string& text, const std::string& set = {}) {
  return parseDeck(text, "model.inp", set);
}

core::Problem refusal(const std::string& text, const std::string& set = {}) {
  return test::mistakeOf([&] { read(text, set); });
}

Corners corners(const Points& points) {
  Corners result;
  for (const Simplex& simplex : points.simplices) {
    result.emplace_back();
    for (std::size_t i = 0; i < simplex.count; ++i) result.back().push_back(points.ids[simplex.corners[i]]);
  }
  return result;
}

/// The list of docs/mapping.md.
TEST(DeckElements, OfTheseTypesAreRead) {
  for (const std::string type : {"T3D2", "T2D2", "B31", "B31R", "B21"})
    EXPECT_EQ(corners(read(kNodes + "*ELEMENT,TYPE=" + type + "\n7,2,1\n")), (Corners{{2, 1}})) << type;
  for (const std::string type : {"S3", "S3R", "CPS3", "CPE3", "CAX3", "M3D3", "C2D3"})
    EXPECT_EQ(corners(read(kNodes + "*ELEMENT,TYPE=" + type + "\n7,2,1,4\n")), (Corners{{2, 1, 4}})) << type;
  for (const std::string type : {"S4", "S4R", "CPS4", "CPS4R", "CPE4", "CPE4R", "CAX4", "CAX4R", "M3D4", "M3D4R"})
    EXPECT_EQ(corners(read(kNodes + "*ELEMENT,TYPE=" + type + "\n7,2,3,4,1\n")), (Corners{{2, 3, 4}, {2, 4, 1}}))
        << type;
  EXPECT_EQ(corners(read(kNodes + "*ELEMENT,TYPE=C3D4\n7,2,3,4,5\n8,1,2,3,5\n")),
            (Corners{{2, 3, 4, 5}, {1, 2, 3, 5}}));
}

TEST(DeckElements, OfOtherTypesAreLeftOutWithOneNoteForEachType) {
  const Points points = read(kNodes +
                             "*ELEMENT,TYPE=C3D8\n1,1,2,3,4,1,2,3,4\n*ELEMENT,TYPE=S3\n2,1,2,3\n"
                             "*ELEMENT,TYPE=C3D8\n3,1,2,3,4,1,2,3,4\n*ELEMENT,TYPE=MASS\n4,1\n*ELEMENT\n5,1\n");
  EXPECT_EQ(corners(points), (Corners{{1, 2, 3}}));
  const auto note = [](const std::string& type) {
    return "Elements of type '" + type +
           "' are left out: they are not segments, triangles, quadrilaterals or tetrahedra with nodes at their corners "
           "only.";
  };
  EXPECT_EQ(points.notes, (std::vector<std::string>{note("C3D8"), note("MASS"), note("")}));
}

TEST(DeckElements, MayComeBeforeTheirNodesAndGoOnOverLines) {
  const Points points = read("*ELEMENT,TYPE=S4\n1,1\n,2,\n3\n4\n*ELEMENT,TYPE=B31\n2,1,2,\n3,2,3\n" + kNodes);
  EXPECT_EQ(corners(points), (Corners{{1, 2, 3}, {1, 3, 4}, {1, 2}, {2, 3}}));
}

TEST(DeckElements, OfASetHaveAllTheirCornersInIt) {
  const std::string deck = kNodes +
                           "*NSET,NSET=A\n4,3,1\n*ELEMENT,TYPE=S4\n1,1,2,3,4\n*ELEMENT,TYPE=S3\n2,4,3,1\n3,2,3,4\n"
                           "4,1,2,4\n5,1,3,2\n*ELEMENT,TYPE=B31\n6,3,4\n7,3,5\n8,5,4\n";
  const Points points = read(deck, "A");
  EXPECT_EQ(points.ids, (Ids{1, 3, 4}));
  EXPECT_EQ(points.positions, (std::vector<Position>{{0, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(corners(points), (Corners{{4, 3, 1}, {3, 4}}));
}

TEST(DeckElements, MistakesAreToldWhereTheyStand) {
  EXPECT_EQ(core::text(refusal(kNodes + "*ELEMENT,TYPE=S3\n1,1,2,3\n2,1,2\n")),
            "model.inp:9:1: The element 2 ends after 2 of its nodes. Complete it; the file may have been cut.");
  EXPECT_EQ(core::text(refusal(kNodes + "*ELEMENT,TYPE=B31\n1,1,2,3\n")),
            "model.inp:8:1: The element has 3 nodes, not 2 as its type. Write its id and its nodes.");
  EXPECT_EQ(refusal(kNodes + "*ELEMENT,TYPE=C3D4\n1,1,2,3,4,5\n").message,
            "The element has 5 nodes, not 4 as its type.");
  EXPECT_EQ(core::text(refusal(kNodes + "*ELEMENT,TYPE=B31\n1,1,2\n2,2,\n9\n*STEP\n")),
            "model.inp:10:1: There is no node 9 in the file. Define it, or leave out what refers to it.");
}

TEST(DeckKeywords, BlankLinesAndCommentsChangeNothing) {
  const Points points =
      read("** first\n\n*NODE\n1,0,0,0\n** between\n\n2,1,0,0\n*ELEMENT,TYPE=B31\n\n** there\n1,1,2\n  \n");
  EXPECT_EQ(points.ids, (Ids{1, 2}));
  EXPECT_EQ(corners(points), (Corners{{1, 2}}));
}

TEST(DeckKeywords, ParametersMayStandAnywhere) {
  const Points points = read("*node,\tNSET = all ,\n  system=r\n1,0,0,0\n*NSET , Generate,\t nset= A b \n1,1\n", "ab");
  EXPECT_EQ(points.ids, Ids{1});
  EXPECT_EQ(read("*NODE,NSET=all,\n1,0\n*NODE\n2,0\n").ids, Ids{2}) << "a comma at the end goes on to the next line";
}

TEST(DeckKeywords, DataOfOthersAreSkipped) {
  const Points points = read(kNodes +
                                 "*BOUNDARY\n1,1,3\n*ELEMENT,TYPE=B31\n1,1,2\n*ELASTIC\n2.1e5,0.3\n*NSET,NSET=A\n2\n"
                                 "*STEP\n3\n*NODE FILE\nU,S\n",
                             "A");
  EXPECT_EQ(points.ids, Ids{2});
  EXPECT_TRUE(points.notes.empty());
}

TEST(DeckKeywords, CoordinatesMayBeLeftEmpty) {
  const Points points = read("*NODE\n1,,2,3\n2,1,,3\n3,1\n4,1,2,\n");
  EXPECT_EQ(points.positions, (std::vector<Position>{{0, 2, 3}, {1, 0, 3}, {1, 0, 0}, {1, 2, 0}}));
}

TEST(DeckKeywords, SetsOfElementSetsAreNotRead) {
  const std::string deck = kNodes + "*NSET,NSET=A,ELSET=B\n1,2\n*NSET,NSET=C\n3\n";
  const Points points = read(deck, "C");
  EXPECT_EQ(points.ids, Ids{3});
  EXPECT_EQ(points.notes,
            std::vector<std::string>{"The node set 'A' is made of an element set; such sets are not read."});
  EXPECT_EQ(refusal(deck, "A").message, "There is no node set 'A'.");
}

TEST(DeckKeywords, WhatStandsInOtherFilesIsRefused) {
  for (const std::string keyword : {"*NODE,INPUT=a.inp", "*NSET,NSET=A,INPUT=a.inp", "*ELEMENT,TYPE=S3,INPUT=a.inp"}) {
    const core::Problem problem = refusal(kNodes + keyword + "\n");
    EXPECT_EQ(core::text(problem),
              "model.inp:7:1: INPUT= refers to another file, which is not read here. Put the lines "
              "of that file into this one.");
  }
  EXPECT_EQ(refusal("*INCLUDE,INPUT=a.inp\n").message, "*INCLUDE refers to another file, which is not read here.");
}

TEST(DeckKeywords, CoordinatesAreCartesian) {
  EXPECT_EQ(read("*NODE,SYSTEM=R\n1,0,0,0\n").ids, Ids{1});
  EXPECT_EQ(refusal("*NODE,SYSTEM=S\n1,0,0,0\n").message, "The nodes have a coordinate system of their own, SYSTEM=S.");
}

/// A gap in a list of nodes is no mistake of those who do not ask for sets.
TEST(DeckKeywords, SetsAreLookedAtOnlyWhereOneIsWanted) {
  const std::string deck = kNodes + "*NSET,NSET=A,GENERATE\nfirst,last\n";
  EXPECT_EQ(read(deck).ids.size(), 5U);
  EXPECT_EQ(refusal(deck, "A").place.line, 8U);
}

}  // namespace
}  // namespace koppla::mapping::deck_elements_test
