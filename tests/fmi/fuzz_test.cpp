// Model descriptions are foreign input: whatever is in them, they are read or refused, and nothing crashes.

#include <random>

#include "koppla/fmi/description_reader.hpp"
#include "koppla/fmi/ports.hpp"

#include "helpers.hpp"

namespace koppla::fmi::test {
namespace {

void readOrRefuse(const std::string& xml) {
  try {
    const DescriptionRead read = readModelDescription(xml, "m.xml");
    const PortTable table = makePorts(read.model);
    for (const auto& [output, inputs] : table.description.dependencies) {
      ASSERT_LT(output, table.description.ports.size());
      for (const subsystem::PortIndex input : inputs.value_or(std::vector<subsystem::PortIndex>{}))
        ASSERT_LT(input, table.description.ports.size());
    }
  } catch (const core::InputError& error) {
    ASSERT_FALSE(error.problems().empty());
  }
}

std::string sample() {
  KeptLog kept;
  return readBytes(Fmu::open(fmuFile("FeedThrough"), kept.log)->folder() / "modelDescription.xml");
}

TEST(Fuzz, DescriptionsCutAnywhere) {
  const std::string xml = sample();
  for (std::size_t length = 0; length < xml.size(); length += 31) readOrRefuse(xml.substr(0, length));
}

TEST(Fuzz, DescriptionsWithBytesChanged) {
  const std::string xml = sample();
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string changed = xml;
    for (unsigned i = 0; i < 1 + random() % 4; ++i) changed[random() % changed.size()] = static_cast<char>(random());
    readOrRefuse(changed);
  }
}

TEST(Fuzz, DescriptionsWithPiecesMovedAndDoubled) {
  const std::string xml = sample();
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const std::string piece = xml.substr(random() % xml.size(), random() % 300);
    std::string changed = xml;
    changed.erase(random() % changed.size(), random() % 300);
    changed.insert(random() % changed.size(), piece);
    readOrRefuse(changed);
  }
}

TEST(Fuzz, AttributesWithStrangeValues) {
  const std::string xml = sample();
  std::mt19937 random(3);
  const std::vector<std::string> values{"",      " ",         "-1",       "4294967296", "1e999", "NaN",
                                        "INF",   "true",      "\xff\xfe", "&#0;",       "&lt;",  std::string(5000, '9'),
                                        "1 2 3", "parameter", "../..",    "%s%n"};
  for (int round = 0; round < 1000; ++round) {
    std::string changed = xml;
    const std::size_t quote = changed.find("=\"", random() % changed.size());
    if (quote == std::string::npos) continue;
    const std::size_t end = changed.find('"', quote + 2);
    changed.replace(quote + 2, end - quote - 2, values[random() % values.size()]);
    readOrRefuse(changed);
  }
}

}  // namespace
}  // namespace koppla::fmi::test
