#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "helpers.hpp"
#include "stubs/player.hpp"

namespace koppla::fmi::test {

/// An FMU that the test plays itself. Outlives its instances, of which there is one at a time.
class PlayedFmu {
 public:
  static constexpr const char* kStepsAndStates =
      R"(canGetAndSetFMUstate="true" canHandleVariableCommunicationStepSize="true")";

  explicit PlayedFmu(DescriptionText text = {}, const std::string& flags = kStepsAndStates) {
    text.head =
        fmt::format(R"(fmiVersion="2.0" modelName="Played" guid="{:x}")", reinterpret_cast<std::uintptr_t>(&player));
    text.flags = R"(modelIdentifier="played_stub" )" + flags;
    writeZip(file, {{"modelDescription.xml", text.xml()},
                    {"binaries/linux64/played_stub.so",
                     readBytes(std::filesystem::path(KOPPLA_STUB_DIR) / "played_stub.so"), 0, true}});
  }
  PlayedFmu(const PlayedFmu&) = delete;
  PlayedFmu& operator=(const PlayedFmu&) = delete;

  Player player;
  core::TemporaryFolder folder{"played"};
  std::filesystem::path file = folder.path() / "Played.fmu";
};

/// A variable of a type of FMI (Real, Integer, ...), discrete unless it is real; `attributes` of the type.
inline std::string variable(const std::string& name, unsigned reference, const std::string& causality,
                            const std::string& type = "Real", const std::string& attributes = {}) {
  return fmt::format(
      "<ScalarVariable name=\"{}\" valueReference=\"{}\" causality=\"{}\" variability=\"{}\"><{} "
      "{}/></ScalarVariable>\n",
      name, reference, causality,
      causality == "parameter" ? "fixed"
      : type == "Real"         ? "continuous"
                               : "discrete",
      type, attributes);
}

/// A description whose outputs depend on nothing at the same instant.
inline DescriptionText described(std::string variables, std::string structure = "<ModelStructure/>") {
  DescriptionText text;
  text.variables = std::move(variables);
  text.structure = std::move(structure);
  return text;
}

/// Outputs (indices from 1) that declare these dependencies.
inline std::string outputsDepending(const std::vector<std::pair<int, std::string>>& outputs) {
  std::string list;
  for (const auto& [index, on] : outputs) list += fmt::format(R"(<Unknown index="{}" dependencies="{}"/>)", index, on);
  return "<ModelStructure><Outputs>" + list + "</Outputs><InitialUnknowns>" + list +
         "</InitialUnknowns></ModelStructure>";
}

/// An instance whose bound ports may be of any type.
struct TypedInstance : Instance {
  struct Discrete {
    std::vector<std::int32_t> integers;
    std::vector<std::int32_t> booleans;
    std::vector<std::string> strings;

    [[nodiscard]] subsystem::DiscreteValues values() { return {integers, booleans, strings}; }
  };
  using Instance::Instance;

  void bindAll(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
               bool outputDerivatives = false) {
    subsystem::Binding binding;
    const std::size_t realInputs = place(inputs, binding.inputs, in);
    const std::size_t realOutputs = place(outputs, binding.outputs, out);
    u.assign(realInputs, 0.0);
    y.assign(outputDerivatives ? 2 * realOutputs : realOutputs, -1.0);
    binding.discreteInputs = in.values();
    binding.discreteOutputs = out.values();
    binding.outputDerivatives = outputDerivatives;
    system->bind(std::move(binding));
  }
  subsystem::StepResult take(const subsystem::Step& step) { return system->advance(step, subsystem::held(u), y); }

  Discrete in;
  Discrete out;

 private:
  /// The number of reals.
  std::size_t place(const std::vector<std::string>& names, std::vector<subsystem::PortIndex>& ports, Discrete& values) {
    std::size_t reals = 0;
    for (const std::string& name : names) {
      ports.push_back(port(name));
      switch (system->describe().ports[ports.back()].type) {
        case core::Type::real:
          ++reals;
          break;
        case core::Type::integer:
        case core::Type::enumeration:
          values.integers.push_back(0);
          break;
        case core::Type::boolean:
          values.booleans.push_back(0);
          break;
        case core::Type::string:
          values.strings.emplace_back();
          break;
      }
    }
    return reals;
  }
};

}  // namespace koppla::fmi::test
