#include <nlohmann/json.hpp>

#include "koppla/report/statistics_text.hpp"

namespace koppla::report {

namespace {

using Json = nlohmann::ordered_json;

Json json(const run::Calls& calls) {
  return {{"count", calls.count}, {"seconds", calls.seconds}};
}

}  // namespace

std::string statisticsJson(const run::Statistics& s, const RunFacts& facts) {
  Json document;
  document["format"] = 1;
  document["project"] = facts.project;
  document["outcome"] = run::word(facts.outcome.kind);
  document["message"] = facts.outcome.message;
  document["start"] = facts.start;
  document["end"] = facts.end;
  document["reached"] = facts.reached;
  document["wall_clock"] = s.wallClock;
  document["processor_time"] = s.cpu;
  document["initialisation"] = s.initialisation;
  document["accepted_steps"] = s.acceptedSteps;
  document["smallest_step"] = s.smallestStep;
  document["largest_step"] = s.largestStep;
  document["algorithm"] = json(s.algorithm);
  document["convergence_failures"] = s.convergenceFailures;
  document["error_test"] = json(s.errorTest);
  document["growth_checks"] = json(s.growthChecks);
  document["error_test_failures"] = s.errorTestFailures;
  document["discarded_steps"] = s.discardedSteps;
  document["repeated_steps"] = s.repeatedSteps;
  document["output"] = json(s.output);
  document["subsystems"] = Json::array();
  for (const run::MemberStatistics& member : s.members)
    document["subsystems"].push_back({{"name", member.name},
                                      {"step", json(member.step)},
                                      {"save", json(member.save)},
                                      {"restore", json(member.restore)},
                                      {"micro_steps", member.effort.microSteps},
                                      {"rejected_micro_steps", member.effort.rejectedMicroSteps},
                                      {"right_hand_sides", member.effort.rightHandSides},
                                      {"jacobians", member.effort.jacobians},
                                      {"corrector_iterations", member.effort.correctorIterations},
                                      {"static_calls", member.effort.staticCalls}});
  document["cycles"] = Json::array();
  for (const run::CycleStatistics& cycle : s.cycles)
    document["cycles"].push_back({{"members", cycle.members},
                                  {"evaluations", cycle.evaluations},
                                  {"longest_chain", cycle.longestChain},
                                  {"poorly_corrected", cycle.poorlyCorrected},
                                  {"jacobians", cycle.jacobians},
                                  {"convergence_failures", cycle.convergenceFailures},
                                  {"suspicious", cycle.suspicious}});
  document["joints"] = Json::array();
  for (const run::JointStatistics& joint : s.joints)
    document["joints"].push_back(
        {{"name", joint.name}, {"position_defect", joint.positionDefect}, {"velocity_defect", joint.velocityDefect}});
  document["connections"] = Json::array();
  for (const run::ConnectionStatistics& c : s.connections)
    document["connections"].push_back({{"from", c.from},
                                       {"to", c.to},
                                       {"approximation", c.interpolated ? "interpolated" : "extrapolated"},
                                       {"error_of_range", c.constant ? Json() : Json(c.relative)},
                                       {"error_rms", c.rms},
                                       {"error_largest", c.largest},
                                       {"error_largest_at", c.whenLargest}});
  document["bonds"] = Json::array();
  for (const run::BondStatistics& bond : s.bonds)
    document["bonds"].push_back(
        {{"effort", bond.effort}, {"flow", bond.flow}, {"created", bond.created}, {"exchanged", bond.exchanged}});
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace koppla::report
