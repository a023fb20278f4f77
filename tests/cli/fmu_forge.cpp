#include "fmu_forge.hpp"

#include <stdexcept>

#include <dlfcn.h>
#include <zip.h>

#include "koppla/core/file.hpp"

namespace koppla::test {

namespace fs = std::filesystem;

void writeZip(const fs::path& file, const std::vector<ZipEntry>& entries) {
  int code = 0;
  zip_t* zip = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (zip == nullptr) throw std::runtime_error("cannot make " + file.string());
  for (const ZipEntry& entry : entries) {
    zip_source_t* source = zip_source_buffer(zip, entry.content.data(), entry.content.size(), 0);
    const zip_int64_t index = zip_file_add(zip, entry.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) throw std::runtime_error("cannot add " + entry.name);
    if (entry.mode != 0)
      zip_file_set_external_attributes(zip, static_cast<zip_uint64_t>(index), 0, ZIP_OPSYS_UNIX, entry.mode << 16U);
  }
  if (zip_close(zip) != 0) throw std::runtime_error("cannot write " + file.string());
}

std::string gainDescription() {
  return core::readWhole(fs::path(KOPPLA_FMU_DIR) / "Gain/modelDescription.xml");
}

std::string gainLibrary() {
  return core::readWhole(fs::path(KOPPLA_FMU_DIR) / "Gain" / kGainLibraryEntry);
}

std::string gainDescriptionWith(std::string_view from, std::string_view to) {
  std::string text = gainDescription();
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("not in the description: " + std::string(from));
  return text.replace(at, from.size(), to);
}

void writeGain(const fs::path& file, const std::string& description, const std::string& library) {
  writeZip(file, {{"modelDescription.xml", description}, {kGainLibraryEntry, library}});
}

std::string foreignLibrary() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&zip_open), &info) == 0) throw std::runtime_error("where is libzip?");
  return core::readWhole(info.dli_fname);
}

}  // namespace koppla::test
