#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace koppla::fmi::detail {

/// The C string at an address that an FMU handed over, up to its end, to `most` characters or to the end of readable
/// memory; nothing where there is no readable memory at the address. The system does the reading, so a bad pointer
/// costs a message and not the run.
std::optional<std::string> foreignText(const char* address, std::size_t most);
/// The same for wide characters, as UTF-8.
std::optional<std::string> foreignText(const wchar_t* address, std::size_t most);

}  // namespace koppla::fmi::detail
