#include "koppla/mapping/detail/patch_assembly.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "koppla/mapping/detail/local_basis.hpp"

namespace koppla::mapping::detail {

namespace {

/// The patches of each receiver, one after the other.
struct PatchesOfReceivers {
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> patches;
};

PatchesOfReceivers patchesOfReceivers(const Cover& cover, std::size_t receivers) {
  PatchesOfReceivers result{std::vector<std::size_t>(receivers + 1, 0), {}};
  result.patches.resize(cover.receivers.size());
  for (const std::uint32_t receiver : cover.receivers) ++result.starts[receiver + 1];
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
  std::vector<std::size_t> next(result.starts.begin(), result.starts.end() - 1);
  for (std::size_t patch = 0; patch < cover.patches.size(); ++patch)
    for (const std::uint32_t receiver : cover.receiversOf(patch))
      result.patches[next[receiver]++] = static_cast<std::uint32_t>(patch);
  return result;
}

/// Rows with zeros wherever a patch of the receiver has a giver.
SparseRows pattern(const Cover& cover, std::size_t givers, std::size_t receivers) {
  const PatchesOfReceivers of = patchesOfReceivers(cover, receivers);
  constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> seenBy(givers, kNever);
  SparseRows rows;
  for (std::size_t receiver = 0; receiver < receivers; ++receiver) {
    for (std::size_t k = of.starts[receiver]; k < of.starts[receiver + 1]; ++k)
      for (const std::uint32_t giver : cover.giversOf(of.patches[k])) {
        if (seenBy[giver] == receiver) continue;
        seenBy[giver] = receiver;
        rows.columns.push_back(giver);
      }
    std::sort(rows.columns.begin() + static_cast<std::ptrdiff_t>(rows.starts.back()), rows.columns.end());
    rows.endRow();
  }
  rows.weights.assign(rows.columns.size(), 0.0);
  return rows;
}

/// Adds entries to a row that has all their columns; both rise.
void add(SparseRows& rows, std::size_t row, std::span<const std::uint32_t> columns, const auto& values, double factor) {
  std::size_t place = rows.starts[row];
  for (std::size_t i = 0; i < columns.size(); ++i) {
    while (rows.columns[place] != columns[i]) ++place;
    rows.weights[place] += factor * values[static_cast<Eigen::Index>(i)];
  }
}

/// How much each place counts in a patch.
Eigen::MatrixXd patchWeights(const Cover::Patch& patch, std::span<const Position> places) {
  Eigen::MatrixXd result(static_cast<Eigen::Index>(places.size()), 1);
  for (std::size_t i = 0; i < places.size(); ++i)
    result(static_cast<Eigen::Index>(i), 0) = squaredDistance(places[i], patch.centre);
  evaluateBasis(Basis::wendland, patch.reach, result);
  return result;
}

std::vector<Position> pick(std::span<const Position> all, std::span<const std::uint32_t> chosen) {
  std::vector<Position> picked;
  picked.reserve(chosen.size());
  for (const std::uint32_t i : chosen) picked.push_back(all[i]);
  return picked;
}

}  // namespace

SparseRows assemble(const Cover& cover, std::span<const Position> givers, std::span<const Position> receivers,
                    const RadialBasisSettings& settings) {
  SparseRows rows = pattern(cover, givers.size(), receivers.size());
  LocalBasis basis(settings);
  for (std::size_t p = 0; p < cover.patches.size(); ++p) {
    const std::vector<Position> points = pick(givers, cover.giversOf(p));
    const std::vector<Position> places = pick(receivers, cover.receiversOf(p));
    const Eigen::MatrixXd& weights = basis.weights(points, cover.patches[p].radius, places);
    const Eigen::MatrixXd shares = patchWeights(cover.patches[p], places);
    for (std::size_t j = 0; j < places.size(); ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      add(rows, cover.receiversOf(p)[j], cover.giversOf(p), weights.col(column), shares(column, 0));
    }
  }
  return rows;
}

void normaliseRows(SparseRows& rows) {
  for (std::size_t row = 0; row + 1 < rows.starts.size(); ++row) {
    const auto first = rows.weights.begin() + static_cast<std::ptrdiff_t>(rows.starts[row]);
    const auto last = rows.weights.begin() + static_cast<std::ptrdiff_t>(rows.starts[row + 1]);
    const double sum = std::accumulate(first, last, 0.0);
    std::for_each(first, last, [&](double& weight) { weight /= sum; });
  }
}

}  // namespace koppla::mapping::detail
