// What mapping costs for a million points onto a million others, in the plane and in space: the set-up once, and each
// application.
//
// Reported are seconds, and ratios within this run: `growth` is the time of the set-up with eight times the points (8
// would be linear; n log n is 9.4 from 125 thousand on), `apply.ratio` is the time of an application to that of a bare
// loop over the same entries. Goals: 5 s for nearest, 10 s for linear (five million tetrahedra), 60 s for radial basis,
// growth 12, ratio 1.2.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "koppla/mapping/mapping.hpp"

namespace {

using namespace koppla::mapping;

constexpr int kRounds = 9;

/// Pseudo-random numbers between 0 and 1, quickly.
class Random {
 public:
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 11U) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 1;
};

Points cloud(int dimension, std::size_t count) {
  Random random;
  Points points;
  points.dimension = dimension;
  for (std::size_t i = 0; i < count; ++i) {
    points.ids.push_back(static_cast<std::int64_t>(i));
    points.positions.push_back({random.next(), random.next(), dimension == 3 ? random.next() : 0.0});
  }
  return points;
}

/// A square of triangles or a cube of tetrahedra (five a cell), n points along each side, slightly out of order.
Points mesh(int dimension, std::uint32_t n) {
  Random random;
  Points points;
  points.dimension = dimension;
  const std::uint32_t layers = dimension == 3 ? n : 1;
  const auto place = [&](std::uint32_t i) { return (i + 0.3 * random.next()) / (n - 1); };
  for (std::uint32_t k = 0; k < layers; ++k)
    for (std::uint32_t j = 0; j < n; ++j)
      for (std::uint32_t i = 0; i < n; ++i) {
        points.ids.push_back(static_cast<std::int64_t>(points.size()));
        points.positions.push_back({place(i), place(j), dimension == 3 ? place(k) : 0.0});
      }
  for (std::uint32_t k = 0; k + 1 < std::max(layers, 2U); ++k)
    for (std::uint32_t j = 0; j + 1 < n; ++j)
      for (std::uint32_t i = 0; i + 1 < n; ++i) {
        const auto at = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
          return i + x + n * (j + y + n * (k + z));
        };
        if (dimension == 2) {
          points.simplices.push_back({{at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), 0}, 3});
          points.simplices.push_back({{at(0, 0, 0), at(1, 1, 0), at(0, 1, 0), 0}, 3});
          continue;
        }
        points.simplices.push_back({{at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)}, 4});
        points.simplices.push_back({{at(1, 1, 0), at(1, 0, 0), at(0, 1, 0), at(1, 1, 1)}, 4});
        points.simplices.push_back({{at(1, 0, 1), at(1, 0, 0), at(0, 0, 1), at(1, 1, 1)}, 4});
        points.simplices.push_back({{at(0, 1, 1), at(0, 1, 0), at(0, 0, 1), at(1, 1, 1)}, 4});
        points.simplices.push_back({{at(1, 0, 0), at(0, 1, 0), at(0, 0, 1), at(1, 1, 1)}, 4});
      }
  return points;
}

double secondsOf(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

[[gnu::noinline]] void bareLoop(const SparseRows& entries, const std::vector<double>& values,
                                std::vector<double>& result) {
  const double* const weights = entries.weights.data();
  const std::uint32_t* const columns = entries.columns.data();
  for (std::size_t row = 0; row < result.size(); ++row) {
    double sum = 0.0;
    for (std::size_t k = entries.starts[row]; k < entries.starts[row + 1]; ++k) sum += weights[k] * values[columns[k]];
    result[row] = sum;
  }
}

void measureApplication(const std::string& name, const Operator& map) {
  const std::vector<double> values(map.columns(), 1.0);
  std::vector<double> result(map.rows());
  std::vector<double> ratios;
  std::vector<double> seconds;
  for (int round = 0; round < kRounds; ++round) {
    const double bare = secondsOf([&] { bareLoop(map.entries(), values, result); });
    seconds.push_back(secondsOf([&] { map.apply(values, result); }));
    ratios.push_back(seconds.back() / bare);
  }
  std::ranges::sort(ratios);
  std::ranges::sort(seconds);
  std::printf("%s.apply %.4f s\n", name.c_str(), seconds[kRounds / 2]);
  std::printf("%s.apply.ratio %.2f\n", name.c_str(), ratios[kRounds / 2]);
  std::printf("%s.entries %.1f per row\n", name.c_str(),
              static_cast<double>(map.entries().columns.size()) / static_cast<double>(map.rows()));
}

using Method = Mapping (*)(const Points&, const Points&, Form);

Mapping radialBasisByDefault(const Points& source, const Points& target, Form form) {
  return radialBasis(source, target, form);
}

void measure(const std::string& name, int dimension, Method method) {
  const std::uint32_t side = dimension == 2 ? 1000 : 100;
  const std::uint32_t smallSide = dimension == 2 ? 354 : 50;
  const Points small = mesh(dimension, smallSide);
  const Points fewer = cloud(dimension, 125'000);
  const double smallSeconds = secondsOf([&] { method(small, fewer, Form::consistent); });
  const Points source = mesh(dimension, side);
  const Points target = cloud(dimension, 1'000'000);
  const auto start = std::chrono::steady_clock::now();
  const Mapping mapping = method(source, target, Form::consistent);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%s.setup %.2f s\n", name.c_str(), seconds);
  std::printf("%s.growth %.1f\n", name.c_str(), seconds / smallSeconds);
  measureApplication(name, mapping.map);
}

}  // namespace

int main() {
  for (const int dimension : {2, 3}) {
    const std::string ending = "." + std::to_string(dimension) + "d";
    measure("mapping.nearest" + ending, dimension, nearest);
    measure("mapping.linear" + ending, dimension, linear);
    measure("mapping.radial-basis" + ending, dimension, radialBasisByDefault);
  }
  return EXIT_SUCCESS;
}
