#include <cmath>

#include <nlohmann/json.hpp>

#include "koppla/results/comparison.hpp"
#include "koppla/results/load.hpp"

#include "commands.hpp"
#include "console.hpp"

namespace koppla::cli {

namespace {

void printNotes(const results::Table& table) {
  for (const std::string& note : table.notes) complain("note: " + table.source + ": " + note + "\n");
}

void printJson(const results::Comparison& comparison) {
  nlohmann::ordered_json document{{"equal", comparison.equal()},
                                  {"verdict", results::verdict(comparison)},
                                  {"rtol", comparison.tolerances.rtol},
                                  {"atol", comparison.tolerances.atol},
                                  {"missing", comparison.missing},
                                  {"extra", comparison.extra},
                                  {"other_units", nlohmann::ordered_json::array()},
                                  {"variables", nlohmann::ordered_json::array()}};
  for (const results::OtherUnit& other : comparison.otherUnits)
    document["other_units"].push_back(
        {{"name", other.name}, {"unit", other.unit}, {"reference_unit", other.referenceUnit}});
  for (const results::VariableComparison& variable : comparison.variables)
    document["variables"].push_back({{"name", variable.name},
                                     {"equal", variable.equal},
                                     {"max_error", variable.maxError},
                                     {"time", variable.time},
                                     {"error", variable.error},
                                     {"allowed", variable.allowed},
                                     {"remark", variable.remark}});
  print(document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace

ExitCode compareCommand(const CompareOptions& options) {
  const results::Table table = results::load(options.results);
  const results::Table reference = results::load(options.reference);
  printNotes(table);
  printNotes(reference);
  results::select(reference, options.variables);  // refuses patterns that fit nothing
  const results::Comparison comparison =
      results::compare(table, reference, {options.rtol, options.atol}, options.variables);
  if (options.json)
    printJson(comparison);
  else
    print(results::text(comparison));
  return comparison.equal() ? ExitCode::ok : ExitCode::different;
}

}  // namespace koppla::cli
