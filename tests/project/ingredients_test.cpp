// What results depend on beside the text of a project file: a change of any of it must show.

#include "koppla/project/ingredients.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/project/reader.hpp"

namespace koppla::project::ingredients_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class IngredientsTest : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view text) { core::writeWhole(folder_.path() / name, text); }

  /// In the order of telling.
  std::vector<std::string> toldOf(const std::string& lines) {
    std::vector<std::string> told;
    Ingredients ingredients([&told](const Ingredient& ingredient) { told.emplace_back(ingredient.content); });
    const std::string text = "format = 1\nsimulation = { end = 1.0, step = 1.0 }\n" + lines;
    for (int i = 0; i < 2; ++i)  // of a second project with the same files nothing is told
      ingredients.tellThoseOf(parse(text, folder_.path() / "loop.toml").project);
    return told;
  }

  core::TemporaryFolder folder_{"ingredients"};
};

TEST_F(IngredientsTest, ArePointsOfMappings) {
  write("coarse.csv", "id,x\n1,0\n2,1\n");
  write("fine.csv", "id,x\n1,0\n2,0.5\n3,1\n");
  const std::string lines = R"([[subsystems]]
name = "a"
model = "signal"
times = [0, 1]
values = { s = [0.0, 1.0] }
[[connections]]
from = "a.s"
to = "a.s"
mapping = { form = "consistent", from = "coarse.csv", to = "fine.csv" }
)";
  EXPECT_THAT(toldOf(lines), ElementsAre("id,x\n1,0\n2,1\n", "id,x\n1,0\n2,0.5\n3,1\n"));
}

TEST_F(IngredientsTest, AreSamplesAndTheirTypes) {
  const std::string lines = "[[subsystems]]\nname = \"a\"\nmodel = \"signal\"\nfile = \"s.csv\"\n";
  const std::string samples = "time,b\n0,1\n2,3\n";
  const std::string units = "name,type,unit,description\nb,Real,m,\n";
  write("s.csv", samples);
  EXPECT_THAT(toldOf(lines), ElementsAre(samples));
  write("s.units.csv", units);
  EXPECT_THAT(toldOf(lines), ElementsAre(samples, units));
}

TEST_F(IngredientsTest, AreSamplesInTheFolderOfARun) {
  std::filesystem::create_directory(folder_.path() / "other.run");
  write("other.run/results.csv", "time,b\n0,1\n2,3\n");
  EXPECT_THAT(toldOf("[[subsystems]]\nname = \"a\"\nmodel = \"signal\"\nfile = \"other.run\"\n"),
              ElementsAre("time,b\n0,1\n2,3\n"));
}

TEST_F(IngredientsTest, AreNoneWhereAllIsInTheProject) {
  EXPECT_THAT(toldOf("[[subsystems]]\nname = \"a\"\nmodel = \"signal\"\ntimes = [0, 1]\nvalues = { s = [0.0, 1.0] }\n"),
              IsEmpty());
}

}  // namespace
}  // namespace koppla::project::ingredients_test
