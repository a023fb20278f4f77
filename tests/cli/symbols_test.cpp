// FMUs that have or bring libraries of the same names as ours, or as another FMU's: everybody gets its own. The number
// that comes out tells whose function was called.

#include <gtest/gtest.h>

#include "command.hpp"
#include "fmu_forge.hpp"

namespace koppla::test::symbols_test {
namespace {

namespace fs = std::filesystem;

std::string built(const std::string& kind, const std::string& file) {
  return core::readWhole(fs::path(KOPPLA_SYMBOLS_DIR) / kind / file);
}

/// An FMU of a kind with the library that it brings; `tail` makes a library another file of the same use.
void pack(const Workspace& workspace, const std::string& name, const std::string& kind, const std::string& brought = {},
          const std::string& tail = {}) {
  std::vector<ZipEntry> entries{{"modelDescription.xml", gainDescription()},
                                {kGainLibraryEntry, built(kind, "Gain.so")}};
  if (!brought.empty()) entries.push_back({"binaries/linux64/" + brought, built(kind, brought) + tail});
  writeZip(workspace.path(name + ".fmu"), entries);
}

std::string projectOf(const std::vector<std::string>& names) {
  std::string text = "format = 1\nsimulation = { end = 0.1, step = 0.1 }\n";
  for (const std::string& name : names) text += subsystem(name, name + ".fmu");
  return text;
}

/// The outputs y at the end, by the names of subsystems; others are not recorded.
std::vector<std::string> answers(const Workspace& workspace, const std::vector<std::string>& names) {
  workspace.write("p.toml", projectOf(names) + "[results]\nvariables = [\"*.y\"]\n");
  const Result result = workspace.run({"run", "p.toml"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  const std::vector<std::string> rows = workspace.rows("p.run/results.csv");
  if (rows.empty()) return {};
  std::vector<std::string> values;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = rows.back().find(',', begin);
    values.push_back(rows.back().substr(begin, end - begin));
  }
  values.erase(values.begin());  // the time
  return values;
}

using Answers = std::vector<std::string>;

TEST(Symbols, AnFmuCallsTheFunctionsThatItExportsItself) {
  const Workspace workspace;
  pack(workspace, "zlib", "own_zlib");
  pack(workspace, "sundials", "own_sundials");
  EXPECT_EQ(answers(workspace, {"zlib", "sundials"}), (Answers{"41", "42"}));
}

TEST(Symbols, AnFmuLinkedWithoutMathematicsAndCppFindsThem) {
  const Workspace workspace;
  pack(workspace, "poor", "poor");
  EXPECT_EQ(answers(workspace, {"poor"}), Answers{"47"});
}

/// FMUs with data in an inline variable of C++, to which each instance adds its own number: 1, 2, ...
std::string addingProject(const std::vector<std::string>& files) {
  std::string text = "format = 1\nsimulation = { end = 0.1, step = 0.1 }\nresults.variables = [\"*.y\"]\n";
  for (std::size_t i = 0; i < files.size(); ++i)
    text += "[[subsystems]]\nname = \"s" + std::to_string(i + 1) + "\"\nfmu = \"" + files[i] +
            "\"\nparameters.b = " + std::to_string(i + 1) + ".0\n";
  return text;
}

std::string lastRow(const Workspace& workspace, const std::string& project) {
  workspace.write("p.toml", project);
  const Result result = workspace.run({"run", "p.toml"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  const std::vector<std::string> rows = workspace.rows("p.run/results.csv");
  return rows.empty() ? "" : rows.back();
}

TEST(Symbols, InlineVariablesOfTwoFmusAreNotShared) {
  const Workspace workspace;
  pack(workspace, "a", "inline");
  pack(workspace, "b", "inline");
  EXPECT_EQ(lastRow(workspace, addingProject({"a.fmu", "b.fmu"})), "0.1,1,2");
}

/// Named in namespace std, since templates of the C++ library can be specialised for types of a model.
TEST(Symbols, VariablesNamedByTheCppLibraryAreNotShared) {
  const Workspace workspace;
  pack(workspace, "a", "inline_std");
  pack(workspace, "b", "inline_std");
  EXPECT_EQ(lastRow(workspace, addingProject({"a.fmu", "b.fmu"})), "0.1,1,2");
}

/// An FMU and the library that it brings share the variable; two such FMUs do not.
TEST(Symbols, InlineVariablesAreSharedWithinAnFmuHoweverItIsLinked) {
  const Workspace alone;
  pack(alone, "a", "inline_symbolic", "libshelf.so");
  EXPECT_EQ(lastRow(alone, addingProject({"a.fmu"})), "0.1,1");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "The second gets a namespace, and a sanitizer's library cannot be loaded a second time.";
#endif
  const Workspace both;
  pack(both, "a", "inline_symbolic", "libshelf.so");
  pack(both, "b", "inline_symbolic", "libshelf.so");
  EXPECT_EQ(lastRow(both, addingProject({"a.fmu", "b.fmu"})), "0.1,1,2");
}

TEST(Symbols, InlineVariablesOfPrivateCopiesAreNotShared) {
  const Workspace workspace;
  writeZip(workspace.path("a.fmu"),
           {{"modelDescription.xml",
             gainDescriptionWith("<CoSimulation ", "<CoSimulation canBeInstantiatedOnlyOncePerProcess=\"true\" ")},
            {kGainLibraryEntry, built("inline", "Gain.so")}});
  EXPECT_EQ(lastRow(workspace, addingProject({"a.fmu", "a.fmu", "a.fmu"})), "0.1,1,2,3");
}

TEST(Symbols, InlineVariablesOfThirtyFmusAreNotShared) {
  const Workspace workspace;
  pack(workspace, "a", "inline");
  std::vector<std::string> files;
  std::string expected = "0.1";
  for (int i = 1; i <= 30; ++i) {
    files.push_back("a" + std::to_string(i) + ".fmu");
    fs::copy_file(workspace.path("a.fmu"), workspace.path(files.back()));
    expected += "," + std::to_string(i);
  }
  EXPECT_EQ(lastRow(workspace, addingProject(files)), expected);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their libraries cannot be loaded a second time

TEST(Symbols, AnFmuCallsTheLibraryThatItBringsAlsoIfOursHasItsName) {
  const Workspace workspace;
  pack(workspace, "zlib", "brought_zlib", "libz.so.1");
  pack(workspace, "sundials", "brought_sundials", "libsundials_cvode.so.6");
  EXPECT_EQ(answers(workspace, {"zlib", "sundials"}), (Answers{"43", "44"}));
}

TEST(Symbols, AnFmuWithItsOwnHdf5LeavesResultsInHdf5AsTheyAre) {
  const Workspace workspace;
  pack(workspace, "a", "brought_hdf5", "libhdf5_serial.so.103");
  EXPECT_EQ(answers(workspace, {"a"}), Answers{"48"});
  const Result result = workspace.run({"run", "p.toml", "--folder", "h5.run", "--set", "results.format=hdf5"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(workspace.run({"compare", "h5.run", "p.run"}).exitCode, 0);
}

TEST(Symbols, EveryFmuCallsTheLibraryThatItBringsAlsoIfAnothersHasItsName) {
  const Workspace workspace;
  pack(workspace, "a", "first", "libanswer.so.1");
  pack(workspace, "b", "second", "libanswer.so.1");
  pack(workspace, "c", "first", "libanswer.so.1");
  EXPECT_EQ(answers(workspace, {"a", "b", "c"}), (Answers{"45", "46", "45"}));
}

TEST(Symbols, AnFmuWithLibrariesOfItsOwnCannotEndTheProcessUnnoticed) {
  const Workspace workspace;
  pack(workspace, "zlib", "leaving", "libz.so.1");
  workspace.write("p.toml", projectOf({"zlib"}));
  const Result result = workspace.run({"run", "p.toml"});
  EXPECT_EQ(result.exitCode, 3) << result.all();
  EXPECT_NE(result.err.find("'zlib' called exit(0) in fmi2"), std::string::npos) << result.all();
  EXPECT_FALSE(workspace.has("p.run/results.csv"));
}

TEST(Symbols, WhatSuchALibraryPrintsIsNotLost) {
  const Workspace workspace;
  pack(workspace, "zlib", "brought_zlib", "libz.so.1");
  workspace.write("p.toml", projectOf({"zlib"}));
  const Result result = workspace.run({"run", "p.toml"});
  EXPECT_NE(result.out.find("Answer 43 is given."), std::string::npos) << result.all();
}

TEST(Symbols, FmusThatBringTheSameFileShareIt) {
  const Workspace workspace;
  std::vector<std::string> names;
  for (char letter = 'a'; letter <= 't'; ++letter) {
    names.emplace_back(1, letter);
    pack(workspace, names.back(), "brought_zlib", "libz.so.1");
  }
  EXPECT_EQ(answers(workspace, names), Answers(20, "43"));
}

TEST(Symbols, MoreVersionsThanTheProcessCanHoldAreRefused) {
  const Workspace workspace;
  std::vector<std::string> names;
  for (char letter = 'a'; letter <= 't'; ++letter) {
    names.emplace_back(1, letter);
    pack(workspace, names.back(), "first", "libanswer.so.1", std::string(1, letter));
  }
  workspace.write("p.toml", projectOf(names));
  const Result result = workspace.run({"run", "p.toml"});
  EXPECT_EQ(result.exitCode, 2) << result.all();
  for (const char* part : {"The FMU brings its own 'libanswer.so.1'", "couple fewer"})
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  EXPECT_EQ(workspace.leftovers(), std::vector<std::string>{});
}

TEST(Symbols, InlineVariablesOfFmusThatOpenLibrariesAreNotShared) {
  const Workspace workspace;
  pack(workspace, "a", "inline_opens");
  pack(workspace, "b", "inline_opens");
  EXPECT_EQ(lastRow(workspace, addingProject({"a.fmu", "b.fmu"})), "0.1,1,2");
}

#if !defined(__clang__)  // which makes no unique symbols: there is room for all
TEST(Symbols, MoreInlineVariablesThanTheProcessCanHoldApartAreRefused) {
  const Workspace workspace;
  std::vector<std::string> files;
  for (int i = 1; i <= 20; ++i) {
    pack(workspace, "a" + std::to_string(i), "inline_opens");
    files.push_back("a" + std::to_string(i) + ".fmu");
  }
  workspace.write("p.toml", addingProject(files));
  const Result result = workspace.run({"run", "p.toml"});
  EXPECT_EQ(result.exitCode, 2) << result.all();
  for (const char* part : {"The FMU has a C++ variable 'inlineShelf'", "-fno-gnu-unique"})
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  EXPECT_EQ(workspace.leftovers(), std::vector<std::string>{});
}
#endif

#endif

}  // namespace
}  // namespace koppla::test::symbols_test
