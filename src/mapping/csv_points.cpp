#include <algorithm>
#include <optional>

#include "koppla/mapping/detail/lines.hpp"
#include "koppla/mapping/detail/mesh_builder.hpp"
#include "koppla/mapping/points.hpp"

namespace koppla::mapping {

using namespace detail;

namespace {

using Cells = std::vector<std::string_view>;

/// Which cell of a row holds what.
struct Columns {
  std::optional<std::size_t> id;
  std::vector<std::size_t> coordinates;  ///< x, y, z as far as they are there
  std::size_t count = 0;                 ///< cells that a row must have at least
};

constexpr std::string_view kCoordinates = "XYZ";

char delimiterOf(std::string_view line) {
  const std::size_t at = line.find_first_of(",;\t");
  return at == std::string_view::npos ? ',' : line[at];
}

std::string nameIn(std::string_view cell) {
  if (cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"')) cell = cell.substr(1, cell.size() - 2);
  return upperCase(trimmed(cell));
}

std::optional<std::size_t> columnOf(const Cells& header, std::string_view name, const Lines& lines) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (nameIn(header[i]) != name) continue;
    if (found)
      throw lines.mistake("Two columns have the name " + inQuotes(name) + ".", "Give the name to one of them.");
    found = i;
  }
  return found;
}

Columns columnsByName(const Cells& header, const Lines& lines) {
  Columns result;
  result.id = columnOf(header, "ID", lines);
  for (std::size_t axis = 0; axis < kCoordinates.size(); ++axis) {
    const auto column = columnOf(header, kCoordinates.substr(axis, 1), lines);
    if (!column) continue;
    if (axis != result.coordinates.size())
      throw lines.mistake("There is a column z or y, but none for the coordinate before it.",
                          "Name the columns id, x, y, z; leave out z, or y and z, in fewer dimensions.");
    result.coordinates.push_back(*column);
  }
  if (result.coordinates.empty())
    throw lines.mistake("No column has the name x.", "Name the columns id, x, y, z, or begin with a row of numbers.");
  result.count = std::max(result.id.value_or(0), std::ranges::max(result.coordinates)) + 1;
  return result;
}

Columns columnsByPosition(const Cells& row, const Lines& lines) {
  if (row.size() < 2 || row.size() > 4)
    throw lines.mistake("The row has " + std::to_string(row.size()) + " columns.",
                        "Without names the columns are id, x and, if needed, y, z.");
  Columns result{.id = 0, .coordinates = {}, .count = row.size()};
  for (std::size_t i = 1; i < row.size(); ++i) result.coordinates.push_back(i);
  return result;
}

void addRow(const Cells& row, const Columns& columns, MeshBuilder& builder, const Lines& lines) {
  if (row.size() < columns.count)
    throw lines.mistake(
        "The row has " + std::to_string(row.size()) + " columns, not " + std::to_string(columns.count) + ".",
        "Complete it; the file may have been cut.");
  const std::int64_t id =
      columns.id ? requireInteger(row[*columns.id], "The id", lines) : static_cast<std::int64_t>(builder.nodes()) + 1;
  Position position{};
  for (std::size_t axis = 0; axis < columns.coordinates.size(); ++axis)
    position[axis] = requireReal(row[columns.coordinates[axis]], "A coordinate", lines);
  builder.addNode(id, position);
}

}  // namespace

Points parseCsvPoints(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Lines lines(text, file);
  MeshBuilder builder(lines);
  std::optional<Columns> columns;
  char delimiter = ',';
  while (lines.next()) {
    if (lines.line().empty() || lines.line().starts_with('#')) continue;
    if (!columns) delimiter = delimiterOf(lines.line());
    const Cells row = fields(lines.line(), delimiter);
    if (!columns && !real(row.front())) {
      columns = columnsByName(row, lines);
      continue;
    }
    if (!columns) columns = columnsByPosition(row, lines);
    addRow(row, *columns, builder, lines);
  }
  if (builder.nodes() == 0) throw lines.mistake("There are no points.", "Write one row id,x,y,z for each.");
  Points points = std::move(builder).finish();
  points.dimension = static_cast<int>(columns->coordinates.size());
  return points;
}

}  // namespace koppla::mapping
