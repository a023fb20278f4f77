#include "koppla/report/svg_text.hpp"

#include <string>

#include <gtest/gtest.h>
#include <pugixml.hpp>
#include <rapidcheck/gtest.h>

namespace koppla::report {
namespace {

TEST(XmlEscaped, EscapesMarkup) {
  EXPECT_EQ(xmlEscaped("a<b & \"c\">'d'"), "a&lt;b &amp; &quot;c&quot;&gt;&#39;d&#39;");
  EXPECT_EQ(xmlEscaped("ωµ€𝜋"), "ωµ€𝜋");
}

TEST(XmlEscaped, ReplacesWhatXmlForbidsAndWhatCommands) {
  EXPECT_EQ(xmlEscaped(std::string("a\0b\x1B", 4)), "a\\u0000b\\u001b");
  EXPECT_EQ(xmlEscaped("a\xC2\x9B\xE2\x80\xAE\xEF\xBF\xBF"), "a\\u009b\\u202e\\uffff");
  EXPECT_EQ(xmlEscaped("\xC3"), "\uFFFD") << "cut off";
  EXPECT_EQ(xmlEscaped("\xC0\xAF"), "\uFFFD\uFFFD") << "written longer than needed";
  EXPECT_EQ(xmlEscaped("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "half of a pair of UTF-16";
}

RC_GTEST_PROP(XmlEscaped, GivesWellFormedXmlForAnyBytes, (const std::string& bytes)) {
  const std::string document = "<a b=\"" + xmlEscaped(bytes) + "\">" + xmlEscaped(bytes) + "</a>";
  pugi::xml_document parsed;
  RC_ASSERT(parsed.load_string(document.c_str()));
  RC_ASSERT(document.find('\0') == std::string::npos);
}

TEST(WithMinusSign, IsTheTypographicOne) {
  EXPECT_EQ(withMinusSign("-0.5"), "−0.5");
  EXPECT_EQ(withMinusSign("0.5"), "0.5");
}

TEST(TextWidth, GrowsWithTheText) {
  EXPECT_EQ(textWidth("", 12.0), 0.0);
  EXPECT_LT(textWidth("il", 12.0), textWidth("MW", 12.0));
  EXPECT_DOUBLE_EQ(textWidth("abab", 12.0), 2.0 * textWidth("ab", 12.0));
  EXPECT_DOUBLE_EQ(textWidth("aim", 24.0), 2.0 * textWidth("aim", 12.0));
}

/// In shares of the size: a third for narrow letters, 0.9 for wide ones, 0.6 for digits and all others, each once
/// however many bytes it has.
TEST(TextWidth, KnowsNarrowAndWideLetters) {
  for (const std::string letter : {"i", "l", ".", "(", "r"}) EXPECT_DOUBLE_EQ(textWidth(letter, 100.0), 33.0) << letter;
  for (const std::string letter : {"m", "W", "@"}) EXPECT_DOUBLE_EQ(textWidth(letter, 100.0), 90.0) << letter;
  for (const std::string letter : {"a", "0", "-", "µ", "⁰", "𝜋"})
    EXPECT_DOUBLE_EQ(textWidth(letter, 100.0), 60.0) << letter;
  EXPECT_DOUBLE_EQ(textWidth("ima", 100.0), 183.0);
}

}  // namespace
}  // namespace koppla::report
