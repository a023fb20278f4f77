#include "koppla/project/overrides.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/project/document.hpp"
#include "koppla/project/reader.hpp"

#include "problem_list.hpp"

namespace koppla::project {
namespace {

using test::mistakes;
using test::ProblemList;
using test::problemsOf;

constexpr std::string_view kText = R"(format = 1
[simulation]
end = 10.0
step = 0.1
[[subsystems]]
name = "a"
fmu = "a.fmu"
[subsystems.parameters]
k = 1.0
bus.gain = 1.0
)";

Reading parseWith(std::initializer_list<std::string_view> settings) {
  std::vector<Override> overrides;
  for (const std::string_view setting : settings) overrides.push_back(parseOverride(setting));
  return parse(kText, "loop.toml", overrides);
}

RawValue parameter(const Reading& reading, std::string_view name) {
  for (const Parameter& parameter : reading.project.subsystems.at(0).parameters)
    if (parameter.port.value == name) return parameter.values.at(0).value;
  return "missing";
}

TEST(Overrides, ReplaceOptionsOfTheFile) {
  const Reading reading = parseWith({"simulation.end=5", "simulation.start=1e0", "simulation.end=6"});
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(reading.project.settings.end, 6.0);
  EXPECT_EQ(reading.project.settings.start, 1.0);
}

TEST(Overrides, MakeSectionsThatTheFileLacks) {
  const Reading reading =
      parseWith({"algorithm.kind=newton", "results.variables=[\"a.*\"]", "algorithm.norm='nicolai'"});
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(reading.project.settings.algorithm.kind, coupling::AlgorithmKind::newton);
  EXPECT_EQ(reading.project.settings.algorithm.norm, coupling::Norm::nicolai);
  EXPECT_EQ(reading.project.settings.variables, std::vector<std::string>{"a.*"});
}

TEST(Overrides, SetParameters) {
  const Reading reading = parseWith({"a.k=3", "a.bus.gain=2.5", "a.mode=fast", "a.on=true", "a.mark=5#main"});
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(parameter(reading, "k"), RawValue(std::int64_t{3}));
  EXPECT_EQ(parameter(reading, "bus.gain"), RawValue(2.5));
  EXPECT_EQ(parameter(reading, "mode"), RawValue("fast"));
  EXPECT_EQ(parameter(reading, "on"), RawValue(true));
  EXPECT_EQ(parameter(reading, "mark"), RawValue("5#main"));
  EXPECT_EQ(reading.project.subsystems[0].parameters.size(), 5U);
}

TEST(Overrides, AreCheckedLikeTheFileAndComeAfterIt) {
  EXPECT_EQ(mistakes(parseWith({"simulation.step=-1", "algorithm.kin=newton", "algorithm.norm=rsm", "b.k=1", "end=5"})),
            (ProblemList{"command line 'step' in [simulation] is -1; it must be above 0.",
                         "command line 'rsm' is no value of 'norm' in [algorithm]. Did you mean 'rms'?",
                         "command line 'kin' is not an option of [algorithm]. Did you mean 'kind'?",
                         "command line 'b.k' names neither an option nor a subsystem's parameter. Did you mean 'a.k'?",
                         "command line 'end' names neither an option nor a subsystem's parameter. Did you mean "
                         "'simulation.end'?"}));
}

TEST(Overrides, AgreeWithTheRestOfTheFile) {
  EXPECT_EQ(
      mistakes(parseWith({"simulation.end=0.05"})),
      ProblemList{"4:8 The step, 0.1 s, is longer than the whole run, 0.05 s. Choose a shorter step or a later end."});
}

TEST(Overrides, NeedANameAndAValue) {
  for (const char* text : {"simulation.end", "=5", ""})
    EXPECT_EQ(problemsOf([text] { parseOverride(text); }),
              ProblemList{"command line '" + std::string(text) +
                          "' is no setting. Write name=value, such as simulation.end=5."});
  EXPECT_EQ(parseOverride("a.b=c=d").value, "c=d");
  EXPECT_EQ(parseOverride("a.b=").value, "");
}

TEST(Overrides, DivideAtTheFirstSignAndTheFirstDot) {
  const Override change = parseOverride("a.b.c=d=e.f");
  EXPECT_EQ(change.name, "a.b.c");
  EXPECT_EQ(change.value, "d=e.f");
  EXPECT_EQ(split(change).target, "a");
  EXPECT_EQ(split(change).key, "b.c");
  EXPECT_EQ(parseOverride("x=").value, "");
  EXPECT_EQ(split(parseOverride("end=5")).target, "");
  EXPECT_EQ(split(parseOverride("end=5")).key, "end");
  for (const char* wrong : {"", "x", "=", "=5"})
    EXPECT_EQ(
        problemsOf([&] {
          parseOverride(wrong, {"study.toml", 3, 4});
        }),
        ProblemList{"3:4 '" + std::string(wrong) + "' is no setting. Write name=value, such as simulation.end=5."});
}

TEST(Overrides, ReachPartsOfEntriesByTheirName) {
  const std::vector<Override> overrides{
      parseOverride("m.rod.mass=3"),     parseOverride("m.soft.stiffness=4"), parseOverride("m.push.force=[1, 2]"),
      parseOverride("m.micro_step=0.5"), parseOverride("m.parameters.k=7"),   parseOverride("other.parameters.k=8"),
      parseOverride("link.damping=9"),   parseOverride("m.nobody.mass=3"),    parseOverride("nobody.parameters.k=8"),
      parseOverride("m.turn.relaxed=5"), parseOverride("m.pin.joint=fixed")};
  Table document = parseToml(R"(
[[conditions]]
name = "link"
[[subsystems]]
name = 3
[[subsystems]]
fmu = "x"
[[subsystems]]
name = "m"
model = "multibody"
[[subsystems.bodies]]
name = "plate"
mass = 1.0
[[subsystems.bodies]]
name = "rod"
mass = 1.0
[[subsystems.springs]]
name = "soft"
[[subsystems.torsion_springs]]
name = "turn"
[[subsystems.forces]]
name = "push"
[[subsystems.joints]]
name = "pin"
[[subsystems]]
name = "other"
model = "rod"
)",
                             "x.toml");
  const std::vector<Override> left = applyToEntries(document, overrides);
  ASSERT_EQ(left.size(), 4U);
  EXPECT_EQ(left[0].name, "m.k");
  EXPECT_EQ(left[1].name, "other.k");
  EXPECT_EQ(left[2].name, "m.nobody.mass");
  EXPECT_EQ(left[3].name, "nobody.parameters.k");
  const auto find = [](const Table& table, std::string_view key) -> const Node* {
    for (const Entry& entry : table)
      if (entry.key == key) return &entry.node;
    return nullptr;
  };
  const auto item = [&](const Table& table, std::string_view key, std::size_t i) -> const Table& {
    return std::get<Table>(std::get<Array>(find(table, key)->value).at(i).value);
  };
  const auto shown = [&](const Table& table, std::string_view key) {
    const Node* const node = find(table, key);
    return node == nullptr ? "nothing" : inWords(*node);
  };
  const Table& m = item(document, "subsystems", 2);
  EXPECT_EQ(shown(item(m, "bodies", 0), "mass"), "the real 1");
  EXPECT_EQ(shown(item(m, "bodies", 1), "mass"), "the integer 3");
  EXPECT_EQ(shown(item(m, "springs", 0), "stiffness"), "the integer 4");
  EXPECT_EQ(shown(item(m, "torsion_springs", 0), "relaxed"), "the integer 5");
  EXPECT_EQ(shown(item(m, "forces", 0), "force"), "an array");
  EXPECT_EQ(shown(item(m, "joints", 0), "joint"), "the string 'fixed'");
  EXPECT_EQ(shown(m, "micro_step"), "the real 0.5");
  EXPECT_EQ(shown(item(document, "conditions", 0), "damping"), "the integer 9");
}

TEST(Overrides, OfSectionsStandInTheDocument) {
  Table document = parseToml("simulation = 5\n[results]\nfolder = \"out\"\n", "x.toml");
  const std::vector<std::string_view> sections{"simulation", "results", "algorithm"};
  const std::vector<Override> overrides{parseOverride("simulation.end=1"),
                                        parseOverride("results.folder=in"),
                                        parseOverride("results.a.b=2"),
                                        parseOverride("algorithm.kind=newton"),
                                        parseOverride("a.k=3"),
                                        parseOverride("end=4")};
  const std::vector<Override> left = applyToSections(document, overrides, sections);
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].name, "a.k");
  EXPECT_EQ(left[1].name, "end");
  ASSERT_EQ(document.size(), 3U);
  EXPECT_EQ(inWords(document[0].node), "the integer 5") << "its reader will complain";
  const Table& results = std::get<Table>(document[1].node.value);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(inWords(results[0].node), "the string 'in'");
  EXPECT_EQ(results[0].place.file, commandLine().file);
  EXPECT_EQ(results[1].key, "a.b") << "only [reference] has tables";
  EXPECT_EQ(document[2].key, "algorithm");
  EXPECT_EQ(std::get<Table>(document[2].node.value).front().key, "kind");
}

}  // namespace
}  // namespace koppla::project
