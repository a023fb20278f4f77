#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/program/field.hpp"

namespace koppla::program {

/// An input file of a program made from a template: everything is copied but for marked places.
///   {{port}}  {{port[3]}}                     a value, elements counted from 1
///   {{port:%.12e}}                            as printf writes it
///   {{port:15.8e}}                            in exactly 15 characters; a value that needs more is an error
///   {{#each port}} ... {{id}} ... {{value}} ... {{value2}} ... {{/each}}    once for every id; {{id:8}} in 8
///   characters
/// Without a format values have the shortest digits that read back to the same double. A line that holds nothing but
/// {{#each ...}} or {{/each}} leaves no line behind.
class Deck {
 public:
  /// Throws core::InputError with every mistake in the template. `file` names it in messages.
  Deck(std::string_view text, std::string file, std::span<const Field> fields);

  /// `values` by field, each as long as its field. Throws core::InputError where a value does not fit into its width.
  [[nodiscard]] std::string render(std::span<const std::span<const double>> values) const;

 private:
  friend class DeckCompiler;

  struct Format {
    std::string printf{};   ///< empty: the shortest digits
    std::size_t width = 0;  ///< exact; 0: any
  };
  struct Piece {
    enum class Kind : unsigned char { literal, element, id, component };
    Kind kind;
    std::string literal{};   ///< the text itself, or the mark as it was written
    std::size_t field = 0;   ///< of an element
    std::size_t number = 0;  ///< of an element or a component, from 0
    Format format{};
    std::size_t line = 0;
  };
  struct Block {
    std::optional<std::size_t> each;  ///< the field whose ids it is repeated for
    std::vector<Piece> pieces;
  };

  void append(std::string& text, const Piece& piece, double value) const;
  void appendFitting(std::string& text, const Piece& piece, std::string_view digits) const;

  std::string file_;
  std::vector<Field> fields_;
  std::vector<Block> blocks_;
};

}  // namespace koppla::program
