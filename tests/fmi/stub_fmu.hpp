#pragma once

#include "helpers.hpp"

namespace koppla::fmi::test {

/// An FMU around one of the libraries in stubs/.
class StubFmu {
 public:
  explicit StubFmu(
      const std::string& library = "obliging_stub",
      const std::string& flags = R"(canGetAndSetFMUstate="true" canHandleVariableCommunicationStepSize="true")") {
    DescriptionText text;
    text.flags = "modelIdentifier=\"" + library + "\" " + flags;
    writeZip(file, {{"modelDescription.xml", text.xml()},
                    {"binaries/linux64/" + library + ".so",
                     readBytes(std::filesystem::path(KOPPLA_STUB_DIR) / (library + ".so"))}});
  }

  core::TemporaryFolder folder{"stub"};
  std::filesystem::path file = folder.path() / "Stub.fmu";
};

}  // namespace koppla::fmi::test
