// `koppla plot` in a terminal and in a file: as large as it is told, or as the terminal is.

#include <cstdlib>

#include <gtest/gtest.h>

#include "koppla/report/plot_terminal.hpp"
#include "koppla/results/load.hpp"

#include "command.hpp"
#include "support/matches.hpp"

namespace koppla::test::plot_test {
namespace {

class PlotCommandTest : public ::testing::Test {
 protected:
  PlotCommandTest() {
    std::string rows = "time,\"a.y\",\"a.z\"\n";
    for (int i = 0; i <= 40; ++i)
      rows += std::to_string(i) + "," + std::to_string(i * i % 17) + "," + std::to_string(40 - i) + "\n";
    workspace_.write("r.csv", rows);
  }

  [[nodiscard]] std::string drawn(const report::TerminalPlot& plot,
                                  const std::vector<std::string>& variables = {}) const {
    return plotTerminal(results::load(workspace_.path("r.csv")), variables, plot);
  }

  /// What a terminal of so many columns is sent.
  [[nodiscard]] std::string onATerminal(int columns, const std::string& options = {}) const {
    const std::string command = "cd '" + workspace_.path().string() + "' && script -qec 'stty cols " +
                                std::to_string(columns) + "; " + KOPPLA_COMMAND " plot r.csv " + options +
                                "' typescript >/dev/null 2>&1 </dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << workspace_.read("typescript");  // NOLINT(concurrency-mt-unsafe)
    std::string text = test::replaced(workspace_.read("typescript"), "\r", "");
    text = text.substr(text.find('\n') + 1);  // what `script` says of itself
    return text.substr(0, text.find("\nScript done"));
  }

  Workspace workspace_;
};

TEST_F(PlotCommandTest, InAFileHasEightyColumnsAndNoColours) {
  EXPECT_EQ(workspace_.run({"plot", "r.csv"}).out, drawn({.width = 80, .height = 24, .colour = false}));
}

TEST_F(PlotCommandTest, IsAsLargeAsItIsTold) {
  EXPECT_EQ(workspace_.run({"plot", "r.csv", "--width", "41", "--height", "9"}).out,
            drawn({.width = 41, .height = 9, .colour = false}));
  EXPECT_EQ(workspace_.run({"plot", "r.csv", "a.z", "--width", "20", "--height", "5"}).out,
            drawn({.width = 20, .height = 5, .colour = false}, {"a.z"}));
}

TEST_F(PlotCommandTest, OnATerminalIsColouredAndAsWideAsThat) {
  for (const auto& [columns, width] : {std::pair{50, 50}, std::pair{0, 80}, std::pair{7, 20}, std::pair{300, 160}}) {
    const std::string expected = drawn({.width = width, .height = 24, .colour = true});
    EXPECT_NE(expected.find('\033'), std::string::npos);
    const std::string screen = onATerminal(columns);
    EXPECT_EQ(screen.substr(0, expected.size()), expected) << columns;
  }
  const std::string told = drawn({.width = 33, .height = 24, .colour = true});
  EXPECT_EQ(onATerminal(50, "--width 33").substr(0, told.size()), told);
}

TEST_F(PlotCommandTest, TellsOfThePictureThatItHasWritten) {
  const Result result = workspace_.run({"plot", "r.csv", "--svg", "r.svg"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(result.out, "written: r.svg\n");
}

}  // namespace
}  // namespace koppla::test::plot_test
