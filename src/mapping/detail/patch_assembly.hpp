#pragma once

#include <span>

#include "koppla/mapping/detail/cover.hpp"
#include "koppla/mapping/mapping.hpp"

namespace koppla::mapping::detail {

/// One row for each receiver: the means of what its patches give, with weights that fall smoothly to zero where a patch
/// ends. The pattern of the rows is made first, so that only the result itself takes much memory.
SparseRows assemble(const Cover& cover, std::span<const Position> givers, std::span<const Position> receivers,
                    const RadialBasisSettings& settings);

/// Divides every row by its sum.
void normaliseRows(SparseRows& rows);

}  // namespace koppla::mapping::detail
