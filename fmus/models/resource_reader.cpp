// Reads the first line of resources/greeting.txt when it is instantiated; fails to if it cannot. Shows whether the
// resource location was passed as a file URI and leads to the unpacked FMU.
//
//   line = first line of the file;  length = its number of characters

#include <fstream>
#include <string>

#include "model.hpp"

namespace koppla::fmus {

// file:///a%20b/c, file:/a%20b/c or file://localhost/...; empty if it is none of them.
static std::string pathOf(std::string_view uri) {
  constexpr std::string_view kScheme = "file:";
  if (!uri.starts_with(kScheme)) return {};
  uri.remove_prefix(kScheme.size());
  if (uri.starts_with("//")) {
    const auto slash = uri.find('/', 2);
    if (slash == std::string_view::npos) return {};
    uri.remove_prefix(slash);
  }
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '%' && i + 2 < uri.size()) {
      path += static_cast<char>(std::stoi(std::string(uri.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

struct ResourceReader {
  Text line;
  int length = 0;

  static constexpr Info info{.name = "ResourceReader", .description = "Reads a line of a file among its resources"};
  static constexpr auto variables = std::to_array<Variable<ResourceReader>>({
      {&ResourceReader::line, {.name = "line", .causality = output}},
      {&ResourceReader::length, {.name = "length", .causality = output}},
  });

  // Reset makes a fresh struct, so the file is read again when initialisation begins.
  Result before(Call call, double, const Host& host) {
    return call == Call::instantiate || call == Call::enterInitializationMode ? read(host) : Result::ok;
  }

 private:
  Result read(const Host& host) {
    std::ifstream file(pathOf(host.resourceLocation()) + "/greeting.txt");
    std::string text;
    if (!std::getline(file, text) || !line.assign(text)) {
      host.log(fmi2Error, "logStatusError", "There is no greeting.txt at the resource location '%s'.",
               host.resourceLocation().c_str());
      return Result::error;
    }
    length = static_cast<int>(text.size());
    return Result::ok;
  }
};

using Exported = ResourceReader;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
