// HDF5 for the command, opened at the first call. It needs some thirty other libraries (of networks and cryptography),
// which take longer to load than most runs take in all, and most runs write no such file. Functions here have the names
// of HDF5's, so that the rest of the room need not know; a program that links the static library calls HDF5 itself.

#include <cstddef>
#include <string>
#include <tuple>

#include <dlfcn.h>
#include <hdf5.h>

#include "koppla/core/error.hpp"

namespace koppla::results::detail {

namespace {

void* library() {
  static void* const opened = [] {
    void* handle = ::dlopen(KOPPLA_HDF5_LIBRARY, RTLD_LOCAL | RTLD_LAZY);
    if (handle == nullptr) {
      const char* reason = ::dlerror();
      throw core::InputError(
          std::string("The HDF5 library cannot be loaded: ") + (reason != nullptr ? reason : "") + ".",
          "Install the package that brings " KOPPLA_HDF5_LIBRARY ", or use format = \"csv\".");
    }
    return handle;
  }();
  return opened;
}

void* symbol(const char* name) {
  void* const found = ::dlsym(library(), name);
  if (found == nullptr)
    throw core::InputError(std::string("The HDF5 library lacks ") + name + ".",
                           "Install the one that Koppla was built with.");
  return found;
}

template <class Function>
struct Signature;
template <class R, class... A>
struct Signature<R(A...)> {
  using Result = R;
  template <std::size_t i>
  using Argument = std::tuple_element_t<i, std::tuple<A...>>;
};

}  // namespace

}  // namespace koppla::results::detail

using koppla::results::detail::Signature;
using koppla::results::detail::symbol;

// A definition of each function with the parameters of its declaration, by their number.
#define RESULT(name) Signature<decltype(name)>::Result
#define TAKES(name, i) Signature<decltype(name)>::Argument<i>
#define HANDS_ON(name, ...)                                                     \
  {                                                                             \
    static auto* const real = reinterpret_cast<decltype(&name)>(symbol(#name)); \
    return real(__VA_ARGS__);                                                   \
  }
#define FORWARD0(name) RESULT(name) name() HANDS_ON(name)
#define FORWARD1(name) RESULT(name) name(TAKES(name, 0) a) HANDS_ON(name, a)
#define FORWARD2(name) RESULT(name) name(TAKES(name, 0) a, TAKES(name, 1) b) HANDS_ON(name, a, b)
#define FORWARD3(name) RESULT(name) name(TAKES(name, 0) a, TAKES(name, 1) b, TAKES(name, 2) c) HANDS_ON(name, a, b, c)
#define FORWARD4(name) \
  RESULT(name) name(TAKES(name, 0) a, TAKES(name, 1) b, TAKES(name, 2) c, TAKES(name, 3) d) HANDS_ON(name, a, b, c, d)
#define FORWARD6(name)                                                                                             \
  RESULT(name)                                                                                                     \
  name(TAKES(name, 0) a, TAKES(name, 1) b, TAKES(name, 2) c, TAKES(name, 3) d, TAKES(name, 4) e, TAKES(name, 5) f) \
      HANDS_ON(name, a, b, c, d, e, f)
#define FORWARD7(name)                                                                                             \
  RESULT(name)                                                                                                     \
  name(TAKES(name, 0) a, TAKES(name, 1) b, TAKES(name, 2) c, TAKES(name, 3) d, TAKES(name, 4) e, TAKES(name, 5) f, \
       TAKES(name, 6) g) HANDS_ON(name, a, b, c, d, e, f, g)

extern "C" {

// Identifiers that HDF5's macros read after they have called H5open().
hid_t H5P_CLS_DATASET_ACCESS_ID_g, H5P_CLS_DATASET_CREATE_ID_g, H5P_CLS_FILE_ACCESS_ID_g, H5P_CLS_LINK_CREATE_ID_g,
    H5T_C_S1_g, H5T_IEEE_F64LE_g, H5T_NATIVE_DOUBLE_g, H5T_NATIVE_INT64_g, H5T_STD_I32LE_g, H5T_STD_I64LE_g,
    H5T_STD_U8LE_g;

#define COPY(name) name = *static_cast<const hid_t*>(symbol(#name))
herr_t H5open() {
  static const herr_t opened = [] {
    const herr_t result = reinterpret_cast<decltype(&H5open)>(symbol("H5open"))();
    COPY(H5P_CLS_DATASET_ACCESS_ID_g);
    COPY(H5P_CLS_DATASET_CREATE_ID_g);
    COPY(H5P_CLS_FILE_ACCESS_ID_g);
    COPY(H5P_CLS_LINK_CREATE_ID_g);
    COPY(H5T_C_S1_g);
    COPY(H5T_IEEE_F64LE_g);
    COPY(H5T_NATIVE_DOUBLE_g);
    COPY(H5T_NATIVE_INT64_g);
    COPY(H5T_STD_I32LE_g);
    COPY(H5T_STD_I64LE_g);
    COPY(H5T_STD_U8LE_g);
    return result;
  }();
  return opened;
}
#undef COPY

FORWARD0(H5dont_atexit)
FORWARD1(H5Aclose)
FORWARD1(H5Aget_space)
FORWARD1(H5Aget_type)
FORWARD1(H5Dclose)
FORWARD1(H5Dget_create_plist)
FORWARD1(H5Dget_space)
FORWARD1(H5Dget_type)
FORWARD1(H5Fclose)
FORWARD1(H5Fstart_swmr_write)
FORWARD1(H5Pclose)
FORWARD1(H5Pcreate)
FORWARD1(H5Pget_nfilters)
FORWARD1(H5Sclose)
FORWARD1(H5Screate)
FORWARD1(H5Sget_simple_extent_ndims)
FORWARD1(H5Sget_simple_extent_npoints)
FORWARD1(H5Tclose)
FORWARD1(H5Tcopy)
FORWARD1(H5Tget_class)
FORWARD1(H5Tget_size)
FORWARD1(H5Tis_variable_str)
FORWARD2(H5Aexists)
FORWARD2(H5Dset_extent)
FORWARD2(H5Fflush)
FORWARD2(H5Fget_filesize)
FORWARD2(H5Pset_char_encoding)
FORWARD2(H5Pset_create_intermediate_group)
FORWARD2(H5Pset_metadata_read_attempts)
FORWARD2(H5Tget_native_type)
FORWARD2(H5Tset_cset)
FORWARD2(H5Tset_size)
FORWARD2(H5Tset_strpad)
FORWARD3(H5Aopen)
FORWARD3(H5Aread)
FORWARD3(H5Awrite)
FORWARD3(H5Dopen2)
FORWARD3(H5Eset_auto2)
FORWARD3(H5Fget_vfd_handle)
FORWARD3(H5Fopen)
FORWARD3(H5Pset_chunk)
FORWARD3(H5Pset_file_locking)
FORWARD3(H5Pset_libver_bounds)
FORWARD3(H5Screate_simple)
FORWARD3(H5Sget_simple_extent_dims)
FORWARD3(H5check_version)
FORWARD4(H5Ewalk2)
FORWARD4(H5Fcreate)
FORWARD4(H5Pset_chunk_cache)
FORWARD6(H5Acreate2)
FORWARD6(H5Dread)
FORWARD6(H5Dwrite)
FORWARD6(H5Ovisit2)
FORWARD6(H5Sselect_hyperslab)
FORWARD7(H5Dcreate2)

}  // extern "C"
