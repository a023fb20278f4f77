#pragma once

namespace koppla::results {

// Endings of the files of a record in HDF5, in the folder of its run.
inline constexpr char kHdf5Complete[] = ".h5";
inline constexpr char kHdf5Partial[] = ".partial.h5";
// Of the file: what tells that it is ours, and the version of its layout.
inline constexpr char kHdf5Format[] = "format";
inline constexpr int kHdf5FormatNumber = 2;
// Of each dataset.
inline constexpr char kHdf5Name[] = "name";
inline constexpr char kHdf5Type[] = "type";
inline constexpr char kHdf5Unit[] = "unit";
inline constexpr char kHdf5Description[] = "description";
inline constexpr char kHdf5Column[] = "column";
inline constexpr char kHdf5ColumnStep[] = "column_step";
inline constexpr char kHdf5Cut[] = "cut";            ///< how many texts were cut off
inline constexpr char kHdf5Checksum[] = "checksum";  ///< of its values; 0 while rows are added

}  // namespace koppla::results
