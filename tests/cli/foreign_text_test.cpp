// Names and texts of FMUs, project files and results: shown, never obeyed by the terminal.

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "koppla/core/printable.hpp"

#include "command.hpp"
#include "fmu_forge.hpp"

namespace koppla::test {
namespace {

/// Clears the screen in two spellings, rings, and turns what follows around.
const std::string kCommands =
    "\x1b[2J\xc2\x9b"
    "2J\x07\x7f\xe2\x80\xae";
const std::string kShown = "\\u001b[2J\\u009b2J\\u0007\\u007f\\u202e";

void expectHarmless(const Result& result) {
  EXPECT_EQ(core::printable(result.out, core::LineEnds::kept), result.out);
  EXPECT_EQ(core::printable(result.err, core::LineEnds::kept), result.err);
}

class ForeignText : public ::testing::Test {
 protected:
  ForeignText() {
    // ASCII's own controls but tab and line ends are no XML at all.
    writeGain(workspace_.path("shouting.fmu"),
              gainDescriptionWith("description=\"y = k u + b\"",
                                  "description=\"&#x9b;2J &#x7f; &#x202e; one&#10;error: faked\""),
              gainLibrary());
    workspace_.write("results.csv", "time,\"x" + kCommands + "\"\n0,1\n1,2\n");
  }

  Workspace workspace_;
};

TEST_F(ForeignText, OfAnFmuIsShownByInspect) {
  const Result result = workspace_.run({"inspect", "shouting.fmu"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  expectHarmless(result);
  EXPECT_NE(result.out.find("\\u009b2J \\u007f \\u202e one"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("\nerror: faked"), std::string::npos) << result.out;
}

TEST_F(ForeignText, IsTheSameInJson) {
  const Result result = workspace_.run({"inspect", "shouting.fmu", "--json"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  expectHarmless(result);
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_NE(document["facts"].dump().find("\xc2\x9b"
                                          "2J"),
            std::string::npos)
      << "what was meant is still there";
}

TEST_F(ForeignText, OfResultsIsShownByPlotsAndComparisons) {
  const Result plot = workspace_.run({"plot", "results.csv"});
  EXPECT_EQ(plot.exitCode, 0) << plot.all();
  expectHarmless(plot);
  EXPECT_NE(plot.out.find("x" + kShown), std::string::npos) << plot.out;

  EXPECT_EQ(workspace_.run({"plot", "results.csv", "--svg", "plot.svg"}).exitCode, 0);
  const std::string svg = workspace_.read("plot.svg");
  EXPECT_EQ(core::printable(svg, core::LineEnds::kept), svg);
  EXPECT_NE(svg.find("x" + kShown), std::string::npos) << svg;

  expectHarmless(workspace_.run({"compare", "results.csv", "results.csv"}));
  expectHarmless(workspace_.run({"compare", "results.csv", "results.csv", "--json"}));
  expectHarmless(workspace_.run({"plot", "results.csv", "no such name"}));
}

TEST_F(ForeignText, OfAProjectIsShownByErrorsAndRuns) {
  workspace_.write("wrong.toml", project("[[subsystems]]\nname = \"b\\u001b\\u009b\\u202e\\n\"\nfmu = \"none.fmu\"\n"));
  const Result wrong = workspace_.run({"check", "wrong.toml"});
  EXPECT_EQ(wrong.exitCode, 2) << wrong.all();
  expectHarmless(wrong);
}

}  // namespace
}  // namespace koppla::test
