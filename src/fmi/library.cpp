#include "koppla/fmi/library.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/fmi/elf.hpp"
#include "koppla/fmi/findings.hpp"
#include "koppla/fmi/ports.hpp"

namespace koppla::fmi {

namespace fs = std::filesystem;

namespace {

#if defined(__x86_64__)
constexpr std::array<std::string_view, 2> kPlatforms{"linux64", "x86_64-linux"};
#elif defined(__aarch64__)
constexpr std::array<std::string_view, 2> kPlatforms{"aarch64-linux", "linux64"};
#else
constexpr std::array<std::string_view, 1> kPlatforms{"linux32"};
#endif

/// The process has one working folder: nobody else may load while it is changed, and it is always changed back.
class WorkingFolder {
 public:
  explicit WorkingFolder(const fs::path& folder)
      : lock_(mutex()), before_(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    if (before_ >= 0 && ::chdir(folder.c_str()) != 0) close();
  }
  ~WorkingFolder() {
    if (before_ < 0) return;
    [[maybe_unused]] const int failed = ::fchdir(before_);
    close();
  }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex only;
    return only;
  }
  void close() {
    ::close(before_);
    before_ = -1;
  }

  std::lock_guard<std::mutex> lock_;
  int before_;
};

constexpr const char* kConstructors = "dlopen (the constructors of its library)";
constexpr const char* kDestructors = "dlclose (the destructors of its library)";

/// Code of the library that runs outside of its functions.
class Running {
 public:
  explicit Running(const char* what) { subsystem::callUnderWay.function = what; }
  ~Running() { subsystem::callUnderWay.function = nullptr; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
};

std::string_view remedyFor(std::string_view reason, const fs::path& file) {
  const auto says = [&](std::string_view words) { return reason.find(words) != std::string_view::npos; };
  // glibc 'cannot open' a library for another processor, although it is there.
  const bool itself = reason.starts_with(file.string());
  if (says("wrong ELF class") || says("invalid ELF header") || (itself && says("cannot open shared object file")))
    return "It was built for another machine: export the FMU for 64 bit Linux.";
  if (says("cannot open shared object file"))
    return "Install the library it needs, or put it beside the FMU's own; 'ldd' lists what is missing.";
  if (says("undefined symbol"))
    return "The FMU was linked without a library it uses: export it again, or preload that library.";
  if (says("file too short")) return "The file is damaged: export the FMU again.";
  return "Export the FMU again for this system.";
}

bool uses(const ModelDescription& model, core::Type type, bool set) {
  return std::ranges::any_of(model.variables, [&](const Variable& variable) {
    const bool same =
        variable.type == type || (type == core::Type::integer && variable.type == core::Type::enumeration);
    return variable.usable && same && (!set || settable(variable));
  });
}

}  // namespace

Library::Library(const fs::path& file, const ModelDescription& model, const fs::path& own) {
  refuseCutLibrary(file);
  {
    const WorkingFolder folder(file.parent_path());
    const Running constructors(kConstructors);
    try {
      loaded_ = load(file, own);
    } catch (...) {
      noteThrown();
      throw core::SubsystemError(fmt::format("{}: a constructor of the FMU's library threw an exception: {}.",
                                             file.string(), takeThrown(kConstructors)));
    }
  }
  if (loaded_.noRoom && !loaded_.shared.empty())
    throw inputError(
        file.string(),
        fmt::format("The FMU has a C++ variable '{}' that the loader would share with another FMU, which has one of "
                    "the same name, and there is no room for it apart: {}.",
                    loaded_.shared, loaded_.reason),
        "A run can hold about ten such FMUs that open libraries themselves (dlopen): couple fewer, or have them "
        "compiled with -fno-gnu-unique.");
  if (loaded_.noRoom)
    throw inputError(
        file.string(),
        fmt::format("The FMU brings its own '{}'. Another of that name is loaded, and there is no room "
                    "for one more beside it: {}.",
                    loaded_.rival, loaded_.reason),
        "A run can hold about ten such FMUs: couple fewer, or have them export their libraries as a part of "
        "their own (linked statically).");
  if (loaded_.handle == nullptr)
    throw inputError(file.string(), fmt::format("The FMU's library cannot be loaded: {}.", loaded_.reason),
                     remedyFor(loaded_.reason, file));
  try {
    lookUp(file, model);
  } catch (...) {
    unload(loaded_);
    throw;
  }
}

Library::~Library() {
  if (givenUp_) return;
  const Running destructors(kDestructors);
  unload(loaded_);
}

void Library::lookUp(const fs::path& file, const ModelDescription& model) {
  using core::Type;
  Functions& f = functions_;
  std::vector<std::string> missing;
  const auto take = [&]<FunctionName kName, class Signature>(Function<kName, Signature>& into, bool needed) {
    // POSIX gives functions as void*; this is how it wants them back.
    into = reinterpret_cast<Signature*>(::dlsym(loaded_.handle, kName.text));
    if (into == nullptr && needed) missing.emplace_back(kName.text);
  };
  take(f.instantiate, true);
  take(f.freeInstance, true);
  take(f.setupExperiment, true);
  take(f.enterInitializationMode, true);
  take(f.exitInitializationMode, true);
  take(f.doStep, true);
  take(f.terminate, true);
  take(f.getReal, uses(model, Type::real, false));
  take(f.getInteger, uses(model, Type::integer, false));
  take(f.getBoolean, uses(model, Type::boolean, false));
  take(f.getString, uses(model, Type::string, false));
  take(f.setReal, uses(model, Type::real, true));
  take(f.setInteger, uses(model, Type::integer, true));
  take(f.setBoolean, uses(model, Type::boolean, true));
  take(f.setString, uses(model, Type::string, true));
  take(f.getTypesPlatform, false);
  take(f.getVersion, false);
  take(f.reset, false);
  take(f.getState, false);
  take(f.setState, false);
  take(f.freeState, false);
  take(f.getDirectionalDerivative, false);
  take(f.setRealInputDerivatives, false);
  take(f.getRealOutputDerivatives, false);
  take(f.cancelStep, false);
  take(f.getRealStatus, false);
  take(f.getBooleanStatus, false);
  if (!missing.empty())
    throw inputError(file.string(), fmt::format("The FMU's library lacks {}.", fmt::join(missing, ", ")),
                     "Co-simulation of this model needs it: export the FMU for FMI 2.0 co-simulation.");

  const CoSimulationFlags& flags = model.coSimulation;
  if (f.getState == nullptr || f.setState == nullptr || f.freeState == nullptr) {
    if (flags.canGetAndSetFMUstate)
      warnings_.emplace_back(
          "It declares canGetAndSetFMUstate but its library lacks fmi2GetFMUstate, fmi2SetFMUstate or fmi2FreeFMUstate "
          "(FMI 2.0.4, 2.1.8): it is used without saving states.");
    f.getState = nullptr;
  }
  if (f.setRealInputDerivatives == nullptr && flags.canInterpolateInputs)
    warnings_.emplace_back(
        "It declares canInterpolateInputs but its library lacks fmi2SetRealInputDerivatives (FMI 2.0.4, 4.2.1): it is "
        "used without.");
  if (f.getRealOutputDerivatives == nullptr && flags.maxOutputDerivativeOrder > 0)
    warnings_.emplace_back(
        "It declares maxOutputDerivativeOrder but its library lacks fmi2GetRealOutputDerivatives (FMI 2.0.4, 4.2.1): "
        "it "
        "is used without.");
  if (f.getDirectionalDerivative == nullptr && flags.providesDirectionalDerivative)
    warnings_.emplace_back(
        "It declares providesDirectionalDerivative but its library lacks fmi2GetDirectionalDerivative (FMI 2.0.4, "
        "2.1.9): "
        "it is used without derivatives.");

  const auto ask = [&](const auto& function) {
    const fmi2::String answer = function != nullptr ? function() : nullptr;
    if (const std::string words = takeThrown(function.name()); !words.empty())
      warnings_.push_back(fmt::format("Its function {} threw an exception: {}.", function.name(), words));
    return answer;
  };
  const fmi2::String platform = ask(f.getTypesPlatform);
  if (platform != nullptr && std::string_view(platform) != fmi2::kTypesPlatform)
    throw inputError(file.string(), fmt::format("The FMU uses types of the platform '{}'.", platform),
                     "Only 'default' is supported: export the FMU with the standard header files.");
  const fmi2::String version = ask(f.getVersion);
  if (version != nullptr && !std::string_view(version).starts_with("2."))
    warnings_.push_back(fmt::format("Its library says that it is of FMI version '{}' (FMI 2.0.4, 2.1.4).", version));
}

std::vector<std::string> platforms(const fs::path& folder) {
  std::vector<std::string> result;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "binaries", none))
    if (entry.is_directory(none)) result.push_back(entry.path().filename().string());
  std::ranges::sort(result);
  return result;
}

namespace {

/// Some exporters rename the model, not its library: the only one that is there must be meant.
std::optional<fs::path> onlyLibrary(const fs::path& platform) {
  std::optional<fs::path> only;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(platform, none)) {
    if (entry.path().extension() != ".so" || !entry.is_regular_file(none)) continue;
    if (only) return std::nullopt;
    only = entry.path();
  }
  return only;
}

}  // namespace

fs::path libraryFile(const fs::path& folder, const ModelDescription& model, const fs::path& fmu) {
  const std::string name = model.coSimulation.modelIdentifier + ".so";
  for (const std::string_view platform : kPlatforms)
    if (const fs::path file = folder / "binaries" / platform / name; fs::exists(file)) return fs::absolute(file);
  for (const std::string_view platform : kPlatforms)
    if (const auto only = onlyLibrary(folder / "binaries" / platform)) return fs::absolute(*only);
  const std::vector<std::string> there = platforms(folder);
  std::string message = fmt::format("The FMU holds no binaries/{}/{}.", kPlatforms.front(), name);
  std::string_view remedy = "Export it for 64 bit Linux.";
  if (std::ranges::find(there, kPlatforms.front()) != there.end()) {
    remedy = "The library must be named after modelIdentifier: export the FMU again.";
  } else if (!there.empty()) {
    message += fmt::format(" It is for {}.", fmt::join(there, ", "));
  } else if (fs::exists(folder / "sources")) {
    message += " It holds source code only.";
    remedy = "Compile it, or export it with a binary for 64 bit Linux.";
  }
  throw inputError(fmu.string(), std::move(message), remedy);
}

}  // namespace koppla::fmi
