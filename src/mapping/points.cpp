#include "koppla/mapping/points.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

namespace koppla::mapping {

namespace {

constexpr double kLargestCoordinate = 1e100;
constexpr std::size_t kLargestFile = std::size_t{1} << 32U;

void checkIds(const Points& points, const std::string& name) {
  if (points.ids.size() != points.size())
    throw core::InputError(
        name + " has " + std::to_string(points.size()) + " points and " + std::to_string(points.ids.size()) + " ids.",
        "Give each point one id.");
  std::vector<std::int64_t> sorted = points.ids;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw core::InputError(name + " has the id " + std::to_string(*twice) + " more than once.",
                           "Give each point an id of its own.");
}

void checkPositions(const Points& points, const std::string& name) {
  for (std::size_t i = 0; i < points.size(); ++i)
    for (const double coordinate : points.positions[i])
      if (!(std::abs(coordinate) <= kLargestCoordinate))
        throw core::InputError(name + " has the coordinate " + std::to_string(coordinate) +
                                   " at the point with the id " + std::to_string(points.ids[i]) + ".",
                               "Coordinates are finite and at most 1e100 in size.");
}

void checkSimplices(const Points& points, const std::string& name) {
  for (const Simplex& simplex : points.simplices) {
    const bool known = simplex.count >= 2 && simplex.count <= 4 &&
                       std::all_of(simplex.corners.begin(), simplex.corners.begin() + simplex.count,
                                   [&](std::uint32_t corner) { return corner < points.size(); });
    if (!known)
      throw core::InputError(name + " has a simplex whose corners are not 2 to 4 of its points.",
                             "Corners are indices of points, counted from 0.");
  }
}

}  // namespace

void check(const Points& points, std::string_view what) {
  const std::string name(what);
  if (points.positions.empty()) throw core::InputError(name + " has no points.", "Give at least one point.");
  if (points.size() >= UINT32_MAX)
    throw core::InputError(name + " has more than " + std::to_string(UINT32_MAX - 1) + " points.", "Divide it.");
  checkIds(points, name);
  checkPositions(points, name);
  checkSimplices(points, name);
}

Points select(const Points& points, std::span<const std::int64_t> ids) {
  std::unordered_map<std::int64_t, std::uint32_t> byId;
  byId.reserve(points.size());
  for (std::uint32_t i = 0; i < points.size(); ++i) byId.emplace(points.ids[i], i);
  Points result;
  result.dimension = points.dimension;
  result.notes = points.notes;
  constexpr std::uint32_t kLeftOut = UINT32_MAX;
  std::vector<std::uint32_t> placeOf(points.size(), kLeftOut);
  std::vector<std::int64_t> missing;
  for (const std::int64_t id : ids) {
    const auto found = byId.find(id);
    if (found == byId.end()) {
      missing.push_back(id);
      continue;
    }
    placeOf[found->second] = static_cast<std::uint32_t>(result.size());
    result.ids.push_back(id);
    result.positions.push_back(points.positions[found->second]);
  }
  if (!missing.empty())
    throw core::InputError(
        "There is no point with the id " + std::to_string(missing.front()) +
            (missing.size() > 1 ? ", nor with " + std::to_string(missing.size() - 1) + " others." : "."),
        "Ids are those of the file of points.");
  for (Simplex simplex : points.simplices) {
    const auto corners = std::span(simplex.corners).first(simplex.count);
    for (std::uint32_t& corner : corners) corner = placeOf[corner];
    if (std::ranges::find(corners, kLeftOut) == corners.end()) result.simplices.push_back(simplex);
  }
  return result;
}

Points readPoints(const std::filesystem::path& file, const std::string& part) {
  const std::string ending = file.extension().string();
  const std::string name = file.string();
  const bool csv = ending == ".csv" || ending == ".txt";
  if (!csv && ending != ".inp" && ending != ".msh")
    throw core::InputError(name + " has the ending '" + ending + "', which tells no known format of points.",
                           "Use .csv or .txt (id,x,y,z), .inp (CalculiX, Abaqus) or .msh (gmsh).");
  if (csv && !part.empty())
    throw core::InputError(name + " is a CSV file and has no part '" + part + "'.",
                           "Parts are node sets of .inp files and physical groups of .msh files.");
  const std::string text = core::readWhole(file, kLargestFile);
  if (csv) return parseCsvPoints(text, name);
  return ending == ".inp" ? parseDeck(text, name, part) : parseGmsh(text, name, part);
}

}  // namespace koppla::mapping
