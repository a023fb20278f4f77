#include <sys/stat.h>

#include "bad_input.hpp"
#include "fmu_forge.hpp"

namespace koppla::test {

namespace {

/// A project whose only FMU, bad.fmu, is what `forge` makes of it. Its path stands at project.toml:7:7.
BadInput badFmu(std::string name, std::function<void(const std::filesystem::path&)> forge,
                std::vector<std::string> says, int exitCode = 2) {
  BadInput input =
      badProject(std::move(name), "format = 1\n[simulation]\nend = 1.0\nstep = 0.1\n" + subsystem("a", "bad.fmu"),
                 std::move(says));
  input.prepare = [forge = std::move(forge)](const Workspace& workspace) { forge(workspace.path("bad.fmu")); };
  input.exitCode = exitCode;
  return input;
}

/// A Gain with this text in its description replaced.
BadInput badDescription(std::string name, std::string from, std::string to, std::vector<std::string> says,
                        int exitCode = 2) {
  return badFmu(
      std::move(name),
      [from = std::move(from), to = std::move(to)](const auto& file) {
        writeGain(file, gainDescriptionWith(from, to), gainLibrary());
      },
      std::move(says), exitCode);
}

BadInput badLibrary(std::string name, std::function<std::string()> library, std::vector<std::string> says) {
  says.insert(says.begin(), "project.toml:7:7: The FMU of 'a' cannot be used: bad.fmu/binaries/linux64/Gain.so: ");
  return badFmu(
      std::move(name),
      [library = std::move(library)](const auto& file) { writeGain(file, gainDescription(), library()); },
      std::move(says));
}

/// A Gain with one more entry.
BadInput badEntry(std::string name, ZipEntry entry, std::vector<std::string> says) {
  says.insert(says.begin(), "project.toml:7:7: The FMU of 'a' cannot be used: bad.fmu: The entry '" + entry.name + "'");
  return badFmu(
      std::move(name),
      [entry = std::move(entry)](const auto& file) {
        writeZip(file, {{"modelDescription.xml", gainDescription()}, {kGainLibraryEntry, gainLibrary()}, entry});
      },
      std::move(says));
}

BadInput badBytes(std::string name, std::function<std::string(std::string)> change, std::vector<std::string> says) {
  return badFmu(
      std::move(name),
      [change = std::move(change)](const auto& file) {
        writeGain(file, gainDescription(), gainLibrary());
        core::writeWhole(file, change(core::readWhole(file)));
      },
      std::move(says));
}

BadInput named(std::string name, const std::string& fmu, std::vector<std::string> says) {
  return badProject(std::move(name), "format = 1\n[simulation]\nend = 1.0\nstep = 0.1\n" + subsystem("a", fmu),
                    std::move(says));
}

const std::string kRefused = "project.toml:7:7: The FMU of 'a' cannot be used: bad.fmu";

}  // namespace

std::vector<BadInput> fmuCases() {
  return {
      named("Mistyped", "fmus/Gian.fmu",
            {"project.toml:7:7: There is no file fmus/Gian.fmu for the subsystem 'a'.", "Did you mean 'Gain.fmu'?"}),
      named("InAFolderThatIsNotThere", "fmu/Gain.fmu",
            {"project.toml:7:7: There is no file fmu/Gain.fmu", "There is no folder fmu either."}),
      named("AFolder", "./fmus", {"project.toml:7:7:", "This is a folder, not an FMU.", "Name the .fmu file."}),
      badBytes("NoArchive", [](const auto&) { return "hello"; }, {kRefused, "no zip archive", "export it again"}),
      badBytes("EmptyFile", [](const auto&) { return ""; }, {kRefused, "no zip archive", "export it again"}),
      badBytes("CutInTheMiddle", [](const std::string& bytes) { return bytes.substr(0, bytes.size() / 2); },
               {kRefused, "a part of it is missing", "'unzip -t' tests an archive."}),
      badEntry("EntryThatLeadsOut", {"../evil.txt", "x"}, {"leads out of the folder", "unless you trust its source"}),
      badEntry("EntryWithAbsolutePath", {"/tmp/koppla-evil.txt", "x"}, {"leads out of the folder"}),
      badEntry("EntryThatIsALink", {"resources/link", "/etc/passwd", S_IFLNK | 0777U},
               {"is a link or a device", "Export the FMU with the file itself in its place."}),
      badFmu("Bomb",
             [](const auto& file) {
               writeZip(file, {{"modelDescription.xml", gainDescription()},
                               {"resources/zeros", std::string(std::size_t{70} << 20U, '\0')}});
             },
             {kRefused + ": The archive unpacks from", "more than 100 times its size", "set KOPPLA_UNPACK_LIMIT"}),
      badFmu("NoDescription",
             [](const auto& file) {
               writeZip(file, {{kGainLibraryEntry, gainLibrary()}});
             },
             {kRefused, "holds no modelDescription.xml.", "Check that the file is an FMU."}),
      badFmu("PackedWithItsFolder",
             [](const auto& file) {
               writeZip(file, {{"Gain/modelDescription.xml", gainDescription()}});
             },
             {kRefused, "holds no modelDescription.xml.", "zip the content of that folder"}),
      badFmu("SspPackage",
             [](const auto& file) {
               writeZip(file, {{"SystemStructure.ssd", "<x/>"}});
             },
             {kRefused, "this is an SSP package, not an FMU."}),
      badFmu("EmptyDescription", [](const auto& file) { writeGain(file, "", gainLibrary()); },
             {kRefused + "/modelDescription.xml", "not well-formed XML", "export the FMU again"}),
      badDescription("BrokenDescription", "<Category name=\"logAll\"/>", "<Category name=\"logAll\"",
                     {kRefused + "/modelDescription.xml:6:", "This is not well-formed XML", "export the FMU again"}),
      badFmu("DescriptionOfAMillionLevels",
             [](const auto& file) {
               std::string xml = "<?xml version=\"1.0\"?>";
               for (int i = 0; i < 300000; ++i) xml += "<a>";
               writeGain(file, xml, gainLibrary());
             },
             {kRefused + "/modelDescription.xml:1:", "This is not well-formed XML"}),
      badFmu("OtherXml", [](const auto& file) { writeGain(file, "<html/>", gainLibrary()); },
             {kRefused + "/modelDescription.xml", "html"}),
      badDescription(
          "Fmi1", "fmiVersion=\"2.0\"", "fmiVersion=\"1.0\"",
          {kRefused + "/modelDescription.xml:2:2:", "FMI 1.0 is not supported", "Export the model for FMI 2.0."}),
      badDescription(
          "Fmi3", "fmiVersion=\"2.0\"", "fmiVersion=\"3.0\"",
          {kRefused + "/modelDescription.xml:2:2:", "FMI 3.0 is not supported", "Export the model for FMI 2.0."}),
      badDescription("ModelExchangeOnly", "<CoSimulation", "<ModelExchange",
                     {kRefused, "offers model exchange only.", "Export it for co-simulation."}),
      badDescription("IdentifierIsAPath", "modelIdentifier=\"Gain\"", "modelIdentifier=\"../../etc/passwd\"",
                     {kRefused, "modelIdentifier is a path (../../etc/passwd)", "unless you trust its source"}),
      badFmu("LibrariesOfOtherNames",
             [](const auto& file) {
               writeZip(file, {{"modelDescription.xml", gainDescription()},
                               {"binaries/linux64/Gane.so", "one"},
                               {"binaries/linux64/Gian.so", "other"}});
             },
             {kRefused, "holds no binaries/linux64/Gain.so.", "named after modelIdentifier"}),
      badFmu("NoLibrary",
             [](const auto& file) {
               writeZip(file, {{"modelDescription.xml", gainDescription()}});
             },
             {kRefused, "holds no binaries/linux64/Gain.so.", "Export it for 64 bit Linux."}),
      badFmu("LibraryForWindows",
             [](const auto& file) {
               writeZip(file, {{"modelDescription.xml", gainDescription()}, {"binaries/win64/Gain.dll", "MZ"}});
             },
             {kRefused, "It is for win64.", "Export it for 64 bit Linux."}),
      badFmu("SourcesOnly",
             [](const auto& file) {
               writeZip(file, {{"modelDescription.xml", gainDescription()}, {"sources/gain.c", "int x;"}});
             },
             {kRefused, "It holds source code only.", "Compile it"}),
      badLibrary("LibraryOfGarbage", [] { return std::string(3000, 'x'); }, {"cannot be loaded", "invalid ELF header"}),
      badLibrary("LibraryWithoutContent", [] { return std::string(); }, {"file too short", "export the FMU again"}),
      // Within what is loaded: behind that may lie debug information, whose loss harms nobody.
      badLibrary("LibraryCutInTheMiddle", [] { return gainLibrary().substr(0, 12288); },
                 {"is cut off after", "export the FMU again"}),
      badLibrary("LibraryCutAfterItsHeader", [] { return gainLibrary().substr(0, 5000); },
                 {"is cut off after 5000 bytes", "export the FMU again"}),
      badLibrary("LibraryThatIsNoFmu", foreignLibrary, {"fmi2Instantiate"}),
      badDescription("WrongGuid", "guid=\"{", "guid=\"{0",
                     {"a: fmi2Instantiate of bad.fmu gave no instance.", "The FMU said: 'fmi2Instantiate: the GUID",
                      "'logging = true'"},
                     3),
      BadInput{"ThatCannotBeInstantiated",
               {"run", "project.toml"},
               {"never: fmi2Instantiate of fmus/FailingInstantiate.fmu gave no instance.",
                "The FMU said: 'No licence for the solver 'Unobtainium': this FMU never starts.'", "'logging = true'"},
               {{"project.toml", project(subsystem("never", "FailingInstantiate"))}},
               {},
               3},
      BadInput{"StrictRefusal",
               {"run", "project.toml"},
               {"project.toml:7:7: The FMU of 'a' cannot be used", "FMI 2.0.4"},
               {{"project.toml",
                 "format = 1\n[simulation]\nend = 1.0\nstep = 0.1\n" + subsystem("a", "bad.fmu") + "strict = true\n"}},
               [](const Workspace& workspace) {
                 writeGain(workspace.path("bad.fmu"), gainDescriptionWith("<Real start=\"0\"/>", "<Real start=\"x\"/>"),
                           gainLibrary());
               }},

      {"InspectedButMissing", {"inspect", "nope.fmu"}, {"nope.fmu: There is no such file.", "Check the path"}},
      {"InspectedButMisspelt",
       {"inspect", "oscilator-body"},
       {"There is neither a file nor a native model 'oscilator-body'. Did you mean 'oscillator-body'?"}},
      {"InspectedButAText",
       {"inspect", "notes.txt"},
       {"notes.txt: This is no zip archive", "export it again"},
       {{"notes.txt", "hello"}}},
      {"InspectedButAFolder", {"inspect", "fmus"}, {"fmus: This is a folder, not an FMU.", "Name the .fmu file."}},
      {"NewFromAText",
       {"new", "notes.txt", "nope.fmu"},
       {"notes.txt: This is no zip archive", "nope.fmu: There is no such file."},
       {{"notes.txt", "hello"}}},
      {"NewOverAnExistingProject",
       {"new", "fmus/Gain.fmu"},
       {"project.toml exists already.", "Choose another name with -o, or replace it with --overwrite."},
       {{"project.toml", "mine"}}},
      {"NewInAFolderThatIsNotThere",
       {"new", "fmus/Gain.fmu", "-o", "nowhere/project.toml"},
       {"nowhere/project.toml cannot be written: No such file or directory."}},
      {"NewOverAFolder",
       {"new", "fmus/Gain.fmu", "-o", "folder", "--overwrite"},
       {"folder cannot be written: Is a directory.", "a name that no folder has"},
       {{"folder/file", "x"}}},
  };
}

}  // namespace koppla::test
