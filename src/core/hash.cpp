#include "koppla/core/hash.hpp"

#include <fstream>
#include <vector>

namespace koppla::core {

std::uint64_t checksum(const std::filesystem::path& file) {
  std::ifstream content(file, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 20U);
  Hash hash;
  while (content) {
    content.read(block.data(), static_cast<std::streamsize>(block.size()));
    hash.add(std::string_view(block.data(), static_cast<std::size_t>(content.gcount())));
  }
  return content.eof() ? hash.value() : 0;
}

}  // namespace koppla::core
