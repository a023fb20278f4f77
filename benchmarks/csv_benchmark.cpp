// What recording costs beyond the conversion of numbers to text, which no recorder can avoid.
//
// A million rows of a time and five reals go to a file in a temporary folder, once by a bare loop (std::to_chars into a
// buffer of 256 KiB, ::write when it is full) and once by CsvRecorder, from the values a run would hold. Both write the
// same bytes, which is checked. The two take turns, so that both meet the same state of the machine; reported is the
// median of the ratios of neighbours. The goal is at most 1.3.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "koppla/core/file.hpp"
#include "koppla/core/value.hpp"
#include "koppla/results/csv_recorder.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRows = 1'000'000;
constexpr std::size_t kColumns = 5;
constexpr double kStep = 1e-3;  // s
constexpr std::size_t kRounds = 11;

/// Oscillations, as a run would give them: full mantissas, changing signs.
std::vector<double> makeNumbers() {
  std::vector<double> numbers(kRows * kColumns);
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t column = 0; column < kColumns; ++column) {
      const double t = kStep * static_cast<double>(row);
      const auto k = static_cast<double>(column + 1);
      numbers[row * kColumns + column] = k * std::sin(t / k) * std::exp(-1e-3 * t);
    }
  return numbers;
}

class BareFile {
 public:
  explicit BareFile(const fs::path& file) : descriptor_(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666)) {}
  ~BareFile() { ::close(descriptor_); }
  BareFile(const BareFile&) = delete;
  BareFile& operator=(const BareFile&) = delete;

  void write(const char* begin, const char* end) const {
    if (::write(descriptor_, begin, static_cast<std::size_t>(end - begin)) != end - begin) std::abort();
  }

 private:
  int descriptor_;
};

void writeBare(const fs::path& file, const std::vector<double>& numbers) {
  constexpr std::size_t kBlock = std::size_t{256} * 1024;
  constexpr std::size_t kLongest = 25 * (kColumns + 1);
  const BareFile out(file);
  std::vector<char> buffer(kBlock);
  char* const end = buffer.data() + buffer.size();
  char* at = buffer.data();
  for (const char c : std::string("\"time\",\"a.x1\",\"a.x2\",\"a.x3\",\"a.x4\",\"a.x5\"\n")) *at++ = c;
  const double* value = numbers.data();
  for (std::size_t row = 0; row < kRows; ++row) {
    if (static_cast<std::size_t>(end - at) < kLongest) {
      out.write(buffer.data(), at);
      at = buffer.data();
    }
    at = std::to_chars(at, end, kStep * static_cast<double>(row)).ptr;
    for (std::size_t column = 0; column < kColumns; ++column) {
      *at++ = ',';
      at = std::to_chars(at, end, *value++).ptr;
    }
    *at++ = '\n';
  }
  out.write(buffer.data(), at);
}

void writeKoppla(const fs::path& folder, const std::vector<double>& numbers) {
  std::vector<koppla::results::Column> columns;
  for (std::size_t column = 1; column <= kColumns; ++column)
    columns.push_back({"a.x" + std::to_string(column), koppla::core::Type::real, "m", ""});
  koppla::results::CsvRecorder recorder(folder);
  recorder.begin(columns);
  koppla::core::Values values;
  values.reals.resize(kColumns);
  const double* value = numbers.data();
  for (std::size_t row = 0; row < kRows; ++row, value += kColumns) {
    std::copy(value, value + kColumns, values.reals.begin());
    recorder.row(kStep * static_cast<double>(row), values);
  }
  recorder.complete();
}

template <class Work>
double milliseconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Half the distance between the quartiles.
double spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[values.size() * 3 / 4] - values[values.size() / 4]);
}

}  // namespace

int main() {
  const std::vector<double> numbers = makeNumbers();
  const koppla::core::TemporaryFolder folder("csv-benchmark");
  const fs::path bareFile = folder.path() / "bare.csv";
  const fs::path kopplaFile = folder.path() / "results.csv";
  std::vector<double> bare;
  std::vector<double> koppla;
  std::vector<double> ratios;
  for (std::size_t round = 0; round < kRounds; ++round) {
    fs::remove(bareFile);
    fs::remove(kopplaFile);
    const auto runBare = [&] { bare.push_back(milliseconds([&] { writeBare(bareFile, numbers); })); };
    const auto runKoppla = [&] { koppla.push_back(milliseconds([&] { writeKoppla(folder.path(), numbers); })); };
    if (round % 2 == 0) {
      runBare();
      runKoppla();
    } else {
      runKoppla();
      runBare();
    }
    ratios.push_back(koppla.back() / bare.back());
  }
  if (koppla::core::readWhole(bareFile) != koppla::core::readWhole(kopplaFile)) {
    std::fprintf(stderr, "csv_benchmark: the two files differ.\n");
    return EXIT_FAILURE;
  }
  std::printf("csv.ratio %.3f 1\n", median(ratios));
  std::printf("csv.ratio.spread %.3f 1\n", spread(ratios));
  std::printf("csv.bare %.1f ms\n", median(bare));
  std::printf("csv.koppla %.1f ms\n", median(koppla));
  return EXIT_SUCCESS;
}
