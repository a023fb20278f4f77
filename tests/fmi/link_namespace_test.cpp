// What a library brings along, and when that sends it to a link namespace of its own. The libraries here are tables
// only, which the loader refuses; where it was asked to put them shows all the same.

#include "koppla/fmi/link_namespace.hpp"

#include <dlfcn.h>
#include <link.h>

#include "elf_builder.hpp"
#include "helpers.hpp"

namespace koppla::fmi::link_namespace_test {
namespace {

namespace fs = std::filesystem;
using test::ElfBuilder;

class LinkNamespace : public ::testing::Test {
 protected:
  /// Writes a library below the folder.
  fs::path put(const std::string& place, const ElfBuilder& library) { return put(place, library.bytes()); }
  fs::path put(const std::string& place, const std::string& bytes) {
    const fs::path file = folder_.path() / place;
    fs::create_directories(file.parent_path());
    test::writeBytes(file, bytes);
    return file;
  }
  /// HDF5 of another's is what the command must never be given: who brings that goes apart.
  void putHdf5(const std::string& place) { put(place + "/libhdf5.so.103", ElfBuilder{}); }
  static ElfBuilder needing(std::vector<std::string> names, std::optional<std::string> runpath,
                            std::optional<std::string> rpath = std::nullopt) {
    ElfBuilder library;
    library.needed = std::move(names);
    library.runpath = std::move(runpath);
    library.rpath = std::move(rpath);
    return library;
  }
  static bool goesApart(const fs::path& file) {
    const Loaded loaded = load(file, {});
    EXPECT_EQ(loaded.handle, nullptr);
    EXPECT_FALSE(loaded.reason.empty());
    return loaded.apart;
  }
  bool goesApart(const ElfBuilder& library) { return goesApart(put("library.so", library)); }

  core::TemporaryFolder folder_{"namespace"};
  const std::string hdf5_ = "libhdf5.so.103";
};

TEST_F(LinkNamespace, WhatIsThereIsBrought) {
  EXPECT_FALSE(goesApart(needing({hdf5_}, "$ORIGIN"))) << "it is not there";
  putHdf5(".");
  EXPECT_TRUE(goesApart(needing({hdf5_}, "$ORIGIN")));
  EXPECT_TRUE(goesApart(needing({hdf5_}, std::nullopt, "$ORIGIN")));
  EXPECT_TRUE(goesApart(needing({"libnone.so", hdf5_}, "$ORIGIN")));
  EXPECT_FALSE(goesApart(needing({hdf5_}, std::nullopt))) << "it names no folder";
  EXPECT_FALSE(goesApart(needing({"libhdf4.so"}, "$ORIGIN")));
  EXPECT_FALSE(goesApart(needing({}, "$ORIGIN")));
  fs::create_directory(folder_.path() / "libhdf5.so.200");
  EXPECT_FALSE(goesApart(needing({"libhdf5.so.200"}, "$ORIGIN"))) << "a folder is no library";
  EXPECT_FALSE(goesApart(needing({"./" + hdf5_}, "$ORIGIN"))) << "a path is not looked for";
}

/// Wherever it stands in an entry, and as often.
TEST_F(LinkNamespace, TheOriginIsTheFolderOfTheLibrary) {
  putHdf5("sub");
  for (const char* path : {"$ORIGIN/sub", "${ORIGIN}/sub", "/nowhere:$ORIGIN/sub", "$ORIGIN:${ORIGIN}/sub:/nowhere",
                           "$ORIGIN/sub/../sub/."})
    EXPECT_TRUE(goesApart(needing({hdf5_}, path))) << path;
  EXPECT_FALSE(goesApart(needing({hdf5_}, "$ORIGIN/other:$ORIGINsub")));
  // Twice in one entry: the folder below itself.
  const std::string origin = folder_.path().string();
  putHdf5(origin.substr(1));
  EXPECT_TRUE(goesApart(needing({hdf5_}, "$ORIGIN$ORIGIN")));
  EXPECT_TRUE(goesApart(needing({hdf5_}, "${ORIGIN}/$ORIGIN")));
  EXPECT_TRUE(goesApart(needing({hdf5_}, folder_.path().string() + "/sub"))) << "nor need there be one";
}

/// What is brought brings in turn, whichever of several it is.
TEST_F(LinkNamespace, WhatIsBroughtBringsInTurn) {
  for (const std::string which : {"a", "b", "c"}) {
    for (const std::string name : {"a", "b", "c"}) {
      put("lib" + name + ".so", needing({"lib" + name + "2.so"}, "$ORIGIN/" + name));
      put(name + "/lib" + name + "2.so", needing({name == which ? hdf5_ : "libnone.so"}, "$ORIGIN/deep"));
      fs::remove_all(folder_.path() / name / "deep");
    }
    putHdf5(which + "/deep");
    EXPECT_TRUE(goesApart(needing({"liba.so", "libb.so", "libc.so"}, "$ORIGIN"))) << which;
    fs::remove_all(folder_.path() / which / "deep");
    EXPECT_FALSE(goesApart(needing({"liba.so", "libb.so", "libc.so"}, "$ORIGIN"))) << which;
  }
  // Those that need each other are brought once.
  put("libp.so", needing({"libq.so"}, "$ORIGIN"));
  put("libq.so", needing({"libp.so"}, "$ORIGIN"));
  EXPECT_FALSE(goesApart(needing({"libp.so"}, "$ORIGIN")));
}

/// DT_RPATH holds for what is needed in turn, DT_RUNPATH does not; where both are there DT_RUNPATH counts alone.
TEST_F(LinkNamespace, OnlyRpathsAreInherited) {
  putHdf5("other");
  put("lib/libplain.so", needing({hdf5_}, std::nullopt));
  put("lib/libown.so", needing({hdf5_}, "$ORIGIN"));
  put("lib/librpath.so", needing({hdf5_}, std::nullopt, "$ORIGIN"));
  const std::string both = "$ORIGIN/lib:$ORIGIN/other";
  EXPECT_TRUE(goesApart(needing({"libplain.so"}, std::nullopt, both)));
  EXPECT_FALSE(goesApart(needing({"libplain.so"}, both)));
  EXPECT_FALSE(goesApart(needing({"libown.so"}, std::nullopt, both))) << "it has a runpath of its own";
  EXPECT_TRUE(goesApart(needing({"librpath.so"}, std::nullopt, both))) << "its own comes first, then the inherited one";
  EXPECT_FALSE(goesApart(needing({hdf5_}, "$ORIGIN/lib", "$ORIGIN/other")));
  EXPECT_TRUE(goesApart(needing({hdf5_}, "$ORIGIN/other", "$ORIGIN/lib")));
  EXPECT_FALSE(goesApart(needing({"libplain.so"}, "$ORIGIN/lib", both)));
}

/// A library that this process has loaded.
fs::path loadedLibrary(const std::string& beginning) {
  void* const program = ::dlopen(nullptr, RTLD_LAZY);
  link_map* map = nullptr;
  ::dlinfo(program, RTLD_DI_LINKMAP, &map);
  fs::path found;
  for (; map != nullptr; map = map->l_next)
    if (fs::path(map->l_name).filename().string().starts_with(beginning)) found = map->l_name;
  ::dlclose(program);
  return found;
}

/// A file of a name that is loaded already, with another content, is a rival; the same content is none.
TEST_F(LinkNamespace, RivalsAreOtherFilesOfALoadedName) {
  const fs::path loaded = loadedLibrary("libzip.so");
  ASSERT_FALSE(loaded.empty());
  const std::string name = loaded.filename().string();
  const std::string bytes = test::readBytes(loaded);
  ASSERT_GT(bytes.size(), 65536U);
  const ElfBuilder library = needing({name}, "$ORIGIN");
  put(name, bytes);
  EXPECT_FALSE(goesApart(library)) << "a copy";
  fs::remove(folder_.path() / name);
  fs::create_symlink(loaded, folder_.path() / name);
  EXPECT_FALSE(goesApart(library)) << "a link";
  fs::remove(folder_.path() / name);
  for (const std::size_t place : {std::size_t{0}, std::size_t{65535}, std::size_t{65536}, bytes.size() - 1}) {
    std::string other = bytes;
    other[place] = static_cast<char>(other[place] ^ 1);
    put(name, other);
    EXPECT_TRUE(goesApart(library)) << place;
  }
  put(name, bytes + "more");
  EXPECT_TRUE(goesApart(library)) << "longer";
  put(name, bytes.substr(0, bytes.size() - 1));
  EXPECT_TRUE(goesApart(library)) << "shorter";
  put("sub/" + name, "x");
  EXPECT_FALSE(goesApart(needing({name}, "$ORIGIN/none"))) << "not brought";
}

/// Runtimes serve whoever was built with an older one: they are no rivals.
TEST_F(LinkNamespace, RuntimesAreNoRivals) {
  for (const char* beginning : {"libc.so", "libm.so", "libstdc++.so", "libgcc_s.so"}) {
    const fs::path loaded = loadedLibrary(beginning);
    if (loaded.empty()) continue;
    const std::string name = loaded.filename().string();
    put(name, "another one");
    EXPECT_FALSE(goesApart(needing({name}, "$ORIGIN"))) << name;
  }
}

}  // namespace
}  // namespace koppla::fmi::link_namespace_test
