#include "koppla/results/detail/hdf5_library.hpp"

#include <charconv>
#include <string_view>

namespace koppla::results::detail {

namespace {

/// The library tells the system's error within a sentence only, behind the name of the file: "name = 'x.h5', errno = 2,
/// error message = ...".
int systemError(std::string_view sentence) {
  constexpr std::string_view kMark = "errno = ";
  const std::size_t mark = sentence.rfind(kMark);
  if (mark == std::string_view::npos) return 0;
  int error = 0;
  std::from_chars(sentence.data() + mark + kMark.size(), sentence.data() + sentence.size(), error);
  return error;
}

}  // namespace

void prepareHdf5() {
  static const herr_t once = H5dont_atexit();
  static_cast<void>(once);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Error hdf5Error() {
  Hdf5Error error;
  const auto visit = [](unsigned, const H5E_error2_t* entry, void* into) -> herr_t {
    auto& found = *static_cast<Hdf5Error*>(into);
    if (entry->desc == nullptr) return 0;
    found.text = entry->desc;
    // The last sentence is of whoever asked the system; others may hold a name that looks like an error.
    if (const int system = systemError(found.text); system != 0) found.system = system;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, visit, &error);
  return error;
}

Hdf5Handle hdf5FileAccess() {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_file_locking(access.id(), false, true);
  return access;
}

Hdf5Handle hdf5TextType(std::size_t bytes) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), bytes);
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

}  // namespace koppla::results::detail
