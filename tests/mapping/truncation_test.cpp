// Files of points are foreign input: cut or changed anywhere, they are read or refused, and what is read is whole.

#include <random>

#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::test {
namespace {

using Reader = std::function<Points(const std::string&)>;

struct Sample {
  const char* name;
  std::string text;
  Reader read;
};

std::vector<Sample> samples() {
  const std::string deck =
      "*NODE, NSET=ALL\n1, 0., 0., 0.\n2, 1., 0., 0.\n3, 1., 1., 0.\n4, 0., 1., 0.\n*NSET, NSET=PART, GENERATE\n1, 3\n"
      "*NSET, NSET=WHOLE\nPART, 4\n*ELEMENT, TYPE=S4\n1, 1, 2,\n3, 4\n*ELEMENT, TYPE=T3D2\n2, 1, 3\n";
  const std::string names = "$PhysicalNames\n1\n2 9 \"wall\"\n$EndPhysicalNames\n";
  const std::string gmsh2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" + names +
                            "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
                            "$Elements\n2\n1 2 2 9 1 1 2 3\n2 2 2 9 1 1 3 4\n$EndElements\n";
  const std::string gmsh4 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" + names +
                            "$Entities\n0 0 1 0\n6 0 0 0 1 1 0 1 9 0\n$EndEntities\n"
                            "$Nodes\n1 4 1 4\n2 6 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n"
                            "$Elements\n1 2 1 2\n2 6 2 2\n1 1 2 3\n2 1 3 4\n$EndElements\n";
  return {{"csv", "id,x,y,z\n1,0,0,0\n2,1.5,0,0\n3,0,1e-3,0\n",
           [](const std::string& text) { return parseCsvPoints(text, "f"); }},
          {"deck", deck, [](const std::string& text) { return parseDeck(text, "f"); }},
          {"set of a deck", deck, [](const std::string& text) { return parseDeck(text, "f", "whole"); }},
          {"gmsh 2.2", gmsh2, [](const std::string& text) { return parseGmsh(text, "f"); }},
          {"group of gmsh 2.2", gmsh2, [](const std::string& text) { return parseGmsh(text, "f", "wall"); }},
          {"gmsh 4.1", gmsh4, [](const std::string& text) { return parseGmsh(text, "f"); }},
          {"group of gmsh 4.1", gmsh4, [](const std::string& text) { return parseGmsh(text, "f", "wall"); }}};
}

void readOrRefuse(const Sample& sample, const std::string& text) {
  Points points;
  try {
    points = sample.read(text);
  } catch (const core::InputError& error) {
    ASSERT_FALSE(error.problems().front().remedy.empty()) << error.what();
    ASSERT_EQ(error.problems().front().place.file, "f");
    return;
  }
  // Only coordinates that are finite but too large to be mapped may still be refused.
  try {
    check(points, "f");
  } catch (const core::InputError& error) {
    ASSERT_NE(std::string(error.what()).find("1e100"), std::string::npos) << error.what();
  }
}

TEST(Truncation, WholeFilesAreRead) {
  for (const Sample& sample : samples()) EXPECT_NO_THROW(check(sample.read(sample.text), "f")) << sample.name;
}

TEST(Truncation, FilesCutAtAnyByteAreReadOrRefused) {
  for (const Sample& sample : samples())
    for (std::size_t length = 0; length < sample.text.size(); ++length)
      readOrRefuse(sample, sample.text.substr(0, length));
}

TEST(Truncation, FilesWithBytesChangedAreReadOrRefused) {
  std::mt19937 random(1);
  constexpr std::string_view kLikely = "0123456789-+.,eE*$\n \t\"#";
  for (const Sample& sample : samples())
    for (int round = 0; round < 2000; ++round) {
      std::string changed = sample.text;
      for (unsigned i = 0; i < 1 + random() % 4; ++i)
        changed[random() % changed.size()] =
            random() % 4 == 0 ? static_cast<char>(random()) : kLikely[random() % kLikely.size()];
      readOrRefuse(sample, changed);
    }
}

TEST(Truncation, FilesWithPiecesMovedAndDoubledAreReadOrRefused) {
  std::mt19937 random(2);
  for (const Sample& sample : samples())
    for (int round = 0; round < 500; ++round) {
      const std::string piece = sample.text.substr(random() % sample.text.size(), random() % 60);
      std::string changed = sample.text;
      changed.erase(random() % changed.size(), random() % 60);
      changed.insert(random() % (changed.size() + 1), piece);
      readOrRefuse(sample, changed);
    }
}

/// gmsh files say how long they are, so a cut one is never taken for whole.
TEST(Truncation, CutGmshFilesAreRefusedOnceTheMeshHasBegun) {
  for (const Sample& sample : samples()) {
    if (std::string_view(sample.name).find("gmsh") == std::string_view::npos) continue;
    const std::size_t begin = sample.text.find("$Elements") + 1;
    for (std::size_t length = begin; length + 1 < sample.text.size(); ++length)
      EXPECT_THROW(sample.read(sample.text.substr(0, length)), core::InputError) << sample.name << " " << length;
  }
}

}  // namespace
}  // namespace koppla::mapping::test
