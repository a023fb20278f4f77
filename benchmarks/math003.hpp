#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/fmi/co_simulation.hpp"

#include "bare_fmu.hpp"

/// Math_003 (Nicolai, sec. 4) in many copies: one part 1 feeds N pairs of part 2 and part 3, so 2N + 1 FMUs and 4N
/// connections. By hand on the function pointers, and as a system for Koppla.
namespace koppla::benchmark {

/// Which part 3 controls the part 2 of a pair.
enum class Wiring : std::uint8_t {
  pairs,  ///< its own: every pair is a closed cycle
  ring    ///< that of the pair before: all pairs are one closed cycle
};

/// Whose x4 the part 2 of a pair receives.
inline std::size_t controllerOf(std::size_t pair, std::size_t pairs, Wiring wiring) {
  return wiring == Wiring::pairs ? pair : (pair + pairs - 1) % pairs;
}

struct Math003Models {
  core::Log log;
  std::shared_ptr<fmi::Fmu> part1 = open("Math003Part1", log);
  std::shared_ptr<fmi::Fmu> part2 = open("Math003Part2", log);
  std::shared_ptr<fmi::Fmu> part3 = open("Math003Part3", log);
};

/// One FMU of a bare loop, with all that its step touches.
struct BareFmu {
  fmi::fmi2::Component component;
  fmi::fmi2::SetReal* setReal;
  fmi::fmi2::DoStep* doStep;
  fmi::fmi2::GetReal* getReal;
  const fmi::fmi2::ValueReference* inputs;
  const fmi::fmi2::ValueReference* outputs;
  std::uint32_t uBegin, uCount, yBegin, yCount;
};

/// The FMUs and their values; loops over them belong to the benchmarks.
class BareMath003 {
 public:
  explicit BareMath003(Math003Models& models, std::size_t pairs, Wiring wiring = Wiring::pairs, double start = 0.0)
      : start_(start) {
    add(models.part1, models.log, {}, {"x1", "x2"}, {});
    for (std::size_t i = 0; i < pairs; ++i) {
      const auto x3 = static_cast<std::uint32_t>(2 + 2 * i);
      const auto x4 = static_cast<std::uint32_t>(3 + 2 * controllerOf(i, pairs, wiring));
      add(models.part2, models.log, {"x1", "x2", "x4"}, {"x3"}, {0, 1, x4});
      add(models.part3, models.log, {"x3"}, {"x4"}, {x3});
    }
    u_.resize(sources_.size());
  }

  ~BareMath003() {
    for (std::size_t i = 0; i < fmus_.size(); ++i) {
      functions(i).terminate(fmus_[i].component);
      functions(i).freeInstance(fmus_[i].component);
    }
  }
  BareMath003(const BareMath003&) = delete;
  BareMath003& operator=(const BareMath003&) = delete;

  [[nodiscard]] const std::vector<BareFmu>& fmus() const { return fmus_; }
  [[nodiscard]] const fmi::Functions& functions(std::size_t fmu) const { return loaded_[fmu].library->functions(); }

  void gatherAll() {
    for (std::size_t i = 0; i < sources_.size(); ++i) u_[i] = y_[sources_[i]];
  }
  void gather(const BareFmu& fmu) {
    for (std::uint32_t i = fmu.uBegin; i < fmu.uBegin + fmu.uCount; ++i) u_[i] = y_[sources_[i]];
  }
  void step(const BareFmu& fmu, double t, double h) {
    if (fmu.uCount > 0)
      require(fmu.setReal(fmu.component, fmu.inputs, fmu.uCount, u_.data() + fmu.uBegin), "fmi2SetReal");
    require(fmu.doStep(fmu.component, t, h, fmi::fmi2::kTrue), "fmi2DoStep");
    require(fmu.getReal(fmu.component, fmu.outputs, fmu.yCount, y_.data() + fmu.yBegin), "fmi2GetReal");
  }

  /// x4 of the last pair.
  [[nodiscard]] double last() const { return y_.back(); }

 private:
  void add(const std::shared_ptr<fmi::Fmu>& fmu, core::Log& log, const std::vector<std::string>& inputs,
           const std::vector<std::string>& outputs, const std::vector<std::uint32_t>& sources) {
    loaded_.push_back(fmu->load(log));
    const fmi::Functions& f = loaded_.back().library->functions();
    BareFmu bare{};
    bare.component = instantiateBare(
        *fmu, f, [](fmi::fmi2::Component) {}, start_);
    bare.setReal = f.setReal;
    bare.doStep = f.doStep;
    bare.getReal = f.getReal;
    bare.inputs = references(*fmu, inputs);
    bare.outputs = references(*fmu, outputs);
    bare.uBegin = static_cast<std::uint32_t>(sources_.size());
    bare.uCount = static_cast<std::uint32_t>(inputs.size());
    bare.yBegin = static_cast<std::uint32_t>(y_.size());
    bare.yCount = static_cast<std::uint32_t>(outputs.size());
    sources_.insert(sources_.end(), sources.begin(), sources.end());
    y_.resize(y_.size() + outputs.size(), 0.0);
    fmus_.push_back(bare);
  }

  /// One list per FMU and direction, shared by all its instances.
  const fmi::fmi2::ValueReference* references(const fmi::Fmu& fmu, const std::vector<std::string>& names) {
    auto& list = references_[{&fmu, names}];
    if (!list.empty()) return list.data();
    for (const std::string& name : names) list.push_back(reference(fmu, name));
    return list.data();
  }

  double start_;  ///< s
  std::vector<BareFmu> fmus_;
  std::vector<fmi::LoadedModel> loaded_;
  std::map<std::pair<const fmi::Fmu*, std::vector<std::string>>, std::vector<fmi::fmi2::ValueReference>> references_;
  std::vector<std::uint32_t> sources_;
  std::vector<double> u_, y_;
};

inline coupling::System makeMath003(Math003Models& models, std::size_t pairs, Wiring wiring = Wiring::pairs) {
  coupling::System system;
  const auto add = [&](const std::shared_ptr<fmi::Fmu>& fmu, const std::string& name) {
    system.members.push_back({name, fmi::instantiate(fmu, name, models.log), {}});
    return system.members.size() - 1;
  };
  const auto connect = [&](std::size_t from, std::size_t to, const std::string& name) {
    const auto port = [&](std::size_t member) { return *system.members[member].subsystem->describe().find(name); };
    system.connections.push_back({{from, port(from)}, {to, port(to)}});
  };
  const std::size_t part1 = add(models.part1, "part1");
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t part2 = add(models.part2, "part2_" + std::to_string(i));
    const std::size_t part3 = add(models.part3, "part3_" + std::to_string(i));
    connect(part1, part2, "x1");
    connect(part1, part2, "x2");
    connect(part2, part3, "x3");
  }
  for (std::size_t i = 0; i < pairs; ++i) connect(2 + 2 * controllerOf(i, pairs, wiring), 1 + 2 * i, "x4");
  return system;
}

/// The name of BareMath003::last() in Koppla's system.
inline std::string lastOfMath003(std::size_t pairs) {
  return "part3_" + std::to_string(pairs - 1) + ".x4";
}

}  // namespace koppla::benchmark
