#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/core/log.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/program/settings.hpp"
#include "koppla/project/condition.hpp"
#include "koppla/project/mapping_entry.hpp"
#include "koppla/project/native_model.hpp"
#include "koppla/project/placed.hpp"
#include "koppla/project/reference.hpp"
#include "koppla/results/recording.hpp"
#include "koppla/run/run.hpp"
#include "koppla/run/settings.hpp"
#include "koppla/solver/static_function.hpp"

/// From a project file to a coupled system. This header is all that a program needs:
///
///     core::Log log;
///     const project::Project plan = project::read("loop.toml", log);
///     run::Run run = project::makeRun(plan, log);
namespace koppla::project {

/// A value as it was written; which type it must have is known only when the port is known.
using RawValue = std::variant<bool, std::int64_t, double, std::string>;

/// A parameter or a start value: one value per scalar of the port.
struct Parameter {
  Placed<std::string> port;
  std::vector<Placed<RawValue>> values;
};

/// A marker of a subsystem that brings none of its own, by the names of its ports.
struct MarkerEntry {
  Placed<std::string> name;
  Placed<std::string> position;        ///< output, m
  Placed<std::string> velocity;        ///< output, m/s
  Placed<std::string> force;           ///< input, N
  Placed<std::string> acceleration{};  ///< output, m/s^2; empty: not told
  Placed<std::string> projection{};    ///< input, m/s; empty: none
};

/// A program behind files.
struct ProgramEntry {
  core::Place place;  ///< of its command
  program::ProgramSettings settings;
  bool sound = true;  ///< nothing was wrong with its options
};

/// One instance, of an FMU, of a native model or of a program.
struct SubsystemEntry {
  Placed<std::string> name;           ///< unique; neither dots nor blanks, since "name.port" names a port
  Placed<std::filesystem::path> fmu;  ///< empty for a native model or a program
  std::optional<NativeModel> model{};
  std::optional<ProgramEntry> program{};
  bool logging = false;  ///< asks the FMU to log its own doings
  bool strict = false;   ///< an FMU that breaks a rule of the standard is refused
  /// Highest order of input derivatives that the FMU is given; absent: as high as it takes them.
  std::optional<unsigned> inputDerivatives{};
  /// The FMU is told the step that is meant, not the difference of its communication points.
  bool nominalStepSize = true;
  double microStep = 0.0;        ///< s, longest step of its own inside a macro step; 0: none of its own
  bool overshoot = false;        ///< its solver runs on its own grid of micro steps, beyond communication points
  Placed<std::string> inside{};  ///< the subsystem whose integrator solves it; empty: it is coupled
  /// How that integrator uses it, for static subsystems. Absent: FMUs fully implicit, native ones are part of the
  /// equations.
  std::optional<Placed<solver::StaticCoupling>> staticCoupling{};
  std::optional<double> increment{};  ///< of its probes, relative to magnitude or nominal value
  unsigned instances = 0;  ///< of a static subsystem that is inside another; 0: one for the value and each probe
  std::vector<Placed<std::string>> phases{};  ///< outputs that are angles known up to whole turns, to be unwrapped
  std::vector<Parameter> parameters{};
  std::vector<MarkerEntry> markers{};
};

struct ConnectionEntry {
  PortReference from;
  PortReference to;
  std::optional<Placed<double>> scale{};   ///< absent: 1
  std::optional<Placed<double>> offset{};  ///< absent: 0
  std::optional<MappingEntry> mapping{};
};

/// What the order of evaluation follows from.
enum class OrderBy : std::uint8_t {
  connections,   ///< and feed-through, unless the names are listed
  fastestFirst,  ///< micro steps, shortest first
  slowestFirst   ///< micro steps, longest first
};

/// A project as plain data, from a file or made by a program. Relative paths have been resolved against the folder of
/// the project file.
struct Project {
  std::filesystem::path file;
  run::Settings settings;
  std::vector<SubsystemEntry> subsystems;
  bool namesAreMissing = false;  ///< of subsystems, which is a mistake: a name that nobody has may be meant for them
  std::vector<std::string> unreadSubsystems{};  ///< names of those with other mistakes, which are not listed above
  std::vector<ConnectionEntry> connections;
  std::vector<ConditionEntry> conditions{};
  std::vector<Placed<std::string>> order{};  ///< names of all subsystems in the order of evaluation; empty: derived
  Placed<OrderBy> orderBy{};
  Placed<std::string> master{};               ///< who chooses the macro steps; empty: the first in order
  std::optional<ReferenceEntry> reference{};  ///< an exact solution
  std::filesystem::path resultsFolder;
  std::vector<results::Format> resultsFormats{results::Format::csv};  ///< one at least, each once
  std::filesystem::path programsFolder{};  ///< where programs work, each in a folder of its own; empty: temporary ones
  bool resumesPrograms = false;            ///< what they answered to an earlier run there is not asked again
  // One each, empty if made by a program:
  std::vector<core::Place> variablePlaces{};     ///< of settings.variables
  std::vector<core::Place> iterationPlaces{};    ///< of settings.iterationVariables
  std::vector<core::Place> convergencePlaces{};  ///< of settings.algorithm.convergence
  std::vector<core::Place> factorPlaces{};       ///< of settings.algorithm.acceleration.fieldFactors
  std::vector<core::Place> incrementPlaces{};    ///< of settings.algorithm.semiImplicit.increments
};

/// The place of all that comes from the command line.
core::Place commandLine();

/// A change from outside the file: "section.option" or "subsystem.parameter", and the text of its value. The value is
/// read as in the file, and where that fails as a plain text; paths are relative to the project file, as there.
struct Override {
  std::string name;
  std::string value;
  core::Place place = commandLine();  ///< where the change is written, for messages
};

/// Takes "name=value" apart; throws core::InputError without '='.
Override parseOverride(std::string_view nameAndValue, const core::Place& place = commandLine());

/// Reads a project file. Throws core::InputError with every mistake in it, in the order of lines; those that show only
/// against the FMUs are among them when there are others. Warnings go to the log.
Project read(const std::filesystem::path& file, core::Log& log, std::span<const Override> overrides = {});

/// The same of a text that stands for the file, such as the copy that a run keeps of its project.
Project readText(const std::string& text, const std::filesystem::path& file, core::Log& log,
                 std::span<const Override> overrides = {});

/// A coupled system, and the settings of its runs.
struct Coupled {
  coupling::System system;
  run::Settings settings;  ///< as they are in use: what of them depends on the subsystems is decided
};

/// Opens the FMUs, checks all names, types and values against them, and only then instantiates them. Throws
/// core::InputError with every mistake.
Coupled build(const Project& project, core::Log& log);

/// The exact values of variables, those of conditions' forces under every name that a decomposition gives them. Throws
/// core::InputError where the project has none or its [reference] has mistakes.
ExactValues exactValues(const Project& project);

/// A run that is ready to be initialised. The log and the recorders (if any) outlive it.
run::Run makeRun(const Project& project, core::Log& log, run::Recorders recorders = {});

/// The text of a project file in `folder` that couples these FMUs where an output and an input have the same name and
/// type. Reads back without mistakes.
std::string propose(std::span<const std::filesystem::path> fmus, const std::filesystem::path& folder, core::Log& log);

}  // namespace koppla::project
