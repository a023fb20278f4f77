#pragma once

#include <vector>

#include "koppla/program/detail/rows.hpp"

namespace koppla::program::detail {

/// The values of a field from a table of CalculiX's .dat file (*NODE PRINT, *EL PRINT). Its heading is
///   displacements (vx,vy,vz) for set NALL and time  0.1000000E+01
/// Nodal tables have the node first, element tables the element and mostly its integration point, totals no id.
std::vector<double> readCalculixDat(const Reading& reading, const Field& field, const Source& source, double time);

}  // namespace koppla::program::detail
