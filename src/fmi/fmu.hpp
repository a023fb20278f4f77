#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/log.hpp"
#include "koppla/fmi/library.hpp"
#include "koppla/fmi/model_description.hpp"
#include "koppla/fmi/options.hpp"
#include "koppla/fmi/ports.hpp"

namespace koppla::fmi {

/// What an instance needs of its FMU's binary.
struct LoadedModel {
  std::shared_ptr<const Library> library;
  std::shared_ptr<const PortTable> ports;  ///< with the capabilities that instances really have
};

/// An FMU, unpacked and understood. All its instances share it; its folder lives as long as the last of them. The
/// library is loaded for the first instance and unloaded after the last, so an FMU without a binary for this machine
/// can be inspected. May be used from several threads.
class Fmu {
 public:
  /// Throws core::InputError with everything that is wrong, core::FileError where there is no room to unpack it; what
  /// can be put up with is logged as warnings.
  static std::shared_ptr<Fmu> open(const std::filesystem::path& file, core::Log& log, const Options& options = {});

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  [[nodiscard]] const ModelDescription& model() const { return model_; }
  /// The rules of the standard that the model description breaks.
  [[nodiscard]] const std::vector<core::Problem>& warnings() const { return warnings_; }
  /// Ports and capabilities as declared.
  [[nodiscard]] const subsystem::Description& describe() const { return declared_->description; }
  [[nodiscard]] std::vector<std::string> platforms() const { return fmi::platforms(folder()); }
  /// Location of the resources for fmi2Instantiate: an absolute URI, percent-encoded.
  [[nodiscard]] std::string resourceUri() const;

  /// The library for one more instance: the shared one, or a private copy for further instances of an FMU that can be
  /// instantiated only once per process. Throws core::InputError.
  LoadedModel load(core::Log& log);

 private:
  Fmu(std::filesystem::path file, core::TemporaryFolder folder);
  std::filesystem::path copyOfLibrary(const std::filesystem::path& original, core::Log& log);

  std::filesystem::path file_;
  core::TemporaryFolder folder_;
  ModelDescription model_;
  std::vector<core::Problem> warnings_;
  std::shared_ptr<const PortTable> declared_;

  std::mutex mutex_;                   // guards what follows
  std::filesystem::path libraryFile_;  ///< empty: not looked for yet
  std::weak_ptr<const Library> library_;
  std::shared_ptr<const PortTable> available_;
  std::size_t loads_ = 0;
};

/// "file:///..." of an absolute path, all but unreserved characters percent-encoded (RFC 3986).
std::string fileUri(const std::filesystem::path& path);

}  // namespace koppla::fmi
