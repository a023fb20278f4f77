#include "koppla/fmi/detail/foreign_memory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include <sys/uio.h>
#include <unistd.h>

#include "koppla/core/utf8.hpp"

namespace koppla::fmi::detail {

namespace {

constexpr std::size_t kBlock = 1024;  // divides every size of a page

/// Also what lies behind a text in its page, which a sanitizer would take for a mistake.
[[gnu::no_sanitize_address]] void copyTrusted(void* to, const volatile void* from, std::size_t bytes) {
  auto* const bytesTo = static_cast<char*>(to);
  const auto* const bytesFrom = static_cast<const volatile char*>(from);
  for (std::size_t i = 0; i < bytes; ++i) bytesTo[i] = bytesFrom[i];
}

/// Whether bytes that lie in one page could be copied. Where the system refuses to read for us (a sandbox), nothing is
/// known about the address, and it has to be trusted.
bool copy(void* to, std::uintptr_t from, std::size_t bytes) {
  void* const address = reinterpret_cast<void*>(from);  // NOLINT(performance-no-int-to-ptr)
  const iovec here{to, bytes};
  const iovec there{address, bytes};
  const ssize_t copied = ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0);
  if (copied == static_cast<ssize_t>(bytes)) return true;
  if (copied >= 0 || (errno != EPERM && errno != ENOSYS)) return false;
  copyTrusted(to, address, bytes);
  return true;
}

template <typename Letter>
std::optional<std::basic_string<Letter>> read(const Letter* address, std::size_t most) {
  std::basic_string<Letter> result;
  auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at == 0) return std::nullopt;
  std::array<Letter, kBlock / sizeof(Letter)> block{};
  while (result.size() < most) {
    // Up to the next multiple of the block, so that no block reaches into a second page.
    const std::size_t room = (kBlock - at % kBlock) / sizeof(Letter);
    const std::size_t count = std::min(std::max<std::size_t>(room, 1), most - result.size());
    if (!copy(block.data(), at, count * sizeof(Letter))) break;
    const auto* const end = std::find(block.data(), block.data() + count, Letter{});
    result.append(block.data(), static_cast<std::size_t>(end - block.data()));
    if (end != block.data() + count) return result;
    at += count * sizeof(Letter);
  }
  if (result.empty() && most > 0) return std::nullopt;
  return result;
}

}  // namespace

std::optional<std::string> foreignText(const char* address, std::size_t most) {
  return read(address, most);
}

std::optional<std::string> foreignText(const wchar_t* address, std::size_t most) {
  const std::optional<std::wstring> wide = read(address, most);
  if (!wide) return std::nullopt;
  std::string result;
  for (const wchar_t letter : *wide) core::appendUtf8(result, static_cast<char32_t>(letter));
  return result;
}

}  // namespace koppla::fmi::detail
