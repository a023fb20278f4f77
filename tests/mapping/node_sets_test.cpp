// Node sets of decks: what ranges and sets in sets name, by their definition.

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::node_sets_test {
namespace {

using Ids = std::vector<std::int64_t>;

std::string nodesOf(const Ids& ids) {
  std::string deck = "*NODE\n";
  for (const std::int64_t id : ids) deck += std::to_string(id) + ",0\n";
  return deck;
}

Ids idsIn(const std::string& deck, const std::string& set = "A") {
  return parseDeck(deck, "model.inp", set).ids;
}

core::Problem refusal(const std::string& deck, const std::string& set = "A") {
  return test::mistakeOf([&] { parseDeck(deck, "model.inp", set); });
}

/// In the order of the file, whether the range is longer than the file or shorter, and whatever the ids are.
RC_GTEST_PROP(NodeSets, ARangeHoldsEveryStepThFromFirstToLast, ()) {
  const auto drawn = *rc::gen::unique<Ids>(rc::gen::inRange<std::int64_t>(-60, 60));
  const auto first = *rc::gen::inRange<std::int64_t>(-70, 70);
  const auto last = first + *rc::gen::inRange<std::int64_t>(0, 100);
  const auto step = *rc::gen::inRange<std::int64_t>(1, 9);
  Ids expected;
  for (const std::int64_t id : drawn)
    if (id >= first && id <= last && (id - first) % step == 0) expected.push_back(id);
  RC_PRE(!expected.empty());
  const std::string deck = nodesOf(drawn) + "*NSET,NSET=A,GENERATE\n" + std::to_string(first) + "," +
                           std::to_string(last) + "," + std::to_string(step) + "\n";
  RC_ASSERT(idsIn(deck) == expected);
}

TEST(NodeSets, RangesMayBeAsWideAsNumbersAre) {
  const std::string nodes = nodesOf({5, -7, 9223372036854775807, 12});
  const auto range = [&](const std::string& line) { return idsIn(nodes + "*NSET,NSET=A,GENERATE\n" + line + "\n"); };
  const std::string least = std::to_string(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(range(least + ",9223372036854775807"), (Ids{5, -7, 9223372036854775807, 12}));
  EXPECT_EQ(range("-7,9223372036854775807,12"), (Ids{5, -7}));
  EXPECT_EQ(range("5,12,7"), (Ids{5, 12}));
  EXPECT_EQ(range("5,12,8"), Ids{5});
  EXPECT_EQ(range("5,12,1"), (Ids{5, 12}));
  EXPECT_EQ(range("12,12"), Ids{12});
}

TEST(NodeSets, AShortRangeLeavesOutNumbersThatAreUnused) {
  EXPECT_EQ(idsIn(nodesOf({30, 10, 20, 25, 40, 50, 60}) + "*NSET,NSET=A,GENERATE\n10,30,10\n"), (Ids{30, 10, 20}));
  EXPECT_EQ(idsIn(nodesOf({30, 10, 25, 40, 50, 60}) + "*NSET,NSET=A,GENERATE\n10,40,10\n"), (Ids{30, 10, 40}));
}

TEST(NodeSets, ASetHoldsAllThatItsLinesAndMembersName) {
  const std::string deck = nodesOf({1, 2, 3, 4, 5, 6, 7, 8, 9}) +
                           "*NSET,NSET=A\nB,\n9,,C\n*NSET,NSET=B\n2\n*NSET,NSET=C\nD\n*NSET,NSET=D,GENERATE\n4,5\n7,8\n"
                           "*NSET,NSET=B\n1,C\n*NSET,NSET=E\n3\n";
  EXPECT_EQ(idsIn(deck), (Ids{1, 2, 4, 5, 7, 8, 9}));
  EXPECT_EQ(idsIn(deck, "b"), (Ids{1, 2, 4, 5, 7, 8}));
  EXPECT_EQ(idsIn(deck, "c"), (Ids{4, 5, 7, 8}));
  EXPECT_EQ(idsIn(deck, "e"), Ids{3});
}

TEST(NodeSets, NodesWithoutASetNameAreInNone) {
  const std::string deck =
      "*NODE,NSET=A\n1,0\n*NODE\n2,0\n*NODE,NSET=B\n3,0\n*NODE,NSET=A\n4,0\n*NSET,NSET=C\n2\n*NODE\n5,0\n";
  EXPECT_EQ(idsIn(deck), (Ids{1, 4}));
  EXPECT_EQ(idsIn(deck, "B"), Ids{3});
  EXPECT_EQ(idsIn(deck, "C"), Ids{2});
}

/// One after a set by ranges names single nodes again.
TEST(NodeSets, ARangeIsOneOnlyWhereGenerateStands) {
  const std::string deck = nodesOf({1, 2, 3, 4}) + "*NSET,NSET=A,GENERATE\n1,3\n*NSET,NSET=B\n1,3\n";
  EXPECT_EQ(idsIn(deck), (Ids{1, 2, 3}));
  EXPECT_EQ(idsIn(deck, "B"), (Ids{1, 3}));
}

TEST(NodeSets, MistakesHaveTheirPlaceAndRemedy) {
  const std::string nodes = nodesOf({1, 2, 3, 4});  // five lines
  const auto text = [](const core::Problem& problem) { return core::text(problem); };
  EXPECT_EQ(
      text(refusal(nodes)),
      "model.inp: There is no node set 'A'. It has none at all; gmsh writes them with Mesh.SaveGroupsOfNodes = 1.");
  EXPECT_EQ(text(refusal(nodes + "*NSET,NSET=LEFT\n1\n*NSET,NSET=RIGHT\n1\n", "lefd")),
            "model.inp: There is no node set 'LEFD'. Did you mean 'LEFT'?");
  EXPECT_EQ(text(refusal(nodes + "*NSET,NSET=LEFT\n1\n*NSET,NSET=A\n1\nrihgt\n*NSET,NSET=RIGHT\n1\n")),
            "model.inp:10:1: There is no node set 'RIHGT'. Did you mean 'RIGHT'?");
  EXPECT_EQ(text(refusal(nodes + "*NSET,NSET=A\n1\n5\n")),
            "model.inp:8:1: There is no node 5 in the file. Define it, or leave out what refers to it.");
  EXPECT_EQ(text(refusal(nodes + "*NSET,NSET=A,GENERATE\n5,6\n")),
            "model.inp:7:1: There is no node from 5 to 6 in the file. Check first, last and step of the range.");
  EXPECT_EQ(
      text(refusal(nodes + "*NSET,NSET=A\n")),
      "model.inp: There is no node set 'A'. It has none at all; gmsh writes them with Mesh.SaveGroupsOfNodes = 1.");
  EXPECT_EQ(text(refusal(nodes + "*NSET,NSET=A\nB\n*NSET,NSET=B\nA\n")),
            "model.inp:9:1: The node set 'A' is empty. Name a set with nodes.");
  for (const std::string line : {"1", "1,2,3,4"})
    EXPECT_EQ(refusal(nodes + "*NSET,NSET=A,GENERATE\n" + line + "\n").place.line, 7U);
  EXPECT_EQ(refusal(nodes + "*NSET,NSET=A,GENERATE\n1\n").message, "A range of nodes has 1 entries.");
  EXPECT_EQ(refusal(nodes + "*NSET,NSET=A,GENERATE\n1,2,3,4\n").message, "A range of nodes has 4 entries.");
  for (const std::string line : {"3,2", "1,3,0", "1,3,-1", "3,2,-1"})
    EXPECT_EQ(refusal(nodes + "*NSET,NSET=A,GENERATE\n" + line + "\n").message, "The range of nodes does not rise.");
  for (const std::string line : {"x,2", "1,x", "1,2,x"})
    EXPECT_NE(refusal(nodes + "*NSET,NSET=A,GENERATE\n" + line + "\n").message.find("'x'"), std::string::npos);
}

/// Sets that nobody asks for are not looked at.
TEST(NodeSets, OtherSetsMayNameWhatIsNotThere) {
  const std::string deck = nodesOf({1, 2}) + "*NSET,NSET=A\n1\n*NSET,NSET=B\n77,C\n*NSET,NSET=D,GENERATE\n";
  EXPECT_EQ(idsIn(deck), Ids{1});
  EXPECT_EQ(parseDeck(deck + "1\n", "model.inp").ids, (Ids{1, 2}));
}

/// Ranges may name as many nodes as the file has bytes, and no more: a short file is not to cost much work.
TEST(NodeSets, RangesNameAtMostAsManyNodesAsTheFileHasBytes) {
  const std::string deck = nodesOf({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) + "*NSET,NSET=A,GENERATE\n";
  const auto padded = [&](std::size_t ranges, std::size_t bytes) {
    std::string text = deck;
    for (std::size_t i = 0; i < ranges; ++i) text += "1,10\n";
    text += "**";
    EXPECT_LE(text.size(), bytes);
    return text + std::string(bytes - text.size(), ' ');
  };
  EXPECT_EQ(idsIn(padded(20, 200)).size(), 10U);
  const core::Problem tooMuch = refusal(padded(20, 199));
  EXPECT_EQ(tooMuch.place.line, 12U + 20U);
  EXPECT_EQ(tooMuch.message, "The ranges of the node set name far more nodes than the file has.");
}

}  // namespace
}  // namespace koppla::mapping::node_sets_test
