// The line that shows how a run goes on, on a terminal of its own.

#include "progress.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "command.hpp"

namespace koppla::test::progress_test {
namespace {

/// While it lives, standard error is a terminal of so many columns; 0: it does not tell.
class Terminal {
 public:
  explicit Terminal(unsigned short columns) : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) return;
    const int slave = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);  // NOLINT(concurrency-mt-unsafe): one thread
    if (slave < 0) return;
    termios raw{};
    ::tcgetattr(slave, &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(slave, TCSANOW, &raw);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(slave, TIOCSWINSZ, &size);
    std::fflush(stderr);
    before_ = ::dup(STDERR_FILENO);
    ::dup2(slave, STDERR_FILENO);
    ::close(slave);
  }
  ~Terminal() {
    std::fflush(stderr);
    if (before_ >= 0) {
      ::dup2(before_, STDERR_FILENO);
      ::close(before_);
    }
    if (master_ >= 0) ::close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] bool isThere() const { return before_ >= 0; }
  /// What has been sent to it since it was asked before.
  std::string sent() {
    std::string text;
    std::string piece(4096, '\0');
    for (ssize_t size = 0; (size = ::read(master_, piece.data(), piece.size())) > 0;)
      text.append(piece, 0, static_cast<std::size_t>(size));
    return text;
  }

 private:
  int master_;
  int before_ = -1;
};

const std::string kNewLine = "\r\033[K";

/// The line that a run from -1 s to 7 s shows here.
std::string shown(const run::Progress& progress, unsigned short columns) {
  Terminal terminal(columns);
  if (!terminal.isThere()) return "no terminal";
  cli::ProgressLine line(-1.0, 7.0);
  std::string text;
  // Not more often than a terminal can be read.
  eventually([&] {
    line.show(progress);
    text += terminal.sent();
    return !text.empty();
  });
  line.show(progress);
  EXPECT_EQ(terminal.sent(), "") << "at once it is not written again";
  line.clear();
  EXPECT_EQ(terminal.sent(), kNewLine);
  line.clear();
  EXPECT_EQ(terminal.sent(), "") << "there is nothing left to be removed";
  EXPECT_TRUE(text.starts_with(kNewLine)) << text;
  return text.substr(std::min(text.size(), kNewLine.size()));
}

bool hasTerminals() {
  return Terminal(80).isThere();
}

// A quarter of the way, 2 s, in 4 s of wall clock: half as fast as real time, and 12 s are left.
constexpr run::Progress kBetweenSteps{
    .time = 1.0, .step = 0.125, .steps = 17, .failures = 3, .elapsed = 4.0, .iteration = 0, .residual = 0.0};

TEST(ProgressLine, TellsTimeStepsFailuresAndWhatIsLeft) {
  if (!hasTerminals()) GTEST_SKIP() << "There are no terminals here.";
  EXPECT_EQ(shown(kBetweenSteps, 0),
            " 25.0 %  t = 1 s of 7 s  step 17 of 0.125 s  3 failures  4 s elapsed  0.5 x real time  12 s left");
  run::Progress iterated = kBetweenSteps;
  iterated.iteration = 6;
  iterated.residual = 0.25;
  EXPECT_EQ(shown(iterated, 0),
            " 25.0 %  t = 1 s of 7 s  step 17 of 0.125 s  iteration 6, residual 0.25  3 failures  4 s elapsed  0.5 x "
            "real time  12 s left");
  run::Progress first = kBetweenSteps;
  first.time = -1.0;
  first.elapsed = 0.0;
  EXPECT_EQ(shown(first, 0),
            "  0.0 %  t = -1 s of 7 s  step 17 of 0.125 s  3 failures  0 s elapsed  0 x real time  0 s left")
      << "nothing is known of its speed";
}

/// The parts in their order, and how early each goes where there is no room.
std::string fitted(std::vector<std::pair<std::string, int>> parts, std::size_t room) {
  const auto joined = [&parts] {
    std::string text;
    for (const auto& [part, rank] : parts) text += part;
    return text;
  };
  while (parts.size() > 1 && joined().size() > room)
    parts.erase(std::ranges::max_element(parts, {}, &std::pair<std::string, int>::second));
  return joined();
}

struct Narrow {
  std::string name;
  std::uint64_t failures;
  std::size_t columns;
};

void PrintTo(const Narrow& narrow, std::ostream* out) {
  *out << narrow.name;
}

class NarrowProgressLine : public ::testing::TestWithParam<Narrow> {};

TEST_P(NarrowProgressLine, LeavesOutWhatHasNoRoom) {
  if (!hasTerminals()) GTEST_SKIP() << "There are no terminals here.";
  run::Progress progress = kBetweenSteps;
  progress.iteration = 6;
  progress.residual = 0.25;
  progress.failures = GetParam().failures;
  const bool fails = progress.failures > 0;
  const std::vector<std::pair<std::string, int>> parts{{" 25.0 %", 0},
                                                       {"  t = 1 s of 7 s", 1},
                                                       {"  step 17", 4},
                                                       {" of 0.125 s", 6},
                                                       {"  iteration 6", 3},
                                                       {", residual 0.25", 5},
                                                       {fails ? "  3 failures" : "  0 failures", fails ? 3 : 8},
                                                       {"  4 s elapsed", 5},
                                                       {"  0.5 x real time", 7},
                                                       {"  12 s left", 2}};
  // The last column stays free.
  EXPECT_EQ(shown(progress, static_cast<unsigned short>(GetParam().columns)), fitted(parts, GetParam().columns - 1));
}

// The whole line has 124 characters.
INSTANTIATE_TEST_SUITE_P(Of, NarrowProgressLine,
                         ::testing::Values(Narrow{"AllOfIt", 3, 125}, Narrow{"OneLess", 3, 124},
                                           Narrow{"Eighty", 3, 80}, Narrow{"Forty", 3, 40}, Narrow{"Eight", 3, 8},
                                           Narrow{"NoFailures", 0, 124}, Narrow{"NoFailuresAndLess", 0, 100},
                                           Narrow{"NoFailuresInSixty", 0, 60}),
                         [](const auto& one) { return one.param.name; });

TEST(ShowCount, RewritesItsLineAndRemovesItInTheEnd) {
  if (!hasTerminals()) GTEST_SKIP() << "There are no terminals here.";
  Terminal terminal(80);
  cli::showCount(3, 10, "runs");
  EXPECT_EQ(terminal.sent(), kNewLine + "3 of 10 runs");
  cli::showCount(10, 10, "loops");
  EXPECT_EQ(terminal.sent(), kNewLine + "10 of 10 loops" + kNewLine);
}

TEST(ShowCount, IsForTerminalsOnly) {
  const core::TemporaryFolder folder("progress");
  const std::string file = (folder.path() / "err").string();
  std::fflush(stderr);
  const int before = ::dup(STDERR_FILENO);
  const int into = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(into, STDERR_FILENO);
  ::close(into);
  cli::showCount(3, 10, "runs");
  cli::ProgressLine line(0.0, 1.0);
  line.clear();
  std::fflush(stderr);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  EXPECT_EQ(core::readWhole(file), "");
}

}  // namespace
}  // namespace koppla::test::progress_test
