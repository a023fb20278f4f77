#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace koppla::report {

/// How many cells of a terminal a text takes: one for each character of UTF-8. Accents that combine and wide
/// characters, which names of variables hardly have, are not told apart.
std::size_t cells(std::string_view text);

/// The text cut to so many cells, with an ellipsis at the cut.
std::string clipped(std::string_view text, std::size_t most);

}  // namespace koppla::report
