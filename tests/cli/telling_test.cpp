// What `koppla check`, `inspect` and `compare` print, to the letter.

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace koppla::test::telling_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(CheckCommand, TellsSubsystemsConnectionsConditionsAndTheirOrder) {
  const Workspace workspace;
  workspace.write("mühle.toml", project("[algorithm]\nmax_iterations = 5\n"));
  const Result plain = workspace.run({"check", "mühle.toml"});
  EXPECT_EQ(plain.exitCode, 0) << plain.all();
  EXPECT_EQ(plain.out, "mühle.toml: no mistakes. 1 subsystems, 0 connections.\norder of evaluation: a\n");
  EXPECT_TRUE(plain.err.starts_with("warning: project: mühle.toml:9:1: 'max_iterations' in [algorithm] has no effect"))
      << plain.err;
  EXPECT_EQ(workspace.run({"check", "mühle.toml", "--json"}).out,
            "{\n  \"project\": \"mühle.toml\",\n  \"subsystems\": 1,\n  \"connections\": 0,\n  \"conditions\": 0,\n"
            "  \"mappings\": [],\n  \"order\": [\n    {\n      \"members\": [\n        \"a\"\n      ],\n"
            "      \"closed\": false\n    }\n  ]\n}\n");
}

TEST(CheckCommand, TellsMappingsOfFields) {
  const Workspace workspace;
  const std::string file = KOPPLA_EXAMPLES_DIR "/mapped-field/mapped.toml";
  const Result text = workspace.run({"check", file});
  EXPECT_EQ(text.exitCode, 0) << text.all();
  const std::string begin =
      file +
      ": no mistakes. 2 subsystems, 2 connections.\norder of evaluation: cycle(fluid, wall)\nmapping: "
      "fluid.Q -> wall.Q: linear, conservative, from 640 to 71 points; ";
  EXPECT_TRUE(text.out.starts_with(begin)) << text.out;
  EXPECT_NE(text.out.find("\nmapping: wall.T -> fluid.T: linear, consistent, from 71 to 640 points; "),
            std::string::npos);
  EXPECT_EQ(std::ranges::count(text.out, '\n'), 4) << text.out;
  const Json document = Json::parse(workspace.run({"check", file, "--json"}).out);
  EXPECT_EQ(document["mappings"].dump(), R"([{"from":"fluid.Q","to":"wall.Q","kind":"linear","form":"conservative"},)"
                                         R"({"from":"wall.T","to":"fluid.T","kind":"linear","form":"consistent"}])");
  EXPECT_EQ(document["order"].dump(), R"([{"members":["fluid","wall"],"closed":true}])");
}

TEST(InspectCommand, TellsWhatAModelCanDoAndItsVariables) {
  const Workspace workspace;
  const Result text = workspace.run({"inspect", "radiating-face"});
  EXPECT_EQ(text.exitCode, 0) << text.all();
  EXPECT_EQ(text.out,
            "model                    radiating-face\n"
            "description              a face that radiates: temperature in, flux out\n"
            "kind                     native model\n"
            "option emissivity        constant: how it depends on the temperature (constant, a, b, b480)\n\n"
            "can do\n"
            "  save and restore         yes\n"
            "  variable step            yes\n"
            "  input derivatives        up to order 5\n"
            "  output derivatives       up to order 1\n"
            "  directional derivatives  yes\n"
            "  steps of its own choice  no\n"
            "  evaluation between steps yes\n"
            "  only once per process    no\n\n"
            "4 variables\n"
            "  T1    input      real         start 0  [degC]  temperature of the face\n"
            "  q     output     real         [W/m2]  depends on T1  heat that leaves\n"
            "  eps   parameter  real         start 0.8  emissivity\n"
            "  T_U   parameter  real         start 20  [degC]  temperature of the surroundings\n");
  const std::string lag = workspace.run({"inspect", "fmus/FirstOrderLag.fmu"}).out;
  for (const char* part : {"\n  input derivatives        no\n", "\n  output derivatives       no\n",
                           "\n  y     output     real         depends on no input\n"})
    EXPECT_NE(lag.find(part), std::string::npos) << part << " is not in\n" << lag;
}

TEST(InspectCommand, SaysTheSameInJson) {
  const Workspace workspace;
  const std::string text = workspace.run({"inspect", "radiating-face", "--json"}).out;
  EXPECT_TRUE(text.starts_with("{\n  \"facts\": {\n    \"model\": \"radiating-face\",\n")) << text;
  const Json document = Json::parse(text);
  EXPECT_EQ(
      document["capabilities"].dump(),
      R"({"save_restore":true,"variable_step":true,"input_derivatives":5,"output_derivatives":1,)"
      R"("directional_derivatives":true,"own_steps":false,"evaluates_between_steps":true,"once_per_process":false})");
  EXPECT_EQ(
      document["variables"][1].dump(),
      R"({"name":"q","causality":"output","type":"real","unit":"W/m2","nominal":1.0,"description":"heat that leaves",)"
      R"("settable":false,"depends_on":["T1"]})");
  EXPECT_EQ(document["markers"].dump() + document["warnings"].dump(), "[][]");
}

class CompareCommandTest : public ::testing::Test {
 protected:
  CompareCommandTest() {
    workspace_.write("a.csv", "time,a.y\n0,1\n1,2\n");
    workspace_.write("b.csv", "time,a.y,b.ü\n0,1,5\n1,2.5,6\n");
  }
  Workspace workspace_;
};

TEST_F(CompareCommandTest, SaysInJsonHowFarVariablesAreApart) {
  const Result result = workspace_.run({"compare", "b.csv", "a.csv", "--rtol", "0", "--atol", "1", "--json"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(
      result.out,
      "{\n  \"equal\": true,\n  \"verdict\": \"equal within rtol = 0, atol = 1\",\n  \"rtol\": 0.0,\n  \"atol\": 1.0,\n"
      "  \"missing\": [],\n  \"extra\": [\n    \"b.ü\"\n  ],\n  \"other_units\": [],\n  \"variables\": [\n    {\n      "
      "\"name\": \"a.y\",\n"
      "      \"equal\": true,\n      \"max_error\": 0.5,\n      \"time\": 1.0,\n      \"error\": 0.5,\n"
      "      \"allowed\": 1.0,\n      \"remark\": \"\"\n    }\n  ]\n}\n");
}

TEST_F(CompareCommandTest, SaysInJsonWhichUnitsDiffer) {
  workspace_.write("mm.csv", "time,a.y [mm]\n0,1\n");
  workspace_.write("m.csv", "time,a.y [m]\n0,1\n");
  const Json document = Json::parse(workspace_.run({"compare", "mm.csv", "m.csv", "--json"}).out);
  EXPECT_EQ(document["other_units"].dump(), R"([{"name":"a.y","unit":"mm","reference_unit":"m"}])");
}

TEST_F(CompareCommandTest, TellsHowBothFilesWereRead) {
  workspace_.write("hours.csv", "time [h],a.y\n0,1\n");
  workspace_.write("minutes.csv", "time [min],a.y\n0,1\n");
  const std::string hours = "note: hours.csv: Times are given in h; read as seconds.\n";
  const std::string minutes = "note: minutes.csv: Times are given in min; read as seconds.\n";
  EXPECT_EQ(workspace_.run({"compare", "hours.csv", "minutes.csv"}).err, hours + minutes);
  EXPECT_EQ(workspace_.run({"compare", "minutes.csv", "hours.csv"}).err, minutes + hours);
}

TEST_F(CompareCommandTest, PatternsAreThoseOfTheReference) {
  const Result result = workspace_.run({"compare", "b.csv", "a.csv", "--variables", "b.*"});
  EXPECT_EQ(result.exitCode, 2) << result.all();
  EXPECT_TRUE(result.err.starts_with("error: a.csv: No variable fits 'b.*'.")) << result.err;
}

}  // namespace
}  // namespace koppla::test::telling_test
