#include "koppla/fmi/fmu.hpp"

#include <dlfcn.h>

#include "stub_fmu.hpp"

namespace koppla::fmi::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(FmuTest, OursKeepTheRulesOfTheStandard) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(KOPPLA_FMU_DIR)) {
    if (entry.path().extension() != ".fmu") continue;
    KeptLog kept;
    EXPECT_NO_THROW(Fmu::open(entry.path(), kept.log, {.strict = true})) << entry.path();
    EXPECT_TRUE(kept.lines.empty()) << kept.all();
    ++count;
  }
  EXPECT_GT(count, 10);
}

TEST(FmuTest, TellsWhatItHolds) {
  KeptLog kept;
  const auto fmu = Fmu::open(fmuFile("FeedThrough"), kept.log);
  EXPECT_EQ(fmu->file(), fmuFile("FeedThrough"));
  EXPECT_EQ(fmu->model().modelName, "FeedThrough");
  EXPECT_EQ(fmu->model().generationTool, "Koppla");
  EXPECT_THAT(fmu->platforms(), ElementsAre("linux64"));
  EXPECT_THAT(fmu->warnings(), IsEmpty());
  EXPECT_EQ(fmu->describe().kind, "FMI 2.0 co-simulation");
  EXPECT_TRUE(fmu->describe().find("bus.signal[2]"));
  EXPECT_EQ(fmu->describe().ports[fmu->describe().find("bus.signal[2]").value()].unit, "degC");
  EXPECT_FALSE(fmu->describe().find("time"));
}

TEST(FmuTest, CanBeInspectedWithoutABinary) {
  const core::TemporaryFolder folder("test");
  const fs::path file = folder.path() / "Sources.fmu";
  writeZip(file, {{"modelDescription.xml", DescriptionText{}.xml()}, {"sources/all.c", ""}});
  KeptLog kept;
  const auto fmu = Fmu::open(file, kept.log);
  EXPECT_EQ(fmu->model().modelName, "Test");
  EXPECT_THAT(messageOf<core::InputError>([&] { instantiate(fmu, "one", kept.log); }), HasSubstr("source code only"));
}

TEST(FmuTest, LogsWarningsUnderItsFileName) {
  const core::TemporaryFolder folder("test");
  const fs::path file = folder.path() / "Sloppy.fmu";
  DescriptionText text;
  text.structure.clear();
  writeZip(file, {{"modelDescription.xml", text.xml()}});
  KeptLog kept;
  const auto fmu = Fmu::open(file, kept.log);
  EXPECT_EQ(fmu->warnings().size(), 1U);
  EXPECT_THAT(kept.messages("Sloppy.fmu"),
              ElementsAre(HasSubstr("Sloppy.fmu/modelDescription.xml:2:2: FMI 2.0.4, 2.2.8")));
  EXPECT_THROW(Fmu::open(file, kept.log, {.strict = true}), core::InputError);
}

TEST(FmuTest, UnpacksOnceAndCleansUpAfterTheLastInstance) {
  KeptLog kept;
  auto fmu = Fmu::open(fmuFile("Gain"), kept.log);
  const fs::path folder = fmu->folder();
  auto one = instantiate(fmu, "one", kept.log);
  auto two = instantiate(fmu, "two", kept.log);
  fmu.reset();
  one.reset();
  EXPECT_TRUE(fs::exists(folder / "binaries/linux64/Gain.so"));
  two.reset();
  EXPECT_FALSE(fs::exists(folder));
}

bool isLoaded(const fs::path& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOLOAD | RTLD_NOW);
  if (handle != nullptr) ::dlclose(handle);
  return handle != nullptr;
}

TEST(FmuTest, UnloadsTheLibraryAfterTheLastInstance) {
  KeptLog kept;
  const auto fmu = Fmu::open(fmuFile("Gain"), kept.log);
  const fs::path library = fmu->folder() / "binaries/linux64/Gain.so";
  EXPECT_FALSE(isLoaded(library));
  auto one = instantiate(fmu, "one", kept.log);
  auto two = instantiate(fmu, "two", kept.log);
  one.reset();
  EXPECT_TRUE(isLoaded(library));
  two.reset();
  EXPECT_FALSE(isLoaded(library));
  one = instantiate(fmu, "three", kept.log);
  EXPECT_TRUE(isLoaded(library));
}

TEST(FmuTest, UriIsPercentEncoded) {
  EXPECT_EQ(fileUri("/tmp/a b/100%#?\xc3\xa4-_.~/x"), "file:///tmp/a%20b/100%25%23%3F%C3%A4-_.~/x");
}

TEST(FmuTest, ResourcesAreFoundBelowAnyFolder) {
  const core::TemporaryFolder odd("with blank, % and #");
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", odd.path().c_str(), 1);
  Instance instance(fmuFile("ResourceReader"));
  if (kept.empty())
    ::unsetenv("TMPDIR");
  else
    ::setenv("TMPDIR", kept.c_str(), 1);
  instance.initialise();
  core::Values values;
  const subsystem::PortIndex line = instance.port("line");
  instance.system->observe(std::span(&line, 1), values);
  EXPECT_FALSE(values.strings.at(0).empty());
}

TEST(FmuTest, InstancesThatMustBeAloneGetCopiesOfTheLibrary) {
  KeptLog kept;
  const auto fmu = Fmu::open(fmuFile("OncePerProcess"), kept.log);
  const auto one = instantiate(fmu, "one", kept.log);
  EXPECT_TRUE(kept.lines.empty());
  const auto two = instantiate(fmu, "two", kept.log);
  const auto three = instantiate(fmu, "three", kept.log);
  EXPECT_THAT(kept.messages("OncePerProcess.fmu"),
              ElementsAre(HasSubstr("instance 2 uses a private copy"), HasSubstr("instance 3 uses a private copy")));
  EXPECT_TRUE(one->describe().capabilities.oncePerProcess);
}

TEST(FmuTest, TwoFilesOpenedApartDoNotShareTheirLibrary) {
  KeptLog kept;
  const auto a = Fmu::open(fmuFile("OncePerProcess"), kept.log);
  const auto b = Fmu::open(fmuFile("OncePerProcess"), kept.log);
  const auto one = instantiate(a, "one", kept.log);
  const auto two = instantiate(b, "two", kept.log);
  EXPECT_TRUE(kept.lines.empty()) << kept.all();
}

TEST(FmuTest, AnInstanceThatIsRefusedQuotesTheFmu) {
  KeptLog kept;
  const auto fmu = Fmu::open(fmuFile("FailingInstantiate"), kept.log);
  EXPECT_THAT(
      messageOf<core::SubsystemError>([&] { instantiate(fmu, "one", kept.log); }),
      ::testing::AllOf(HasSubstr("one: fmi2Instantiate of "), HasSubstr("FailingInstantiate.fmu gave no instance."),
                       HasSubstr("The FMU said: 'No licence for the solver 'Unobtainium': this FMU never starts.'")));
}

TEST(Fmu, TellsWhichDerivativesItTakesAndGives) {
  core::Log log;
  const auto fmu = Fmu::open(std::string(KOPPLA_FMU_DIR) + "/InterpolatingLag.fmu", log);
  EXPECT_EQ(fmu->describe().capabilities.inputDerivatives, subsystem::kMaxDegree);
  EXPECT_EQ(fmu->describe().capabilities.outputDerivatives, 1U);
  const auto plain = Fmu::open(std::string(KOPPLA_FMU_DIR) + "/FirstOrderLag.fmu", log);
  EXPECT_EQ(plain->describe().capabilities.inputDerivatives, 0U);
}

}  // namespace
}  // namespace koppla::fmi::test
