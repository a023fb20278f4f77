#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "koppla/fmi/fmi2_interface.hpp"
#include "koppla/fmi/link_namespace.hpp"
#include "koppla/fmi/model_description.hpp"

namespace koppla::fmi {

/// The functions of a loaded FMU. Those of the first group are there; the others are null where the FMU lacks them.
struct Functions {
  fmi2::Instantiate* instantiate = nullptr;
  fmi2::FreeInstance* freeInstance = nullptr;
  fmi2::SetupExperiment* setupExperiment = nullptr;
  fmi2::EnterInitializationMode* enterInitializationMode = nullptr;
  fmi2::ExitInitializationMode* exitInitializationMode = nullptr;
  fmi2::DoStep* doStep = nullptr;
  fmi2::Terminate* terminate = nullptr;

  /// Of these, the ones for the types that the model uses are there.
  fmi2::GetReal* getReal = nullptr;
  fmi2::GetInteger* getInteger = nullptr;
  fmi2::GetBoolean* getBoolean = nullptr;
  fmi2::GetString* getString = nullptr;
  fmi2::SetReal* setReal = nullptr;
  fmi2::SetInteger* setInteger = nullptr;
  fmi2::SetBoolean* setBoolean = nullptr;
  fmi2::SetString* setString = nullptr;

  fmi2::GetTypesPlatform* getTypesPlatform = nullptr;
  fmi2::GetVersion* getVersion = nullptr;
  fmi2::GetState* getState = nullptr;  ///< null also if one of the three functions for states is missing
  fmi2::SetState* setState = nullptr;
  fmi2::FreeState* freeState = nullptr;
  fmi2::GetDirectionalDerivative* getDirectionalDerivative = nullptr;
  fmi2::SetRealInputDerivatives* setRealInputDerivatives = nullptr;
  fmi2::GetRealOutputDerivatives* getRealOutputDerivatives = nullptr;
  fmi2::CancelStep* cancelStep = nullptr;
  fmi2::GetRealStatus* getRealStatus = nullptr;
  fmi2::GetBooleanStatus* getBooleanStatus = nullptr;
};

/// A loaded shared library of an FMU; unloaded on destruction, unless it was given up.
class Library {
 public:
  /// Loads the file (an absolute path) with the process's working folder set to the library's for that while. Throws
  /// core::InputError if it cannot be loaded or lacks a function that co-simulation of the model needs.
  Library(const std::filesystem::path& file, const ModelDescription& model);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] const Functions& functions() const { return functions_; }
  /// Declared capabilities that are off because the library lacks their functions, and other oddities; a sentence each.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  /// After fmi2Fatal of one instance no function may be called any more, of no instance (FMI 2.0.4, 2.1.3). The library
  /// then stays loaded, since instances that cannot be freed may have threads in it.
  void giveUp() const { givenUp_ = true; }
  [[nodiscard]] bool givenUp() const { return givenUp_; }

 private:
  void lookUp(const std::filesystem::path& file, const ModelDescription& model);

  Loaded loaded_;
  Functions functions_;
  std::vector<std::string> warnings_;
  mutable std::atomic<bool> givenUp_ = false;
};

/// The platforms that an unpacked FMU holds binaries for, as the folders are named, sorted.
std::vector<std::string> platforms(const std::filesystem::path& folder);

/// The library of an unpacked FMU for this machine; throws core::InputError naming `fmu` and what is there instead.
std::filesystem::path libraryFile(const std::filesystem::path& folder, const ModelDescription& model,
                                  const std::filesystem::path& fmu);

}  // namespace koppla::fmi
