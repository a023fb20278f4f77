#include "koppla/study/smoothing.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/study/box_statistics.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::study::smoothing_test {
namespace {

/// A field over a square or a cube that is zero but for one point.
struct Spike {
  std::vector<std::size_t> sizes;
  std::vector<double> field;

  Spike(std::vector<std::size_t> gridSizes, const std::vector<std::size_t>& at) : sizes(std::move(gridSizes)) {
    std::size_t size = 1;
    for (const std::size_t each : sizes) size *= each;
    field.assign(size, 0.0);
    field[indexOf(at)] = 1.0;
  }

  [[nodiscard]] std::size_t indexOf(const std::vector<std::size_t>& at) const {
    std::size_t index = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) index = index * sizes[i] + at[i];
    return index;
  }
  [[nodiscard]] double at(const std::vector<std::size_t>& place) const { return field[indexOf(place)]; }
  void smooth() { field = smoothed(field, sizes); }
};

TEST(Smoothing, LeavesAConstantFieldAsItIs) {
  test::Largest largest;
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{7}, std::vector<std::size_t>{2, 5}, std::vector<std::size_t>{5, 1, 4, 3}}) {
    std::size_t size = 1;
    for (const std::size_t each : sizes) size *= each;
    std::vector<double> field(size, 0.75);
    for (int pass = 0; pass < 3; ++pass) field = smoothed(field, sizes);
    for (const double value : field) largest.see(std::fabs(value - 0.75));
  }
  test::showAtMost({"jung 34", "constant", "unchanged, to 1e-15"}, largest, 1e-15);
}

TEST(Smoothing, SpreadsASpikeOverItsNeighbours) {
  bool exact = true;
  for (const std::size_t l : {1U, 2U, 3U, 6U}) {
    Spike spike(std::vector<std::size_t>(l, 5), std::vector<std::size_t>(l, 2));
    spike.smooth();
    exact = exact && spike.at(std::vector<std::size_t>(l, 2)) == 0.5;
    double sum = 0.5;
    for (std::size_t direction = 0; direction < l; ++direction)
      for (const std::size_t neighbour : {1U, 3U}) {
        std::vector<std::size_t> place(l, 2);
        place[direction] = neighbour;
        exact = exact && std::fabs(spike.at(place) - 1.0 / (4.0 * static_cast<double>(l))) < 1e-16;
        sum += spike.at(place);
      }
    exact = exact && std::fabs(sum - 1.0) < 1e-15;
    const auto touched = std::ranges::count_if(spike.field, [](double value) { return value != 0.0; });
    exact = exact && touched == static_cast<long>(1 + 2 * l);
  }
  test::showFigure({"jung 34", "one-pass", "0.5 at the centre, 1/(4 l) at each neighbour, nothing elsewhere"},
                   exact ? "so for l = 1, 2, 3, 6" : "not so", exact);
}

TEST(Smoothing, TwiceSpreadsItFurther) {
  Spike spike({7, 7}, {3, 3});
  spike.smooth();
  spike.smooth();
  const auto text = fmt::format("{} centre, {} neighbour, {} diagonal, {} two away", spike.at({3, 3}), spike.at({3, 4}),
                                spike.at({2, 4}), spike.at({3, 5}));
  const std::string demanded = "0.3125 centre, 0.125 neighbour, 0.03125 diagonal, 0.015625 two away";
  test::showFigure({"jung 34", "two-passes", demanded}, text, text == demanded);
}

TEST(Smoothing, LeavesOutDirectionsAcrossTheBorder) {
  Spike corner({5, 5}, {0, 0});
  corner.smooth();
  const auto text =
      fmt::format("{} corner, {} and {} beside it", corner.at({0, 0}), corner.at({0, 1}), corner.at({1, 0}));
  const std::string demanded = "1 corner, 0.25 and 0.25 beside it";
  test::showFigure({"jung 34", "corner", demanded}, text, text == demanded);
  // On an edge one direction is left: half for the centre, a quarter for each neighbour along the edge.
  Spike edge({5, 5}, {0, 2});
  edge.smooth();
  EXPECT_EQ(edge.at({0, 2}), 0.5);
  EXPECT_EQ(edge.at({0, 1}), 0.25);
  EXPECT_EQ(edge.at({1, 2}), 0.125);
}

TEST(BoxStatistics, AreThoseOfABoxPlot) {
  const BoxStatistics odd = boxStatistics(std::vector<double>{5.0, 1.0, 2.0, 10.0, 3.0});
  EXPECT_EQ(odd.least, 1.0);
  EXPECT_EQ(odd.lowerQuartile, 2.0);
  EXPECT_EQ(odd.median, 3.0);
  EXPECT_EQ(odd.upperQuartile, 5.0);
  EXPECT_EQ(odd.most, 10.0);
  EXPECT_DOUBLE_EQ(odd.mean, 4.2);
  const BoxStatistics even = boxStatistics(std::vector<double>{4.0, 3.0, 2.0, 1.0});
  EXPECT_DOUBLE_EQ(even.lowerQuartile, 1.75);
  EXPECT_DOUBLE_EQ(even.median, 2.5);
  EXPECT_DOUBLE_EQ(even.upperQuartile, 3.25);
  EXPECT_EQ(boxStatistics(std::vector<double>{2.0}).median, 2.0);
}

/// Jung (5.9) as it is printed, point by point.
std::vector<double> definition(const std::vector<double>& field, const std::vector<std::size_t>& sizes) {
  std::vector<double> result;
  for (std::size_t point = 0; point < field.size(); ++point) {
    double sum = 0.0;
    double directions = 0.0;
    std::size_t stride = 1;
    for (std::size_t i = sizes.size(); i > 0; --i) {
      const std::size_t at = point / stride % sizes[i - 1];
      if (at != 0 && at != sizes[i - 1] - 1) {
        sum += field[point - stride] + field[point + stride];
        directions += 1.0;
      }
      stride *= sizes[i - 1];
    }
    result.push_back(directions == 0.0 ? field[point] : 0.5 * field[point] + sum / (4.0 * directions));
  }
  return result;
}

TEST(Smoothing, IsTheFilterAsItIsPrinted) {
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{1}, std::vector<std::size_t>{2}, std::vector<std::size_t>{6},
        std::vector<std::size_t>{2, 3}, std::vector<std::size_t>{3, 2}, std::vector<std::size_t>{4, 3, 2, 5},
        std::vector<std::size_t>{3, 1, 3, 4}}) {
    std::vector<double> field;
    std::size_t size = 1;
    for (const std::size_t each : sizes) size *= each;
    for (std::size_t i = 0; i < size; ++i) field.push_back(std::sin(static_cast<double>(i * i + 1)));
    EXPECT_EQ(smoothed(field, sizes), definition(field, sizes)) << fmt::format("{} of {}", size, sizes.size());
  }
}

}  // namespace
}  // namespace koppla::study::smoothing_test
