#include "koppla/fmi/library.hpp"

#include "koppla/fmi/description_reader.hpp"

#include "stub_fmu.hpp"

namespace koppla::fmi::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LibraryTest : public ::testing::Test {
 protected:
  fs::path put(const std::string& name, std::string_view content) {
    const fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    writeBytes(file, content);
    return file;
  }
  std::string refusal(const fs::path& file) {
    return messageOf<core::InputError>([&] { const Library library(file, model_); });
  }

  core::TemporaryFolder folder_{"library"};
  ModelDescription model_ = readModelDescription(DescriptionText{}.xml(), "m.xml").model;
};

TEST_F(LibraryTest, FindsTheBinaryForThisMachine) {
  const fs::path file = put("binaries/linux64/Test.so", "");
  put("binaries/win32/Test.dll", "");
  EXPECT_EQ(libraryFile(folder_.path(), model_, "x.fmu"), file);
  EXPECT_THAT(platforms(folder_.path()), ElementsAre("linux64", "win32"));
}

TEST_F(LibraryTest, SaysWhichPlatformsThereAreInstead) {
  const auto refusedFile = [&] {
    return messageOf<core::InputError>([&] { libraryFile(folder_.path(), model_, "x.fmu"); });
  };
  EXPECT_THAT(refusedFile(), HasSubstr("x.fmu: The FMU holds no binaries/linux64/Test.so."));
  EXPECT_THAT(platforms(folder_.path()), IsEmpty());
  put("sources/all.c", "");
  EXPECT_THAT(refusedFile(), HasSubstr("source code only"));
  put("binaries/win64/Test.dll", "");
  put("binaries/darwin64/Test.dylib", "");
  EXPECT_THAT(refusedFile(), HasSubstr("It is for darwin64, win64."));
  put("binaries/linux64/Other.so", "");
  put("binaries/linux64/Another.so", "");
  EXPECT_THAT(refusedFile(), HasSubstr("named after modelIdentifier"));
}

/// The name of the platform that counts is that of FMI 2.0; of later ones no name of the library is asked for.
TEST_F(LibraryTest, AnotherNameOfThePlatformWillDo) {
  put("binaries/x86_64-linux/One.so", "");
  put("binaries/x86_64-linux/Two.so", "");
  put("binaries/readme.txt", "");
  EXPECT_THAT(platforms(folder_.path()), ElementsAre("x86_64-linux"));
  EXPECT_THAT(messageOf<core::InputError>([&] { libraryFile(folder_.path(), model_, "x.fmu"); }),
              AllOf(HasSubstr("It is for x86_64-linux."), HasSubstr("Export it for 64 bit Linux")));
  const fs::path file = put("binaries/x86_64-linux/Test.so", "");
  EXPECT_EQ(libraryFile(folder_.path(), model_, "x.fmu"), file);
  const fs::path first = put("binaries/linux64/Test.so", "");
  EXPECT_EQ(libraryFile(folder_.path(), model_, "x.fmu"), first);
}

TEST_F(LibraryTest, TheOnlyLibraryMayHaveAnotherName) {
  const fs::path file = put("binaries/linux64/Renamed.so", "");
  put("binaries/linux64/libneeded.so.3", "");
  put("binaries/linux64/readme.txt", "");
  fs::create_directory(folder_.path() / "binaries/linux64/folder.so");
  EXPECT_EQ(libraryFile(folder_.path(), model_, "x.fmu"), file);
  const fs::path right = put("binaries/linux64/Test.so", "");
  EXPECT_EQ(libraryFile(folder_.path(), model_, "x.fmu"), right);
}

/// Also where further instances get copies beside it.
TEST_F(LibraryTest, AnFmuWhoseOnlyLibraryHasAnotherNameIsUsedWithAWarning) {
  DescriptionText text;
  text.flags = R"(modelIdentifier="Model" canBeInstantiatedOnlyOncePerProcess="true")";
  const fs::path file = folder_.path() / "Renamed.fmu";
  writeZip(file, {{"modelDescription.xml", text.xml()},
                  {"binaries/linux64/renamed_model.so", readBytes(fs::path(KOPPLA_STUB_DIR) / "obliging_stub.so")}});
  KeptLog kept;
  const auto fmu = Fmu::open(file, kept.log);
  const auto first = instantiate(fmu, "a", kept.log);
  const auto second = instantiate(fmu, "b", kept.log);
  EXPECT_THAT(kept.messages("Renamed.fmu"),
              ::testing::Contains(AllOf(HasSubstr("Model.so"), HasSubstr("renamed_model.so is used"))).Times(1));
}

TEST_F(LibraryTest, SaysWhyAFileCannotBeLoaded) {
  EXPECT_THAT(refusal(put("Test.so", "")), HasSubstr("damaged"));
  EXPECT_THAT(refusal(put("Test.so", std::string(1000, 'x'))),
              AllOf(HasSubstr("invalid ELF header"), HasSubstr("another machine")));
  std::string bytes = readBytes(fs::path(KOPPLA_STUB_DIR) / "obliging_stub.so");
  bytes[4] = 1;  // ELFCLASS32
  EXPECT_THAT(refusal(put("Test.so", bytes)), HasSubstr("another machine"));
  bytes[4] = 2;
  bytes[18] = static_cast<char>(183);  // EM_AARCH64
  EXPECT_THAT(refusal(put("Test.so", bytes)), HasSubstr("another machine"));
  bytes = replaced(readBytes(fs::path(KOPPLA_STUB_DIR) / "obliging_stub.so"), "libc.so.6", "libX.so.6");
  EXPECT_THAT(refusal(put("Test.so", bytes)), AllOf(HasSubstr("libX.so.6"), HasSubstr("Install the library it needs")));
}

TEST_F(LibraryTest, RefusesLibrariesThatAreCutOffAnywhere) {
  const std::string bytes = readBytes(fs::path(KOPPLA_STUB_DIR) / "incomplete_stub.so");
  for (std::size_t length = 0; length < bytes.size(); length += 97) refusal(put("Test.so", bytes.substr(0, length)));
  EXPECT_THAT(refusal(put("Test.so", bytes.substr(0, 1000))), HasSubstr("cut off after 1000 bytes"));
}

TEST_F(LibraryTest, NamesAllFunctionsThatAreMissing) {
  const std::string message = refusal(fs::path(KOPPLA_STUB_DIR) / "incomplete_stub.so");
  EXPECT_THAT(
      message,
      HasSubstr("lacks fmi2Instantiate, fmi2FreeInstance, fmi2SetupExperiment, "
                "fmi2EnterInitializationMode, fmi2ExitInitializationMode, fmi2DoStep, fmi2GetReal, fmi2SetReal."));
}

TEST_F(LibraryTest, AsksOnlyForTheTypesThatTheModelUses) {
  {
    const Library library(fs::path(KOPPLA_STUB_DIR) / "obliging_stub.so", model_);  // has no fmi2GetInteger
    EXPECT_EQ(library.functions().getInteger, nullptr);
  }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "Under a sanitizer it stays loaded, so that it gets a namespace, where that cannot be loaded.";
#endif
  model_.variables[0].type = core::Type::enumeration;
  EXPECT_THAT(refusal(fs::path(KOPPLA_STUB_DIR) / "obliging_stub.so"),
              HasSubstr("lacks fmi2GetInteger, fmi2SetInteger."));
}

TEST_F(LibraryTest, LeavesTheWorkingFolderAsItWas) {
  const fs::path before = fs::current_path();
  { const Library library(fs::path(KOPPLA_STUB_DIR) / "obliging_stub.so", model_); }
  EXPECT_EQ(fs::current_path(), before);
  refusal(put("Test.so", ""));
  EXPECT_EQ(fs::current_path(), before);
}

TEST_F(LibraryTest, DeclaredCapabilitiesWithoutFunctionsAreSwitchedOff) {
  const StubFmu stub("obliging_stub", R"(canGetAndSetFMUstate="true" providesDirectionalDerivative="true")");
  Instance instance(stub.file);
  EXPECT_TRUE(instance.fmu->describe().capabilities.directionalDerivatives);
  EXPECT_FALSE(instance.system->describe().capabilities.directionalDerivatives);
  EXPECT_TRUE(instance.system->describe().capabilities.saveRestore);
  EXPECT_THAT(instance.kept.messages("Stub.fmu"), ElementsAre(HasSubstr("lacks fmi2GetDirectionalDerivative")));
}

TEST_F(LibraryTest, StatesThatCannotBeSavedAreNotOffered) {
  // NoRestore lacks the functions; here it lies about it.
  const core::TemporaryFolder unpacked("lie");
  const fs::path tree = fmuFile("NoRestore").replace_extension();
  const fs::path file = unpacked.path() / "Liar.fmu";
  writeZip(file, {{"modelDescription.xml", replaced(readBytes(tree / "modelDescription.xml"),
                                                    "canGetAndSetFMUstate=\"false\"", "canGetAndSetFMUstate=\"true\"")},
                  {"binaries/linux64/NoRestore.so", readBytes(tree / "binaries/linux64/NoRestore.so")}});
  Instance instance(file);
  EXPECT_FALSE(instance.system->describe().capabilities.saveRestore);
  EXPECT_THAT(instance.kept.all(), HasSubstr("declares canGetAndSetFMUstate but its library lacks"));
  instance.bind({"u"}, {"y"});
  instance.initialise();
  EXPECT_EQ(instance.system->save(subsystem::Slot::iteration), subsystem::Status::error);
  EXPECT_THAT(instance.system->failure(), HasSubstr("cannot save"));
  EXPECT_EQ(instance.advance(0.0, 0.1).status, subsystem::Status::ok);
}

}  // namespace
}  // namespace koppla::fmi::test
