// Messages of FMUs, which are formats of printf with arguments that nobody can check.

#include "koppla/fmi/detail/message_format.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstring>
#include <cwchar>
#include <limits>
#include <utility>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "koppla/fmi/detail/foreign_memory.hpp"
#include "koppla/fmi/logger.hpp"

#include "helpers.hpp"

namespace koppla::fmi::message_format_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t kMost = 16384;

/// What an FMU's message becomes; it goes the way of a real one, through the callback.
class Messages : public ::testing::Test {
 protected:
  template <typename... Arguments>
  std::string said(const char* message, Arguments... arguments) {
    log_.callbacks()->logger(log_.callbacks()->componentEnvironment, "one", fmi2::Status::warning, nullptr, message,
                             arguments...);
    return kept_.lines.empty() ? "nothing was logged" : kept_.lines.back().message;
  }

  ModelDescription model_;
  test::KeptLog kept_;
  InstanceLog log_{"one", model_, kept_.log, {.logLines = 100'000}};
};

/// An address of this process where there is no memory: below what a process may map.
char* nowhere() {
  return reinterpret_cast<char*>(std::uintptr_t{64});  // NOLINT(performance-no-int-to-ptr)
}

/// A page with a text up to its last byte and nothing readable behind it.
class PageEnd {
 public:
  explicit PageEnd(std::string_view text) : size_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    pages_ = static_cast<char*>(::mmap(nullptr, 2 * size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(pages_, 'x', size_);
    at_ = pages_ + size_ - text.size();
    std::memcpy(at_, text.data(), text.size());
    ::mprotect(pages_ + size_, size_, PROT_NONE);
  }
  ~PageEnd() { ::munmap(pages_, 2 * size_); }
  PageEnd(const PageEnd&) = delete;
  PageEnd& operator=(const PageEnd&) = delete;

  [[nodiscard]] char* text() const { return at_; }
  [[nodiscard]] char* forbidden() const { return pages_ + size_; }

 private:
  std::size_t size_;
  char* pages_ = nullptr;
  char* at_ = nullptr;
};

TEST_F(Messages, AreFormattedAsPrintfDoes) {
  EXPECT_EQ(said("%s|%5s|%-5s|%.2s|%5.1s|", "a", "b", "c", "def", "ghi"), "a|    b|c    |de|    g|");
  EXPECT_EQ(said("%d|%i|%5d|%-5d|%05d|%+d|% d|", 42, -42, 42, 42, 42, 42, 42), "42|-42|   42|42   |00042|+42| 42|");
  EXPECT_EQ(said("%u %o %x %X %#x", 42U, 42U, 42U, 42U, 42U), "42 52 2a 2A 0x2a");
  EXPECT_EQ(said("%ld %lld %lu %llu", LONG_MIN, LLONG_MAX, ULONG_MAX, ULLONG_MAX),
            "-9223372036854775808 9223372036854775807 18446744073709551615 18446744073709551615");
  EXPECT_EQ(said("%hhd %hd %hhu %hu", 257, 65537, 257U, 65537U), "1 1 1 1");
  EXPECT_EQ(said("%zu %zd %td %jd %qd", std::size_t{7}, ssize_t{-7}, std::ptrdiff_t{-8}, std::intmax_t{-9}, 10LL),
            "7 -7 -8 -9 10");
  EXPECT_EQ(said("%f %.2f %e %g %G %8.3f|", 1.5, 1.005e3, 12345.678, 1e-10, 1e-10, 2.0),
            "1.500000 1005.00 1.234568e+04 1e-10 1E-10    2.000|");
  EXPECT_EQ(said("%a %Lf %Lg", 1.0, 2.5L, 1e300L), "0x1p+0 2.500000 1e+300");
  EXPECT_EQ(said("%c%c%3c|%-3c|", 'a', 'b', 'c', 'd'), "ab  c|d  |");
  EXPECT_EQ(said("%ls %lc %S", L"Gr\u00f6\u00dfe", static_cast<std::wint_t>(L'\u00e4'), L"w"), "Größe ä w");
  EXPECT_EQ(said("100%%, %d%%", 5), "100%, 5%");
  EXPECT_EQ(said("|%*d|%-*d|%.*f|%*s|%.*s", 4, 1, 4, 2, 2, 1.0, 3, "x", 1, "yz"), "|   1|2   |1.00|  x|y");
  EXPECT_EQ(said("%*d|%.*f", -4, 1, -1, 1.0), "1   |1.000000");  // negative: to the left; as if there were none
  EXPECT_EQ(said("%s %5s", static_cast<char*>(nullptr), static_cast<char*>(nullptr)), "(null) (null)");
  // Registers of both kinds, then the stack.
  EXPECT_EQ(said("%d%g%d%g%d%g%d%g%d%g%d%g%d%g%d%g%d%g%s", 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8,
                 8.5, 9, 9.5, "end"),
            "11.522.533.544.555.566.577.588.599.5end");
}

TEST_F(Messages, WithBadPointersShowTheConversion) {
  EXPECT_EQ(said("a %s b %d", nowhere(), 7), "a %s b 7");
  EXPECT_EQ(said("a %10.3s b %ls c %d", nowhere(), nowhere(), 7), "a %10.3s b %ls c 7");
  EXPECT_EQ(said("%s", reinterpret_cast<char*>(~std::uintptr_t{0} - 7)), "%s");    // beyond all memory
  EXPECT_EQ(said("%s", reinterpret_cast<char*>(std::uintptr_t{1} << 63U)), "%s");  // no address at all
  const PageEnd page("unterminated");
  EXPECT_EQ(said("%s", page.forbidden()), "%s");
  EXPECT_EQ(said("%s.", page.text()), "unterminated.");
  EXPECT_EQ(said("%.5s.", page.text()), "unter.");
}

TEST_F(Messages, ThatAreFinishedTextsStayWhole) {
  // Whatever lies where the arguments would be: nothing here reads it as an address.
  EXPECT_EQ(said("100 %"), "100 %");
  EXPECT_EQ(said("50 %, 60 %) and 70 %/s %y %"), "50 %, 60 %) and 70 %/s %y %");
  EXPECT_EQ(said("100 % sure", nowhere()), "100 % sure");
  EXPECT_THAT(said("%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s end"), HasSubstr(" end"));
  EXPECT_THAT(said("%ls%ls%ls%ls%ls%ls%ls%ls%ls%ls%ls%ls%ls%ls%ls%ls%ls%ls%ls%ls end"), HasSubstr(" end"));
}

/// Digits to the last one, and a precision of 0, which is not none.
TEST_F(Messages, TakeWidthsAndPrecisionsAsTheyAreWritten) {
  EXPECT_EQ(said("|%9d|%10d|%19d|%1d|", 1, 2, 3, 4), "|        1|         2|                  3|4|");
  EXPECT_EQ(said("%.0f|%.0s|%.f|%.9f", 1.6, "abc", 1.6, 0.5), "2||2|0.500000000");
  EXPECT_EQ(said("%p %C", nowhere(), static_cast<std::wint_t>(L'\u00e4')), "0x40 ä");
  EXPECT_EQ(said("%'d %Id", 1000, 7), "1000 7");
  EXPECT_EQ(said("tail %5"), "tail %5");
  EXPECT_EQ(said("tail %5."), "tail %5.");
  EXPECT_EQ(said("tail %-"), "tail %-");
}

template <std::size_t... i>
std::string saidOfMany(InstanceLog& log, const test::KeptLog& kept, std::index_sequence<i...> /*numbers*/) {
  std::string format;
  for (std::size_t n = 0; n < sizeof...(i); ++n) format += "%d";
  log.callbacks()->logger(log.callbacks()->componentEnvironment, "one", fmi2::Status::warning, nullptr, format.c_str(),
                          static_cast<int>(i % 10)...);
  return kept.lines.back().message;
}

/// No message reads further arguments than 64.
TEST_F(Messages, TakeSixtyFourArguments) {
  std::string digits;
  for (int i = 0; i < 64; ++i) digits += static_cast<char>('0' + i % 10);
  EXPECT_EQ(saidOfMany(log_, kept_, std::make_index_sequence<64>()), digits);
  EXPECT_EQ(saidOfMany(log_, kept_, std::make_index_sequence<65>()), digits + "%d");
  EXPECT_EQ(saidOfMany(log_, kept_, std::make_index_sequence<66>()), digits + "%d%d");
}

TEST_F(Messages, NeverWrite) {
  long long untouched = 4711;
  EXPECT_EQ(said("ab%n%hhn%hn%ln%lln %d", &untouched, &untouched, &untouched, &untouched, &untouched, 5),
            "ab%n%hhn%hn%ln%lln 5");
  EXPECT_EQ(untouched, 4711);
  EXPECT_EQ(said("ab%n %d", nowhere(), 5), "ab%n 5");
}

TEST_F(Messages, WithNumberedArgumentsAreShownAsTheyAre) {
  EXPECT_EQ(said("%2$s %1$s 5 %%", "a", "b"), "%2$s %1$s 5 %%");
  EXPECT_EQ(said("%%1$ %d", 5), "%1$ 5");
  EXPECT_EQ(said("%%%1$s", "a"), "%%%1$s");
  EXPECT_EQ(said("%d %9$s", 5), "%d %9$s");
  EXPECT_EQ(said("%d%10$s", 5), "%d%10$s");
  EXPECT_EQ(said("%x1$", 255), "ff1$");
  EXPECT_EQ(said("%$ %d", 5), "%$ 5");
  EXPECT_EQ(said("|%5d1$", 5), "|    51$");
}

TEST_F(Messages, AreBoundedHoweverWide) {
  EXPECT_EQ(said("|%2147483647d|", 1), "|" + std::string(499, ' ') + "1|");
  EXPECT_EQ(said("|%99999999999999999999d|", 1), "|" + std::string(499, ' ') + "1|");
  EXPECT_EQ(said("|%*d|", INT_MAX, 1), "|" + std::string(499, ' ') + "1|");
  EXPECT_EQ(said("%*d|", INT_MIN, 1), "1" + std::string(499, ' ') + "|");
  EXPECT_EQ(said("%.2147483647d|", 1), std::string(499, '0') + "1|");
  EXPECT_EQ(said("%.2000000000f|", 1.0), "1." + std::string(500, '0') + "|");
  EXPECT_EQ(said("|%2147483647s|", "a"), "|" + std::string(499, ' ') + "a|");
  EXPECT_EQ(said("%.*s|", INT_MAX, "a"), "a|");
  EXPECT_EQ(said("%.1000s|", std::string(2000, 'a').c_str()), std::string(1000, 'a') + "|");
  EXPECT_LT(said("%.500Lf", std::numeric_limits<long double>::max()).size(), 6000U);
  EXPECT_EQ(said(("%" + std::string(10'000, '-') + "5d|").c_str(), 1), "1    |");
}

TEST_F(Messages, ThatAreVeryLongAreCutAndSaySo) {
  const std::string whole(kMost, 'x');
  EXPECT_EQ(said("%s", whole.c_str()), whole);
  const std::string longer(100'000, 'x');
  const std::string expected = whole + " ... (cut here: longer than 16384 bytes)";
  EXPECT_EQ(said("%s", longer.c_str()), expected);
  EXPECT_EQ(said(longer.c_str()), expected);
  EXPECT_EQ(said(whole.c_str()), whole);
  EXPECT_EQ(said((whole + "%d").c_str(), 1), expected);
  EXPECT_EQ(said((whole.substr(1) + "%d").c_str(), 1), whole.substr(1) + "1");
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "%500d";
  EXPECT_LT(said(many.c_str()).size(), 40'000U);
  model_.variables.resize(1);
  model_.variables[0].name = std::string(5000, 'n');
  std::string tokens;
  for (int i = 0; i < 4000; ++i) tokens += "#r0#";
  EXPECT_EQ(said(tokens.c_str()), std::string(kMost, 'n') + " ... (cut here: longer than 16384 bytes)");
}

TEST_F(Messages, AreCutBetweenCharacters) {
  std::string text = "x";
  while (text.size() < kMost + 10) text += "ä";  // two bytes: the limit falls into the middle of one
  const std::string shown = said("%s", text.c_str());
  EXPECT_THAT(shown, HasSubstr("ä ... (cut here"));
  EXPECT_EQ(shown.find("\uFFFD"), std::string::npos);
}

TEST_F(Messages, HaveNoCommandsForATerminal) {
  EXPECT_EQ(said("%s", "\x1b[2J bell \a del \x7f csi \xc2\x9b turned \xe2\x80\xae text, Latin \xe4"),
            "\\u001b[2J bell \\u0007 del \\u007f csi \\u009b turned \\u202e text, Latin \uFFFD");
  EXPECT_EQ(said("a%cb", '\0'), "a\\u0000b");
  EXPECT_EQ(said("one\ntwo\r\nthree"), "one\n    two\n    three");
}

TEST_F(Messages, SurvivePointersThatAreNoTexts) {
  const auto log = [&](const char* instance, const char* category, const char* message) {
    log_.callbacks()->logger(log_.callbacks()->componentEnvironment, instance, fmi2::Status::error, category, message);
  };
  log(nullptr, nullptr, nullptr);
  log(nowhere(), nowhere(), nowhere());
  const PageEnd page("unterminated");
  log(page.text(), page.text(), page.text());
  log(page.forbidden(), page.forbidden(), page.forbidden());
  log("one", std::string(5000, 'c').c_str(), "x");
  log("one", "a]\n[b\x1b", "x");
  EXPECT_THAT(kept_.messages("one"), ElementsAre("", "", "[unterminated] unterminated", "",
                                                 "[" + std::string(1000, 'c') + "] x", "[a]\\u000a[b\\u001b] x"));
}

TEST(ForeignMemory, TextsAreReadAcrossPages) {
  const std::string text(20'000, 'y');
  EXPECT_EQ(detail::foreignText(text.c_str(), 100'000), text);
  EXPECT_EQ(detail::foreignText(text.c_str() + 1, 5000), std::string(5000, 'y'));
  EXPECT_EQ(detail::foreignText("", 10), "");
  EXPECT_EQ(detail::foreignText("abc", 0), "");
  EXPECT_EQ(detail::foreignText("abc", 1), "a");
  EXPECT_EQ(detail::foreignText("abc", 3), "abc");
  EXPECT_FALSE(detail::foreignText(static_cast<const char*>(nullptr), 0));
  EXPECT_FALSE(detail::foreignText(nowhere(), 1));
  const std::wstring wide(5000, L'\u20ac');
  std::string expected;
  for (int i = 0; i < 5000; ++i) expected += "€";
  EXPECT_EQ(detail::foreignText(wide.c_str(), 100'000), expected);
  const PageEnd page(std::string_view("ab\0", 3));
  EXPECT_EQ(detail::foreignText(page.text(), 100), "ab");
}

/// In a sandbox the system may refuse to read for us: then nothing is known of an address, and it is trusted.
TEST(ForeignMemory, IsTrustedWhereTheSystemRefusesToReadIt) {
  for (const int refusal : {EPERM, ENOSYS, EFAULT}) {
    const auto readRefused = [refusal] {
      const std::array<sock_filter, 4> filter{{
          {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
          {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_process_vm_readv},
          {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<unsigned>(refusal)},
          {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
      }};
      const sock_fprog program{filter.size(), const_cast<sock_filter*>(filter.data())};
      if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        ::_exit(2);
      const std::string text(3000, 'y');
      const auto read = detail::foreignText(text.c_str(), 100'000);
      ::_exit(read == text ? 0 : read ? 3 : 1);
    };
    // Who may not make a sandbox (2) has none to be tested in.
    const auto expected = [refusal](int status) {
      return WIFEXITED(status) && (WEXITSTATUS(status) == (refusal == EFAULT ? 1 : 0) || WEXITSTATUS(status) == 2);
    };
    EXPECT_EXIT(readRefused(), expected, "") << refusal;
  }
}

}  // namespace
}  // namespace koppla::fmi::message_format_test
