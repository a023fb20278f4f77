#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::test {
namespace {

using Ids = std::vector<std::int64_t>;
using Corners = std::vector<std::vector<std::int64_t>>;

Points readDeck(std::string_view text, const std::string& set = {}) {
  return parseDeck(text, "model.inp", set);
}

/// The simplices by the ids of their corners.
Corners cornersOf(const Points& points) {
  Corners result;
  for (const Simplex& simplex : points.simplices) {
    result.emplace_back();
    for (std::size_t i = 0; i < simplex.count; ++i) result.back().push_back(points.ids[simplex.corners[i]]);
  }
  return result;
}

void expectDeckMistake(std::string_view text, std::size_t line, std::string_view part, const std::string& set = {}) {
  const core::Problem problem = mistakeOf([&] { readDeck(text, set); });
  EXPECT_EQ(problem.place.file, "model.inp");
  EXPECT_EQ(problem.place.line, line) << core::text(problem);
  EXPECT_NE(problem.message.find(part), std::string::npos) << core::text(problem);
}

constexpr std::string_view kNodes =
    "*HEADING\n a plate, with commas\n** comment\n*Node, nset=Nall\n"
    "10, 0., 0., 0.\n20, 1.D0, 0, 0\n30, 1, 1\n40, 0, 1, 0.\n50, .5, .5, 1.\n60, 9\n";

TEST(Deck, ReadsNodesAndSplitsElements) {
  const Points points = readDeck(std::string(kNodes) +
                                 "*ELEMENT, TYPE=S4, ELSET=shell\n1, 10,20,\n30,40\n"
                                 "*Element,type=cps3\n2, 10, 20, 30\n"
                                 "*ELEMENT,\nTYPE=C3D4\n3, 10, 20, 40, 50\n*ELEMENT, TYPE=B31\n4, 10, 50\n"
                                 "*MATERIAL, NAME=steel\n*ELASTIC\n210000., .3\n");
  EXPECT_EQ(points.ids, (Ids{10, 20, 30, 40, 50, 60}));
  EXPECT_EQ(points.positions[1], (Position{1, 0, 0}));
  EXPECT_EQ(points.positions[4], (Position{0.5, 0.5, 1}));
  EXPECT_EQ(points.positions[5], (Position{9, 0, 0}));
  EXPECT_EQ(cornersOf(points), (Corners{{10, 20, 30}, {10, 30, 40}, {10, 20, 30}, {10, 20, 40, 50}, {10, 50}}));
  EXPECT_TRUE(points.notes.empty());
}

TEST(Deck, KeepsANodeSetAndTheElementsInIt) {
  const std::string deck = std::string(kNodes) +
                           "*NSET, NSET=Left\n40, 10\n*NSET, NSET=steps, GENERATE\n10, 30, 20\n"
                           "*NSET, NSET=Both\nLEFT, Steps,\n*NSET, NSET=far, GENERATE\n1, 9000000000000000000\n"
                           "*ELEMENT, TYPE=S3\n1, 10, 30, 40\n2, 10, 20, 30\n";
  EXPECT_EQ(readDeck(deck, "left").ids, (Ids{10, 40}));
  EXPECT_EQ(readDeck(deck, "STEPS").ids, (Ids{10, 30}));
  EXPECT_EQ(readDeck(deck, "both").ids, (Ids{10, 30, 40}));
  EXPECT_EQ(cornersOf(readDeck(deck, "both")), (Corners{{10, 30, 40}}));
  EXPECT_EQ(readDeck(deck, "nall").ids.size(), 6U);
  EXPECT_EQ(readDeck(deck, "far").ids.size(), 6U);
}

TEST(Deck, SetsMayNameEachOther) {
  const std::string deck = std::string(kNodes) + "*NSET,NSET=A\n10,B\n*NSET,NSET=B\nA,20\n";
  EXPECT_EQ(readDeck(deck, "A").ids, (Ids{10, 20}));
}

TEST(Deck, TellsWhatIsLeftOut) {
  const Points points = readDeck(std::string(kNodes) + "*ELEMENT, TYPE=C3D8\n1, 1,2,3,4,5,6,7,8\n");
  EXPECT_TRUE(points.simplices.empty());
  ASSERT_EQ(points.notes.size(), 1U);
  EXPECT_NE(points.notes[0].find("'C3D8'"), std::string::npos);
}

TEST(Deck, RefusesWhatStandsInOtherFiles) {
  expectDeckMistake("*NODE\n1,0,0,0\n*INCLUDE, INPUT=mesh.inp\n", 3, "*INCLUDE");
  expectDeckMistake("*NODE, INPUT=mesh.inp\n", 1, "another file");
}

TEST(Deck, RefusesKeywordsThatMakeOrMoveNodes) {
  for (const std::string keyword : {"*SYSTEM", "*INSTANCE", "*NCOPY", "*NGEN", "*NFILL", "*NMAP", "*ELCOPY", "*ELGEN"})
    expectDeckMistake("*NODE\n1,0,0,0\n" + keyword + ", NAME=a\n1., 0., 0.\n", 3, keyword);
  expectDeckMistake("*system\n1., 0., 0.\n*NODE\n1,0,0,0\n", 1, "*SYSTEM");
}

TEST(Deck, NotesAxesOfNodesOnce) {
  const Points points = readDeck("*NODE\n1,0.5,0,0\n*TRANSFORM,NSET=A\n0,1,0,1,0,0\n*TRANSFORM,NSET=B\n0,1,0,1,0,0\n");
  EXPECT_EQ(points.positions.at(0)[0], 0.5);
  ASSERT_EQ(points.notes.size(), 1U);
  EXPECT_NE(points.notes[0].find("*TRANSFORM"), std::string::npos);
}

TEST(Deck, TellsTheLineOfEveryMistake) {
  const std::string nodes(kNodes);  // ten lines
  expectDeckMistake("*HEADING\nnothing\n", 2, "no nodes");
  expectDeckMistake("*NODE\n1\n", 2, "1 entries");
  expectDeckMistake("*NODE\n1,0,0,0,0\n", 2, "5 entries");
  expectDeckMistake("*NODE\n1,0,NaN,0\n", 2, "'NaN'");
  expectDeckMistake("*NODE\n1,0,0,0\n2,0,0,0\n1,1,0,0\n", 4, "The id 1 is already");
  expectDeckMistake("*NODE, SYSTEM=C\n1,0,0,0\n", 1, "SYSTEM=C");
  expectDeckMistake(nodes + "*ELEMENT,TYPE=S3\n1,10,20,99\n", 12, "no node 99");
  expectDeckMistake(nodes + "*ELEMENT,TYPE=S3\n1,10,20\n", 12, "ends after 2");
  expectDeckMistake(nodes + "*ELEMENT,TYPE=S3\n1,10,20\n*STEP\n", 13, "ends after 2");
  expectDeckMistake(nodes + "*ELEMENT,TYPE=S3\n1,10,20,30,40\n", 12, "4 nodes, not 3");
  expectDeckMistake(nodes + "*ELEMENT,TYPE=S3\n1,10,x,30\n", 12, "'x'");
  expectDeckMistake(nodes + "*NSET\n10\n", 11, "no name");
  expectDeckMistake(nodes + "*NSET,NSET=A\n10\n", 0, "no node set 'B'", "B");
  expectDeckMistake(nodes + "*NSET,NSET=A\n10,11\n", 12, "no node 11", "A");
  expectDeckMistake(nodes + "*NSET,NSET=A\n10,B\n", 12, "no node set 'B'", "A");
  expectDeckMistake(nodes + "*NSET,NSET=A,GENERATE\n30,10\n", 12, "does not rise", "A");
  expectDeckMistake(nodes + "*NSET,NSET=A,GENERATE\n10,30,0\n", 12, "does not rise", "A");
  expectDeckMistake(nodes + "*NSET,NSET=A,GENERATE\n11,19\n", 12, "no node from 11 to 19", "A");
}

TEST(Deck, BoundsTheWorkOfRanges) {
  std::string deck = "*NODE\n";
  for (int i = 1; i <= 2000; ++i) deck += std::to_string(i) + ",0\n";
  deck += "*NSET,NSET=A,GENERATE\n";
  for (int i = 0; i < 2000; ++i) deck += "1,2000\n";
  expectDeckMistake(deck, 2002 + 14, "far more nodes", "A");  // 26.9 kB: the 14th range of 2000 nodes is too much
}

}  // namespace
}  // namespace koppla::mapping::test
