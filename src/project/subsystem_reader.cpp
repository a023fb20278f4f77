#include "koppla/project/subsystem_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "koppla/project/multibody_reader.hpp"
#include "koppla/project/native_reader.hpp"
#include "koppla/project/parameters.hpp"
#include "koppla/project/program_reader.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::project {

namespace {

/// Whether it is the nominal one.
constexpr std::array kStepSizeWords{Word{"nominal", true}, Word{"difference", false}};

void readFmuOptions(TableReader& table, SubsystemEntry& entry, const std::filesystem::path& folder,
                    const Placed<std::string>& fmu) {
  entry.fmu = {fmu.value.empty() ? std::filesystem::path() : folder / fmu.value, fmu.place};
  table.flag("logging", entry.logging);
  table.flag("strict", entry.strict);
  table.word("step_size", entry.nominalStepSize, kStepSizeWords);
  unsigned derivatives = subsystem::kMaxDegree;
  table.count("input_derivatives", derivatives, 0, {}, subsystem::kMaxDegree);
  if (table.given("input_derivatives")) entry.inputDerivatives = derivatives;
}

void readMarkers(TableReader& table, SubsystemEntry& entry) {
  std::vector<TableReader> markers = table.namedTables("markers");
  for (TableReader& marker : markers) {
    MarkerEntry& written = entry.markers.emplace_back();
    written.name = {marker.title(), marker.place()};
    const auto port = [&marker](std::string_view key, std::string_view what, Placed<std::string>& into) {
      marker.text(key, into, {.required = fmt::format("Write {} = \"...\", the name of {}.", key, what)});
    };
    port("position", "an output in m", written.position);
    port("velocity", "an output in m/s", written.velocity);
    port("force", "an input in N", written.force);
    marker.text("acceleration", written.acceleration);
    marker.text("projection", written.projection);
    if (!marker.sound({"position", "velocity", "force", "acceleration", "projection"})) entry.markers.pop_back();
  }
  for (TableReader& marker : markers) marker.finish();
}

constexpr std::array kStaticCouplingWords{Word{"full", solver::StaticCoupling::full},
                                          Word{"last-corrector", solver::StaticCoupling::lastCorrector},
                                          Word{"predictor", solver::StaticCoupling::predictor}};

void readInside(TableReader& table, SubsystemEntry& entry) {
  table.text("inside", entry.inside);
  if (table.given("inside") && entry.inside.value.empty() && table.sound({"inside"}))
    table.mistake("inside", "'inside' names no subsystem.", "Name the one whose integrator solves it, or remove it.");
  solver::StaticCoupling coupling{};
  table.word("static_coupling", coupling, kStaticCouplingWords);
  if (table.given("static_coupling")) entry.staticCoupling = {coupling, table.place("static_coupling")};
  table.count("instances", entry.instances, 0);
  table.optionalReal("increment", entry.increment, kPositive, {});
}

void readModel(TableReader& table, SubsystemEntry& entry, const std::filesystem::path& folder,
               const Placed<std::string>& word, const Findings& findings) {
  const std::size_t before = findings.mistakes.size();
  entry.model = readNativeModel(table, word, entry.parameters, folder);
  if (entry.model) entry.model->sound = findings.mistakes.size() == before;
}

void readProgramEntry(TableReader& table, SubsystemEntry& entry, const std::filesystem::path& folder,
                      const Findings& findings) {
  const std::size_t before = findings.mistakes.size();
  entry.program = ProgramEntry{table.place("program"), readProgram(table, entry.name.value, entry.parameters, folder)};
  entry.program->sound = findings.mistakes.size() == before;
}

/// A subsystem is one thing.
void checkKind(TableReader& table) {
  std::vector<std::string_view> given;
  for (const std::string_view kind : {"fmu", "model", "program"})
    if (table.given(kind)) given.push_back(kind);
  if (given.size() > 1)
    table.mistake(given[1], "A subsystem is either an FMU or a native model or a program.",
                  fmt::format("Remove '{}' or '{}'.", given[0], given[1]));
}

}  // namespace

std::optional<SubsystemEntry> readSubsystem(TableReader& table, const std::filesystem::path& folder,
                                            Findings& findings) {
  SubsystemEntry entry{{{}, table.place()}, {{}, table.place()}};
  table.text("name", entry.name);
  Placed<std::string> fmu{{}, table.place()};
  Placed<std::string> model{{}, table.place()};
  table.text("fmu", fmu);
  table.text("model", model);
  checkKind(table);
  entry.parameters = readParameters(table.freeTable("parameters"), findings);
  if (model.value != kMultibodyModel) readMarkers(table, entry);  // there, markers are places on bodies
  table.texts("phases", entry.phases);
  readInside(table, entry);
  const bool joined = table.given("inside") && table.given("model");
  table.real("micro_step", entry.microStep, kPositive,
             {.idle = joined ? "the integrator of the subsystem that it is inside solves it" : ""});
  table.flag("overshoot", entry.overshoot);
  if (entry.overshoot && !table.given("micro_step"))
    table.mistake("overshoot", "'overshoot' needs the micro step of the solver that cannot be steered.",
                  "Write micro_step = ..., in s.");
  if (table.given("program"))
    readProgramEntry(table, entry, folder, findings);
  else if (!table.given("model"))
    readFmuOptions(table, entry, folder, fmu);
  else if (table.sound({"model"}))
    readModel(table, entry, folder, model, findings);
  if (entry.model && !entry.overshoot) entry.model->integrator.microStep = entry.microStep;
  if (!table.sound({"name", "fmu", "model", "program"})) return std::nullopt;
  return entry;
}

bool isSubsystemOption(const Table& subsystem, std::string_view key) {
  Reports reports;
  TableReader reader(&subsystem, {}, {}, reports);
  readSubsystem(reader, {}, reports.findings);
  return std::ranges::any_of(reports.options, [&](const Reports::Option& option) {
    return option.section == reader.title() && option.key == key;  // not one of a table inside
  });
}

}  // namespace koppla::project
