#pragma once

#include <cstdarg>
#include <cstddef>
#include <string>
#include <string_view>

namespace koppla::fmi::detail {

/// What printf would make of a message, for messages of FMUs, which printf cannot be trusted with: many are finished
/// texts that hold a '%', with no arguments behind them, and some are made to do harm.
/// - Texts are read only where there is memory; '%n' writes nothing. These, what is no conversion, and everything in a
///   message with numbered arguments ('%1$s') are left as they stand.
/// - Widths, and precisions of numbers, are at most 500; after 64 conversions the rest is text.
/// - It ends when more than `most` bytes are there.
/// How many arguments there are cannot be known: conversions without theirs show what happens to lie there.
std::string formattedMessage(std::string_view format, std::va_list arguments, std::size_t most);

}  // namespace koppla::fmi::detail
