#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "koppla/fmi/fmi2_interface.hpp"
#include "koppla/fmi/function.hpp"
#include "koppla/fmi/link_namespace.hpp"
#include "koppla/fmi/model_description.hpp"

namespace koppla::fmi {

/// The functions of a loaded FMU. Those of the first group are there; the others are null where the FMU lacks them.
struct Functions {
  Function<"fmi2Instantiate", fmi2::Instantiate> instantiate;
  Function<"fmi2FreeInstance", fmi2::FreeInstance> freeInstance;
  Function<"fmi2SetupExperiment", fmi2::SetupExperiment> setupExperiment;
  Function<"fmi2EnterInitializationMode", fmi2::EnterInitializationMode> enterInitializationMode;
  Function<"fmi2ExitInitializationMode", fmi2::ExitInitializationMode> exitInitializationMode;
  Function<"fmi2DoStep", fmi2::DoStep> doStep;
  Function<"fmi2Terminate", fmi2::Terminate> terminate;

  /// Of these, the ones for the types that the model uses are there.
  Function<"fmi2GetReal", fmi2::GetReal> getReal;
  Function<"fmi2GetInteger", fmi2::GetInteger> getInteger;
  Function<"fmi2GetBoolean", fmi2::GetBoolean> getBoolean;
  Function<"fmi2GetString", fmi2::GetString> getString;
  Function<"fmi2SetReal", fmi2::SetReal> setReal;
  Function<"fmi2SetInteger", fmi2::SetInteger> setInteger;
  Function<"fmi2SetBoolean", fmi2::SetBoolean> setBoolean;
  Function<"fmi2SetString", fmi2::SetString> setString;

  Function<"fmi2GetTypesPlatform", fmi2::GetTypesPlatform> getTypesPlatform;
  Function<"fmi2GetVersion", fmi2::GetVersion> getVersion;
  Function<"fmi2GetFMUstate", fmi2::GetState>
      getState;  ///< null also if one of the three functions for states is missing
  Function<"fmi2SetFMUstate", fmi2::SetState> setState;
  Function<"fmi2FreeFMUstate", fmi2::FreeState> freeState;
  Function<"fmi2Reset", fmi2::Reset> reset;
  Function<"fmi2GetDirectionalDerivative", fmi2::GetDirectionalDerivative> getDirectionalDerivative;
  Function<"fmi2SetRealInputDerivatives", fmi2::SetRealInputDerivatives> setRealInputDerivatives;
  Function<"fmi2GetRealOutputDerivatives", fmi2::GetRealOutputDerivatives> getRealOutputDerivatives;
  Function<"fmi2CancelStep", fmi2::CancelStep> cancelStep;
  Function<"fmi2GetRealStatus", fmi2::GetRealStatus> getRealStatus;
  Function<"fmi2GetBooleanStatus", fmi2::GetBooleanStatus> getBooleanStatus;
};

/// A loaded shared library of an FMU; unloaded on destruction, unless it was given up.
class Library {
 public:
  /// Loads the file (an absolute path, below the unpacked FMU `own` if its libraries may be changed) with the process's
  /// working folder set to the library's for that while. Throws core::InputError if it cannot be loaded or lacks a
  /// function that co-simulation of the model needs.
  Library(const std::filesystem::path& file, const ModelDescription& model, const std::filesystem::path& own = {});
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

/// The library of an unpacked FMU for this machine: the one that is named after modelIdentifier, or else the only one.
/// Throws core::InputError naming `fmu` and what is there instead.
std::filesystem::path libraryFile(const std::filesystem::path& folder, const ModelDescription& model,
                                  const std::filesystem::path& fmu);

}  // namespace koppla::fmi
