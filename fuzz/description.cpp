// A model description: read, with ports that hang together, or refused with at least one reason.

#include <string>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/fmi/description_reader.hpp"
#include "koppla/fmi/ports.hpp"

#include "target.hpp"

namespace {

void read(std::string_view xml, bool strict) {
  using koppla::fuzz::demand;
  try {
    const koppla::fmi::DescriptionRead read = koppla::fmi::readModelDescription(xml, "modelDescription.xml", strict);
    demand(!strict || read.warnings.empty());
    const koppla::fmi::PortTable table = koppla::fmi::makePorts(read.model);
    const auto& description = table.description;
    for (const auto& [output, inputs] : description.dependencies) {
      demand(output < description.ports.size());
      for (const koppla::subsystem::PortIndex input : inputs.value_or(std::vector<koppla::subsystem::PortIndex>{}))
        demand(input < description.ports.size());
    }
  } catch (const koppla::core::InputError& error) {
    demand(!error.problems().empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view xml = koppla::fuzz::textOf(data, size);
  read(xml, false);
  read(xml, true);
  return 0;
}
