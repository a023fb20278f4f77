#include "koppla/fmi/fmu.hpp"

#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "koppla/fmi/archive.hpp"
#include "koppla/fmi/description_reader.hpp"
#include "koppla/fmi/detail/end_outputs.hpp"
#include "koppla/fmi/findings.hpp"

namespace koppla::fmi {

namespace fs = std::filesystem;

namespace {

/// What instances can do, given what the library lacks.
std::shared_ptr<const PortTable> available(const PortTable& declared, const Functions& functions) {
  PortTable result = declared;
  subsystem::Capabilities& capabilities = result.description.capabilities;
  capabilities.saveRestore &= functions.getState != nullptr;
  capabilities.directionalDerivatives &= functions.getDirectionalDerivative != nullptr;
  if (functions.setRealInputDerivatives == nullptr) capabilities.inputDerivatives = 0;
  if (functions.getRealOutputDerivatives == nullptr) capabilities.outputDerivatives = 0;
  capabilities.inputDerivatives = detail::EndOutputs::degreeOf(result.description);
  return std::make_shared<const PortTable>(std::move(result));
}

}  // namespace

std::string fileUri(const fs::path& path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri = "file://";
  for (const char c : path.string()) {
    if (kPlain.find(c) != std::string_view::npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Fmu::Fmu(fs::path file, core::TemporaryFolder folder) : file_(std::move(file)), folder_(std::move(folder)) {}

std::shared_ptr<Fmu> Fmu::open(const fs::path& file, core::Log& log, const Options& options) {
  std::shared_ptr<Fmu> fmu(new Fmu(file, unpack(file, options.archive)));
  const std::string name = (file / "modelDescription.xml").string();
  DescriptionRead read =
      readModelDescription(core::readWhole(fmu->folder() / "modelDescription.xml"), name, options.strict);
  fmu->model_ = std::move(read.model);
  fmu->warnings_ = std::move(read.warnings);
  fmu->declared_ = std::make_shared<const PortTable>(makePorts(fmu->model_));
  // Many FMUs without resources still expect the folder that they are told of.
  std::error_code ignored;
  fs::create_directory(fmu->folder() / "resources", ignored);
  for (const core::Problem& warning : fmu->warnings_)
    log.write(core::Severity::warning, file.filename().string(), core::text(warning));
  return fmu;
}

std::string Fmu::resourceUri() const {
  return fileUri(fs::absolute(folder() / "resources"));
}

LoadedModel Fmu::load(core::Log& log) {
  const std::lock_guard lock(mutex_);
  const bool further = loads_ > 0 && model_.coSimulation.canBeInstantiatedOnlyOncePerProcess;
  std::shared_ptr<const Library> library = further ? nullptr : library_.lock();
  if (!library) {
    if (libraryFile_.empty()) libraryFile_ = libraryFile(folder(), model_, file_);  // before there are copies
    library =
        std::make_shared<const Library>(further ? copyOfLibrary(libraryFile_, log) : libraryFile_, model_, folder());
    library_ = library;
  }
  if (!available_) {
    if (libraryFile_.stem() != model_.coSimulation.modelIdentifier)
      log.write(
          core::Severity::warning, file_.filename().string(),
          fmt::format("The library should be named after the modelIdentifier, {}.so (FMI 2.0.4, 2.3): {} is used, "
                      "the only one there.",
                      model_.coSimulation.modelIdentifier, libraryFile_.filename().string()));
    for (const std::string& warning : library->warnings())
      log.write(core::Severity::warning, file_.filename().string(), warning);
    available_ = available(*declared_, library->functions());
  }
  ++loads_;
  return {std::move(library), available_};
}

fs::path Fmu::copyOfLibrary(const fs::path& original, core::Log& log) {
  fs::path copy = original.parent_path() / fmt::format("{}-{}.so", original.stem().string(), loads_ + 1);
  std::error_code error;
  if (!fs::copy_file(original, copy, fs::copy_options::overwrite_existing, error))
    throw inputError(file_.string(),
                     fmt::format("The FMU's library cannot be copied for a further instance: {}.", error.message()),
                     "Free space below TMPDIR.");
  log.write(core::Severity::warning, file_.filename().string(),
            fmt::format("The FMU declares canBeInstantiatedOnlyOncePerProcess: instance {} uses a private copy of its "
                        "library. Data that it shares by other means (files, other libraries) are still shared.",
                        loads_ + 1));
  return copy;
}

}  // namespace koppla::fmi
