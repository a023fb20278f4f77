#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/log.hpp"
#include "koppla/fmi/co_simulation.hpp"
#include "koppla/fmi/fmu.hpp"

#include "support/message_of.hpp"

namespace koppla::fmi::test {

using koppla::test::messageOf;

/// One entry of an archive to be made.
struct ZipEntry {
  std::string name;
  std::string content = {};
  std::uint32_t mode = 0;  ///< of Unix, with its kind of file
  bool stored = false;     ///< not compressed
  bool encrypted = false;
};

inline void writeZip(const std::filesystem::path& file, const std::vector<ZipEntry>& entries) {
  int code = 0;
  zip_t* zip = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (zip == nullptr) throw std::runtime_error("cannot make " + file.string());
  for (const ZipEntry& entry : entries) {
    const zip_int64_t index =
        entry.name.ends_with('/')
            ? zip_dir_add(zip, entry.name.c_str(), ZIP_FL_ENC_UTF_8)
            : zip_file_add(zip, entry.name.c_str(),
                           zip_source_buffer(zip, entry.content.data(), entry.content.size(), 0), ZIP_FL_ENC_UTF_8);
    if (index < 0) throw std::runtime_error("cannot add " + entry.name);
    const auto at = static_cast<zip_uint64_t>(index);
    if (entry.mode != 0) zip_file_set_external_attributes(zip, at, 0, ZIP_OPSYS_UNIX, entry.mode << 16U);
    if (entry.stored) zip_set_file_compression(zip, at, ZIP_CM_STORE, 0);
    if (entry.encrypted) zip_file_set_encryption(zip, at, ZIP_EM_AES_256, "secret");
  }
  if (zip_close(zip) != 0) throw std::runtime_error("cannot write " + file.string());
}

inline std::string readBytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void writeBytes(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  if (text.find(from) == std::string::npos) throw std::runtime_error("not there: " + std::string(from));
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// An FMU of ours.
inline std::filesystem::path fmuFile(std::string_view name) {
  return std::filesystem::path(KOPPLA_FMU_DIR) / (std::string(name) + ".fmu");
}

/// A small model description; what is not given is legal.
struct DescriptionText {
  std::string head = R"(fmiVersion="2.0" modelName="Test" guid="{1}")";
  std::string flags = R"(modelIdentifier="Test")";
  std::string definitions = {};
  std::string variables =
      R"(<ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="1" causality="output"><Real/></ScalarVariable>)";
  std::string structure = R"(<ModelStructure><Outputs><Unknown index="2" dependencies="1"/></Outputs>
<InitialUnknowns><Unknown index="2" dependencies="1"/></InitialUnknowns></ModelStructure>)";

  [[nodiscard]] std::string xml() const {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription " + head + ">\n<CoSimulation " + flags +
           "/>\n" + definitions + "<ModelVariables>\n" + variables + "\n</ModelVariables>\n" + structure +
           "\n</fmiModelDescription>\n";
  }
};

/// A log that keeps all its lines.
class KeptLog {
 public:
  struct Line {
    core::Severity severity;
    std::string who;
    std::string message;
  };

  KeptLog() {
    log.addSink(
        [this](core::Severity severity, std::string_view who, std::string_view message) {
          lines.push_back({severity, std::string(who), std::string(message)});
        },
        core::Severity::debug);
  }

  [[nodiscard]] std::vector<std::string> messages(std::string_view who = {}) const {
    std::vector<std::string> result;
    for (const Line& line : lines)
      if (who.empty() || line.who == who) result.push_back(line.message);
    return result;
  }
  [[nodiscard]] std::string all() const {
    std::string result;
    for (const Line& line : lines)
      result += std::string(core::word(line.severity)) + " " + line.who + ": " + line.message + "\n";
    return result;
  }

  std::vector<Line> lines;
  core::Log log;
};

/// A subsystem with all that its life in a test needs. bind() is for real ports only.
struct Instance {
  explicit Instance(const std::filesystem::path& file, std::string name = "one", const Options& options = {})
      : fmu(Fmu::open(file, kept.log, options)), system(instantiate(fmu, std::move(name), kept.log, options)) {}
  explicit Instance(std::shared_ptr<Fmu> opened) : fmu(std::move(opened)), system(instantiate(fmu, "one", kept.log)) {}

  [[nodiscard]] subsystem::PortIndex port(std::string_view name) const { return system->describe().find(name).value(); }
  void set(std::string_view name, const core::Value& value) { system->set(port(name), std::span(&value, 1)); }
  void bind(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
    subsystem::Binding binding;
    for (const std::string& name : inputs) binding.inputs.push_back(port(name));
    for (const std::string& name : outputs) binding.outputs.push_back(port(name));
    u.assign(inputs.size(), 0.0);
    y.assign(outputs.size(), 0.0);
    system->bind(std::move(binding));
  }
  void initialise(double start = 0.0, double end = 10.0) {
    system->enterInitialisation({start, end, std::nullopt});
    system->leaveInitialisation();
  }
  subsystem::StepResult advance(double t0, double t1) { return system->advance({t0, t1, true}, subsystem::held(u), y); }
  double observe(std::string_view name) {
    core::Values values;
    const subsystem::PortIndex index = port(name);
    system->observe(std::span(&index, 1), values);
    return values.reals.at(0);
  }

  KeptLog kept;
  std::shared_ptr<Fmu> fmu;
  std::unique_ptr<subsystem::Subsystem> system;
  std::vector<double> u;
  std::vector<double> y;
};

}  // namespace koppla::fmi::test
