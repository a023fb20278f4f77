#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koppla::mapping {

/// x, y, z; what lies beyond the dimension of its cloud is 0.
using Position = std::array<double, 3>;

/// A segment, triangle or tetrahedron by the indices of its corners.
struct Simplex {
  std::array<std::uint32_t, 4> corners{};
  std::uint32_t count = 0;  ///< corners in use: 2, 3 or 4
};

/// Where a program has values: points with the ids that the program gave them, and the mesh between them if it is
/// known.
struct Points {
  int dimension = 3;  ///< 1, 2 or 3
  std::vector<std::int64_t> ids;
  std::vector<Position> positions;  ///< as many as ids
  std::vector<Simplex> simplices;   ///< of one kind or several; empty for a cloud
  std::vector<std::string> notes;   ///< what a reader left out, for the user

  [[nodiscard]] std::size_t size() const { return positions.size(); }
};

/// Throws core::InputError unless there is a point, each has an id of its own and finite coordinates (at most 1e100 in
/// size, so that squares of distances are finite, too), and the corners of simplices are points. `what` names the
/// points in the message ("the source").
void check(const Points& points, std::string_view what);

/// The points with these ids, in this order, and the simplices whose corners are all among them. Throws
/// core::InputError where an id is not there.
Points select(const Points& points, std::span<const std::int64_t> ids);

// Files of others. Every mistake is a core::InputError with file, line and remedy.

/// Rows `id,x[,y[,z]]`, with commas, semicolons or tabs; lines that begin with # are skipped. In a first row that does
/// not begin with a number the columns have names, in any order and case; other columns are skipped, and without a
/// column `id` rows are counted from 1. The dimension is the number of coordinates.
Points parseCsvPoints(std::string_view text, const std::string& file);

/// A CalculiX or Abaqus deck: *NODE, *NSET, *ELEMENT. With the name of a node set only its points are kept, in the
/// order of the file, and those elements whose corners are all in it. Elements: segments (T3D2, B31, ...), triangles
/// (S3, CPS3, ...), quadrilaterals (S4, CPS4, ..., as two triangles), tetrahedra (C3D4); others are left out with a
/// note. *INCLUDE is refused.
Points parseDeck(std::string_view text, const std::string& file, const std::string& nodeSet = {});

/// A gmsh file, version 2.2 or 4.1, ASCII. Lines, triangles, quadrilaterals (as two triangles) and tetrahedra; of these
/// only the kinds of the highest dimension in the file, others are left out with a note. With the name of a physical
/// group only its elements and their points.
Points parseGmsh(std::string_view text, const std::string& file, const std::string& group = {});

/// Reads by the ending of the name: .csv or .txt, .inp, .msh. `part` is the node set or the physical group; empty for
/// all points.
Points readPoints(const std::filesystem::path& file, const std::string& part = {});

}  // namespace koppla::mapping
