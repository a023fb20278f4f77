// What becomes of an FMU whose library lacks a function, each in turn, or says odd things about itself.

#include <cctype>
#include <cfenv>
#include <filesystem>
#include <stdexcept>

#include <dlfcn.h>
#include <fcntl.h>

#include "koppla/fmi/description_reader.hpp"
#include "koppla/fmi/library.hpp"

#include "played_fmu.hpp"

namespace koppla::fmi::test::library_functions_test {
namespace {

namespace fs = std::filesystem;
using fmi2::Status;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The bytes of the library with one text, between zeros, in place of another.
std::string withText(const std::string& from, const std::string& to) {
  std::string bytes = readBytes(fs::path(KOPPLA_STUB_DIR) / "played_stub.so");
  const std::string whole = '\0' + from + '\0';
  const std::size_t place = bytes.find(whole);
  if (place == std::string::npos || from.size() != to.size()) throw std::runtime_error("not there: " + from);
  return bytes.replace(place + 1, from.size(), to);
}

class LibraryFunctions : public ::testing::Test {
 protected:
  /// A library without a function, which has another name there.
  fs::path without(const std::string& function) {
    std::string other = function;
    other.back() = '_';
    return put(withText(function, other));
  }
  fs::path put(const std::string& bytes) {
    const fs::path file = folder_.path() / ("library" + std::to_string(++files_) + ".so");
    writeBytes(file, bytes);
    return file;
  }
  static ModelDescription modelOf(const std::string& variables, const std::string& flags = {}) {
    DescriptionText text = described(variables);
    text.flags += " " + flags;
    return readModelDescription(text.xml(), "m.xml").model;
  }
  static std::vector<std::string> warningsOf(const fs::path& file, const ModelDescription& model) {
    return Library(file, model).warnings();
  }

  core::TemporaryFolder folder_{"library"};
  int files_ = 0;
};

const std::string kReals = variable("u", 1, "input", "Real", "start=\"0\"") + variable("y", 2, "output");

TEST_F(LibraryFunctions, ThatEveryFmuNeedsAreNamed) {
  const ModelDescription model = modelOf(kReals);
  for (const std::string function :
       {"fmi2Instantiate", "fmi2FreeInstance", "fmi2SetupExperiment", "fmi2EnterInitializationMode",
        "fmi2ExitInitializationMode", "fmi2DoStep", "fmi2Terminate", "fmi2GetReal", "fmi2SetReal"}) {
    const fs::path file = without(function);
    EXPECT_THAT(messageOf<core::InputError>([&] { const Library library(file, model); }),
                HasSubstr("The FMU's library lacks " + function + "."));
    void* const loaded = ::dlopen(file.c_str(), RTLD_NOLOAD | RTLD_NOW);
    EXPECT_EQ(loaded, nullptr) << "what is refused is not kept";
  }
}

TEST_F(LibraryFunctions, ThatNobodyNeedsMayBeMissing) {
  const ModelDescription model = modelOf(kReals);
  for (const std::string function :
       {"fmi2GetTypesPlatform", "fmi2GetVersion", "fmi2Reset", "fmi2GetFMUstate", "fmi2SetFMUstate", "fmi2FreeFMUstate",
        "fmi2GetDirectionalDerivative", "fmi2SetRealInputDerivatives", "fmi2GetRealOutputDerivatives", "fmi2CancelStep",
        "fmi2GetRealStatus", "fmi2GetBooleanStatus", "fmi2GetInteger", "fmi2SetInteger", "fmi2GetBoolean",
        "fmi2SetBoolean", "fmi2GetString", "fmi2SetString"}) {
    const Library library(without(function), model);
    EXPECT_THAT(library.warnings(), IsEmpty()) << function;
    const Functions& f = library.functions();
    EXPECT_EQ(f.getState == nullptr, function.ends_with("FMUstate")) << "all three or none";
    EXPECT_EQ(f.reset == nullptr, function == "fmi2Reset");
    EXPECT_EQ(f.cancelStep == nullptr, function == "fmi2CancelStep");
    EXPECT_EQ(f.getRealStatus == nullptr, function == "fmi2GetRealStatus");
    EXPECT_EQ(f.getBooleanStatus == nullptr, function == "fmi2GetBooleanStatus");
    EXPECT_EQ(f.getDirectionalDerivative == nullptr, function == "fmi2GetDirectionalDerivative");
    EXPECT_EQ(f.setRealInputDerivatives == nullptr, function == "fmi2SetRealInputDerivatives");
    EXPECT_EQ(f.getRealOutputDerivatives == nullptr, function == "fmi2GetRealOutputDerivatives");
    EXPECT_EQ(f.getInteger == nullptr, function == "fmi2GetInteger");
    EXPECT_EQ(f.setString == nullptr, function == "fmi2SetString");
  }
}

/// A type needs to be read where a variable of it is usable, and to be set where one of these may be set.
TEST_F(LibraryFunctions, OfATypeAreNeededWhereAVariableUsesThem) {
  struct Row {
    std::string type;
    std::string functions;
  };
  for (const Row& row : {Row{"Real", "Real"}, Row{"Integer", "Integer"}, Row{"Enumeration", "Integer"},
                         Row{"Boolean", "Boolean"}, Row{"String", "String"}}) {
    const std::string other = row.type == "Real" ? variable("other", 9, "input", "Integer", "start=\"0\"") : kReals;
    const auto lacks = [&](const std::string& function, const std::string& variables) {
      try {
        const Library library(without(function), modelOf(other + variables));
        return std::string();
      } catch (const core::InputError& error) {
        return std::string(error.what());
      }
    };
    const std::string get = "fmi2Get" + row.functions;
    const std::string set = "fmi2Set" + row.functions;
    const std::string parameter = variable("p", 5, "parameter", row.type, "start=\"0\"");
    const std::string output = variable("o", 6, "output", row.type);
    EXPECT_THAT(lacks(get, parameter), HasSubstr("lacks " + get + ".")) << row.type;
    EXPECT_THAT(lacks(set, parameter), HasSubstr("lacks " + set + ".")) << row.type;
    EXPECT_THAT(lacks(get, output), HasSubstr("lacks " + get + ".")) << row.type;
    EXPECT_EQ(lacks(set, output), "") << row.type;
    const std::string nameless = variable("", 6, "output", row.type);
    EXPECT_EQ(lacks(get, nameless), "") << row.type;
    EXPECT_EQ(lacks(set, variable("", 6, "parameter", row.type, "start=\"0\"")), "") << row.type;
  }
}

/// What is declared and missing is told, and only that.
TEST_F(LibraryFunctions, ThatAreDeclaredAndMissingAreTold) {
  struct Row {
    std::string function;
    std::string flag;
    std::string told;
  };
  const std::vector<Row> rows{
      {"fmi2GetFMUstate", R"(canGetAndSetFMUstate="true")", "It declares canGetAndSetFMUstate but its library lacks"},
      {"fmi2SetFMUstate", R"(canGetAndSetFMUstate="true")", "It declares canGetAndSetFMUstate but its library lacks"},
      {"fmi2FreeFMUstate", R"(canGetAndSetFMUstate="true")", "It declares canGetAndSetFMUstate but its library lacks"},
      {"fmi2SetRealInputDerivatives", R"(canInterpolateInputs="true")", "It declares canInterpolateInputs but"},
      {"fmi2GetRealOutputDerivatives", R"(maxOutputDerivativeOrder="1")", "It declares maxOutputDerivativeOrder but"},
      {"fmi2GetDirectionalDerivative", R"(providesDirectionalDerivative="true")",
       "It declares providesDirectionalDerivative but"}};
  for (const Row& row : rows) {
    EXPECT_THAT(warningsOf(without(row.function), modelOf(kReals, row.flag)), ElementsAre(HasSubstr(row.told)));
    EXPECT_THAT(warningsOf(fs::path(KOPPLA_STUB_DIR) / "played_stub.so", modelOf(kReals, row.flag)), IsEmpty());
  }
}

/// An instance can do what the library has.
TEST_F(LibraryFunctions, ThatAreMissingAreNoCapabilities) {
  const std::string flags =
      R"(modelIdentifier="played_stub" canGetAndSetFMUstate="true" canInterpolateInputs="true"
         maxOutputDerivativeOrder="3" providesDirectionalDerivative="true")";
  for (const std::string function : {"", "fmi2SetFMUstate", "fmi2SetRealInputDerivatives",
                                     "fmi2GetRealOutputDerivatives", "fmi2GetDirectionalDerivative"})
    for (const bool feeds : {true, false}) {
      PlayedFmu fmu;
      DescriptionText text = described(kReals, outputsDepending({{2, feeds ? "1" : ""}}));
      text.flags = flags;
      text.head = fmt::format(R"(fmiVersion="2.0" modelName="Played" guid="{:x}")",
                              reinterpret_cast<std::uintptr_t>(&fmu.player));
      const fs::path whole = fs::path(KOPPLA_STUB_DIR) / "played_stub.so";
      writeZip(fmu.file,
               {{"modelDescription.xml", text.xml()},
                {"binaries/linux64/played_stub.so", readBytes(function.empty() ? whole : without(function)), 0, true}});
      const TypedInstance one(fmu.file);
      const subsystem::Capabilities& can = one.system->describe().capabilities;
      const bool saves = function != "fmi2SetFMUstate";
      EXPECT_EQ(can.saveRestore, saves);
      EXPECT_EQ(can.directionalDerivatives, function != "fmi2GetDirectionalDerivative");
      EXPECT_EQ(can.outputDerivatives, function == "fmi2GetRealOutputDerivatives" ? 0U : 3U);
      EXPECT_EQ(can.inputDerivatives, function != "fmi2SetRealInputDerivatives" ? 5U : feeds && saves ? 1U : 0U);
      EXPECT_EQ(one.fmu->describe().capabilities.inputDerivatives, 5U) << "as it declares";
    }
}

TEST_F(LibraryFunctions, TellThePlatformOfTypesAndTheVersion) {
  const ModelDescription model = modelOf(kReals);
  const fs::path strange = put(withText("default", "strange"));
  EXPECT_THAT(messageOf<core::InputError>([&] { const Library library(strange, model); }),
              AllOf(HasSubstr(strange.string()), HasSubstr("The FMU uses types of the platform 'strange'.")));
  EXPECT_THAT(warningsOf(put(withText("2.0-as-played", "3.0-as-played")), model),
              ElementsAre(HasSubstr("Its library says that it is of FMI version '3.0-as-played'")));
  EXPECT_THAT(warningsOf(put(withText("2.0-as-played", "2.1-as-played")), model), IsEmpty());
}

/// It is loaded in its own folder; the process is back in its own afterwards, and has no more files open.
TEST_F(LibraryFunctions, AreLoadedInTheFolderOfTheLibrary) {
  const fs::path before = fs::current_path();
  const auto openFiles = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  PlayedFmu fmu;
  core::Log log;
  const auto opened = Fmu::open(fmu.file, log);
  const auto descriptors = openFiles();
  const TypedInstance one(opened);
  EXPECT_EQ(fs::path(fmu.player.loadedIn).filename(), "linux64");
  EXPECT_EQ(fs::path(fmu.player.loadedIn).parent_path().filename(), "binaries");
  EXPECT_EQ(fs::current_path(), before);
  EXPECT_EQ(openFiles(), descriptors);
  EXPECT_THAT(fmu.player.resources, ::testing::EndsWith("/resources"));
  ASSERT_TRUE(fmu.player.resources.starts_with("file:///"));
  EXPECT_TRUE(fs::is_directory(fmu.player.resources.substr(7))) << "also where the archive has none";
}

/// Where its folder is gone nothing else is touched: neither the process's own folder nor its files.
TEST_F(LibraryFunctions, OfAFolderThatIsGoneAreRefused) {
  const fs::path before = fs::current_path();
  EXPECT_THAT(messageOf<core::InputError>(
                  [&] { const Library library(folder_.path() / "gone" / "library.so", modelOf(kReals)); }),
              HasSubstr("cannot be loaded"));
  EXPECT_EQ(fs::current_path(), before);
  for (const int standard : {0, 1, 2}) EXPECT_NE(::fcntl(standard, F_GETFD), -1) << standard;
}

// --- What functions do beside their work -----------------------------------------------------------------------------

/// A function that throws has failed, whatever it throws; its words are quoted as far as they are readable.
TEST_F(LibraryFunctions, ThatThrowAreFatal) {
  PlayedFmu fmu;
  TypedInstance one(fmu.file);
  one.bindAll({"u"}, {"y"});
  one.initialise();
  fmu.player.answer = [](const std::string& call) {
    if (call == "doStep") throw std::runtime_error(std::string(3000, 'x') + "end");
    return Status::ok;
  };
  EXPECT_EQ(one.take({0.0, 0.5, true}).status, subsystem::Status::fatal);
  EXPECT_THAT(one.system->failure(),
              AllOf(HasSubstr("fmi2DoStep(t = 0 s, h = 0.5 s) threw an exception, which FMI does not allow: '" +
                              std::string(1000, 'x') + "'"),
                    Not(HasSubstr(std::string(1001, 'x')))));
  fmu.player.answer = [](const auto&) { return Status::ok; };
}

TEST_F(LibraryFunctions, ThatThrowInTheirBeginningOrEndAreTold) {
  for (const bool words : {true, false}) {
    const std::string quoted = words ? "'no licence'" : "of an unknown type";
    const auto throwing = [words](const std::string& which) {
      return [=](const std::string& call) {
        if (call == which && words) throw std::runtime_error("no licence");
        if (call == which) throw 5;
        return Status::ok;
      };
    };
    PlayedFmu fmu;
    fmu.player.answer = throwing("instantiate");
    EXPECT_THAT(messageOf<core::SubsystemError>([&] { const TypedInstance one(fmu.file); }),
                HasSubstr("Played.fmu threw an exception, which FMI does not allow: " + quoted + "."));
    fmu.player.answer = throwing("freeInstance");
    TypedInstance one(fmu.file);
    one.system.reset();
    EXPECT_THAT(one.kept.messages("one"), Contains("fmi2FreeInstance threw an exception: " + quoted + "."));
    fmu.player.answer = [](const auto&) { return Status::ok; };
    TypedInstance quiet(fmu.file);
    quiet.system.reset();
    EXPECT_THAT(quiet.kept.messages(), IsEmpty());
  }
}

TEST_F(LibraryFunctions, ThatGiveNoInstanceSayWhatCouldHelp) {
  for (const bool tool : {false, true}) {
    PlayedFmu fmu(DescriptionText{}, tool ? R"(needsExecutionTool="true")" : "");
    fmu.player.answer = [](const std::string&) { return Status::error; };
    EXPECT_THAT(messageOf<core::SubsystemError>([&] { const TypedInstance one(fmu.file); }),
                AllOf(HasSubstr("gave no instance."),
                      HasSubstr(tool ? "The FMU needs the tool that exported it" : "'logging = true'")));
  }
}

/// How the processor rounds and where the process works is put back after the first and the last call as well.
TEST_F(LibraryFunctions, ThatWanderAreBroughtBack) {
  const fs::path before = fs::current_path();
  for (const std::string which : {"instantiate", "enterInitializationMode", "exitInitializationMode", "freeInstance"}) {
    PlayedFmu fmu;
    KeptLog kept;
    {
      const auto opened = Fmu::open(fmu.file, kept.log);
      fmu.player.answer = [&](const std::string& call) {
        if (call == which) {
          std::fesetround(FE_UPWARD);
          if (which != "freeInstance") fs::current_path("/");
        }
        return Status::ok;
      };
      const auto system = instantiate(opened, "one", kept.log);
      EXPECT_EQ(std::fegetround(), FE_TONEAREST) << which;
      EXPECT_EQ(fs::current_path(), before) << which;
      system->enterInitialisation({0.0, 1.0, std::nullopt});
      EXPECT_EQ(std::fegetround(), FE_TONEAREST) << which;
      EXPECT_EQ(fs::current_path(), before) << which;
      system->leaveInitialisation();
      EXPECT_EQ(std::fegetround(), FE_TONEAREST) << which;
      EXPECT_EQ(fs::current_path(), before) << which;
    }
    EXPECT_EQ(std::fegetround(), FE_TONEAREST) << which;
    EXPECT_EQ(fs::current_path(), before) << which;
    std::string name = "fmi2" + which;
    name[4] = static_cast<char>(std::toupper(name[4]));
    EXPECT_THAT(kept.messages("one"), ElementsAre(HasSubstr(name + " changed how the processor rounds")));
    std::fesetround(FE_TONEAREST);
    fs::current_path(before);
  }
}

}  // namespace
}  // namespace koppla::fmi::test::library_functions_test
