#include "koppla/report/plot_terminal.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/report/text.hpp"

namespace koppla::report {
namespace {

using core::Type;
using Numbers = std::vector<double>;

results::Series series(std::string name, Numbers numbers, std::string unit = "m", Type type = Type::real) {
  return {std::move(name), std::move(unit), "", type, std::move(numbers), {}};
}

results::Table table(Numbers time, std::vector<results::Series> all) {
  results::Table result;
  result.time = std::move(time);
  result.series = std::move(all);
  return result;
}

std::vector<std::string> lines(const std::string& picture) {
  std::vector<std::string> result;
  for (std::size_t from = 0; from < picture.size();) {
    const std::size_t to = picture.find('\n', from);
    result.push_back(picture.substr(from, to - from));
    from = to + 1;
  }
  return result;
}

/// The dots inside the frame of a picture without colour, read back from its characters: [row of dots][column of dots].
std::vector<std::vector<bool>> dots(const std::string& picture) {
  std::vector<std::vector<bool>> result;
  for (const std::string& line : lines(picture)) {
    std::size_t axis = line.find("│");
    if (axis == std::string::npos) axis = line.find("┤");
    if (axis == std::string::npos) continue;
    const std::size_t top = result.size();
    result.resize(top + 4);
    const std::string_view rest = std::string_view(line).substr(axis + std::string_view("│").size());
    for (std::size_t i = 0; i < rest.size();) {
      unsigned bits = 0;
      if (rest[i] != ' ') {
        bits = ((static_cast<unsigned char>(rest[i + 1]) & 3U) << 6U) | (static_cast<unsigned char>(rest[i + 2]) & 63U);
        i += 2;
      }
      ++i;
      constexpr unsigned kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
      for (std::size_t y = 0; y < 4; ++y)
        for (const unsigned bit : kBits[y]) result[top + y].push_back((bits & bit) != 0);
    }
  }
  return result;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(PlotTerminal, AStraightLineIsADiagonal) {
  const std::string picture = plotTerminal(table({0, 10}, {series("a.x", {0, 10})}), {}, {60, 20, false});
  const auto grid = dots(picture);
  std::size_t width = 0;
  for (const auto& row : grid) width = std::max(width, row.size());
  ASSERT_GT(grid.size(), 20U);
  ASSERT_GT(width, 60U);
  for (std::size_t y = 0; y < grid.size(); ++y)
    for (std::size_t x = 0; x < grid[y].size(); ++x) {
      if (!grid[y][x]) continue;
      const double height = 1.0 - static_cast<double>(y) / static_cast<double>(grid.size() - 1);
      const double along = static_cast<double>(x) / static_cast<double>(width - 1);
      EXPECT_NEAR(height, along, 1.0 / static_cast<double>(grid.size() - 1));
    }
  EXPECT_TRUE(grid.back().front()) << "begins at the bottom left";
  ASSERT_EQ(grid.front().size(), width);
  EXPECT_TRUE(grid.front().back()) << "ends at the top right";
}

TEST(PlotTerminal, LabelsBothAxes) {
  const std::string picture = plotTerminal(table({0, 10}, {series("a.x", {0, 1})}), {}, {60, 20, false});
  EXPECT_TRUE(picture.starts_with("a.x / m\n"));
  EXPECT_TRUE(contains(picture, "time / s"));
  EXPECT_TRUE(contains(picture, "0.0 ┤"));
  EXPECT_TRUE(contains(picture, "1.0 ┤"));
}

TEST(PlotTerminal, StaysWithinWidthAndHeight) {
  for (const int width : {40, 80, 133}) {
    const std::string picture = plotTerminal(
        table({0, 0.1, 1234.5}, {series("a.x", {-1.7, 2, 3}), series("b.x", {0, 1, 2}), series("c.y", {0, 0, 0})}), {},
        {width, 20, false});
    EXPECT_LE(lines(picture).size(), 20U);
    for (const std::string& line : lines(picture)) {
      EXPECT_LE(cells(line), static_cast<std::size_t>(width)) << line;
      EXPECT_FALSE(line.ends_with(' '));
    }
  }
}

TEST(PlotTerminal, AJumpIsAVerticalLine) {
  const auto grid = dots(plotTerminal(table({0, 1, 1, 2}, {series("x", {0, 0, 1, 1})}), {}, {41, 20, false}));
  std::size_t full = 0;
  for (std::size_t x = 0; x < 80; ++x) {
    std::size_t set = 0;
    for (const auto& row : grid) set += x < row.size() && row[x] ? 1U : 0U;
    if (set == grid.size()) ++full;
  }
  EXPECT_EQ(full, 1U);
}

TEST(PlotTerminal, BooleansGoInSteps) {
  const std::string steps =
      plotTerminal(table({0, 1, 2}, {series("on", {0, 1, 1}, "", Type::boolean)}), {}, {60, 12, false});
  const std::string jumps =
      plotTerminal(table({0, 1, 1, 2}, {series("on", {0, 0, 1, 1}, "", Type::boolean)}), {}, {60, 12, false});
  EXPECT_EQ(steps, jumps);
}

TEST(PlotTerminal, UnitsHavePanelsOfTheirOwn) {
  const std::string picture =
      plotTerminal(table({0, 1}, {series("a.x", {0, 1}), series("a.v", {0, 1}, "m/s")}), {}, {60, 30, false});
  EXPECT_TRUE(contains(picture, "a.x / m\n"));
  EXPECT_TRUE(contains(picture, "a.v / (m/s)\n"));
}

TEST(PlotTerminal, CurvesInAPlainFrameCarryLetters) {
  const results::Table two = table({0, 1}, {series("a.x", {0, 1}), series("b.x", {1, 0})});
  const std::string plain = plotTerminal(two, {}, {60, 20, false});
  EXPECT_TRUE(contains(lines(plain).front(), "x / m   a a.x   b b.x"));
  EXPECT_FALSE(contains(plain, "\033"));
  const std::string frame = plain.substr(plain.find('\n'), plain.find("└") - plain.find('\n'));
  EXPECT_TRUE(contains(frame, "a"));
  EXPECT_TRUE(contains(frame, "b"));
  const std::string alone = plotTerminal(table({0, 1}, {series("x", {0, 1})}), {}, {60, 20, false});
  EXPECT_FALSE(contains(alone.substr(alone.find('\n')), "a"));
}

TEST(PlotTerminal, ColourIsSwitchedOffAfterEveryUse) {
  const std::string picture =
      plotTerminal(table({0, 1}, {series("a.x", {0, 1}), series("b.x", {1, 0})}), {}, {60, 20, true});
  std::size_t on = 0;
  std::size_t off = 0;
  for (std::size_t at = 0; (at = picture.find("\033[", at)) != std::string::npos; ++at)
    (picture.compare(at, 4, "\033[0m") == 0 ? off : on) += 1;
  EXPECT_GT(on, 2U);
  EXPECT_EQ(on, off);
}

TEST(PlotTerminal, DrawsWhatIsHardlyThere) {
  for (const Numbers& numbers : {Numbers{5}, Numbers{0}, Numbers{NAN}, Numbers{INFINITY}, Numbers{1e-320},
                                 Numbers{1e308}, Numbers{5e-324}, Numbers{-1.79e308}}) {
    const std::string picture = plotTerminal(table({3}, {series("x", numbers)}), {}, {60, 12, false});
    std::size_t set = 0;
    for (const auto& row : dots(picture))
      for (const bool dot : row) set += dot ? 1U : 0U;
    EXPECT_EQ(set, std::isfinite(numbers[0]) ? 1U : 0U) << picture;
  }
}

TEST(PlotTerminal, DrawsTheSmallestAndTheLargestNumbers) {
  for (const Numbers& numbers : {Numbers{5e-324, 5e-324}, Numbers{0, 5e-324}, Numbers{5e-324, 1e-323},
                                 Numbers{-8e307, 8e307}, Numbers{-1.79e308, 1.79e308}}) {
    const std::string picture = plotTerminal(table({0, 1}, {series("x", numbers)}), {}, {60, 5, false});
    std::vector<bool> columns;  // of dots, whether any is set
    for (const auto& row : dots(picture)) {
      columns.resize(std::max(columns.size(), row.size()), false);
      for (std::size_t x = 0; x < row.size(); ++x) columns[x] = columns[x] || row[x];
    }
    EXPECT_GT(columns.size(), 60U) << picture;
    EXPECT_TRUE(std::ranges::all_of(columns, [](bool set) { return set; })) << "a line from side to side\n" << picture;
  }
}

TEST(PlotTerminal, NotANumberIsAGap) {
  const auto grid = dots(plotTerminal(table({0, 1, 2, 3, 4}, {series("x", {1, 1, NAN, 1, 1})}), {}, {60, 12, false}));
  std::string row;
  for (const auto& candidate : grid)
    for (std::size_t x = 0; x < candidate.size(); ++x) {
      if (row.size() <= x) row.resize(x + 1, ' ');
      if (candidate[x]) row[x] = '#';
    }
  const std::size_t gap = row.find("# ");
  ASSERT_NE(gap, std::string::npos);
  EXPECT_NEAR(static_cast<double>(gap) / static_cast<double>(row.size() - 1), 0.25, 0.02);
  EXPECT_NEAR(static_cast<double>(row.find('#', gap + 1)) / static_cast<double>(row.size() - 1), 0.75, 0.02);
}

TEST(PlotTerminal, NamesCannotSpoilThePicture) {
  const std::string picture = plotTerminal(
      table({0, 1}, {series("a.\033[2Jx\ny", {0, 1}), series(std::string(300, 'n'), {0, 1})}), {}, {60, 20, false});
  EXPECT_FALSE(contains(picture, "\033"));
  for (const std::string& line : lines(picture)) EXPECT_LE(cells(line), 60U);
}

TEST(PlotTerminal, TinyTerminalsDoNotMatter) {
  for (const int size : {-5, 0, 1, 7})
    EXPECT_FALSE(
        plotTerminal(table({0, 1}, {series("a", {0, 1}), series("b", {0, 1})}), {}, {size, size, false}).empty());
}

TEST(PlotTerminal, DrawsMagnitudesOverACountOnALogarithmicAxis) {
  results::Table history = table({1, 2, 3, 4}, {series("residual", {1e2, 1e0, 1e-2, 1e-4}, "")});
  history.over = "iteration";
  history.series[0].decades = true;
  const std::string picture = plotTerminal(history, {}, {60, 16, false});
  EXPECT_NE(picture.find("10⁻² ┤"), std::string::npos) << picture;
  EXPECT_NE(picture.find("iteration"), std::string::npos) << picture;
  EXPECT_EQ(picture.find("time"), std::string::npos) << picture;
}

}  // namespace
}  // namespace koppla::report
