#include <gtest/gtest.h>

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

}  // namespace
}  // namespace koppla::project
