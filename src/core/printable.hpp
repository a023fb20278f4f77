#pragma once

#include <string>
#include <string_view>

namespace koppla::core {

/// What becomes of the line ends of a text that is shown.
enum class LineEnds : unsigned char {
  shown,     ///< "\u000a", as any other control character: for names
  indented,  ///< kept, and the next line is indented: it cannot be taken for a line of its own
  kept,      ///< for texts of several lines that are ours, with foreign names in them
};

/// A text that may be shown in a terminal, a log or a picture, whoever wrote it. Characters that command a terminal or
/// turn the order of what is read (controls of ASCII and of U+0080 to U+009F, marks of direction, separators of lines,
/// non-characters) become "\u001b" and the like, which leaves JSON the JSON it was; bytes that are no UTF-8 become
/// U+FFFD. Tabs are kept where line ends are.
std::string printable(std::string_view text, LineEnds lineEnds = LineEnds::shown);

}  // namespace koppla::core
