#include <algorithm>
#include <limits>
#include <map>

#include "koppla/coupling/network.hpp"

namespace koppla::coupling {

using subsystem::Binding;
using subsystem::Port;
using subsystem::PortIndex;

namespace {

std::uint32_t narrow(std::size_t value) {
  return static_cast<std::uint32_t>(value);
}

}  // namespace

/// Lays the arrays out: first all outputs, member by member in the order of evaluation, then all inputs with the index
/// of the output that each copies.
class Network::Compiler {
 public:
  Compiler(Network& network, System& system, Samples samples)
      : network_(network),
        system_(system),
        samples_(samples),
        outputPorts_(system.members.size()),
        inputs_(system.members.size()) {
    for (const Connection& c : system.connections) {
      outputPorts_[c.from.member].push_back(c.from.port);
      inputs_[c.to.member].push_back(&c);
    }
    for (const Constraint& c : system.constraints) {
      auto& ports = outputPorts_[c.member];
      ports.insert(ports.end(), {c.lambda, c.position, c.velocity});
      if (c.method == ConstraintMethod::stabilisedIndex2) ports.push_back(c.mu);
      if (c.acceleration) ports.push_back(*c.acceleration);
    }
    for (auto& ports : outputPorts_) {
      std::ranges::sort(ports);
      ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
    }
    for (auto& list : inputs_)
      std::ranges::sort(list, {}, [](const Connection* c) { return std::pair(c->to.port, c->toElement); });
  }

  void compile() {
    for (const MemberIndex member : network_.memberOf_) layOutputs(member);
    for (const MemberIndex member : network_.memberOf_) layInputs(member);
    network_.u_.resize(network_.sources_.size());
    network_.discreteIn_.integers.resize(network_.integerSources_.size());
    network_.discreteIn_.booleans.resize(network_.booleanSources_.size());
    network_.discreteIn_.strings.resize(network_.stringSources_.size());
    for (std::size_t position = 0; position < network_.size(); ++position) bind(position);
    for (const Constraint& constraint : system_.constraints) place(constraint);
    for (const CoupledLaw& law : system_.laws) place(law);
    if (network_.slopedOutputs_.empty()) return;
    network_.slopes_.resize(network_.y_.size(), std::numeric_limits<double>::quiet_NaN());
    network_.valuesAndSlopes_.resize(2 * network_.y_.size());
  }

 private:
  void place(const Constraint& constraint) {
    const auto blockOf = [&](PortIndex index) -> Block {
      const std::size_t begin = offset_.at({constraint.member, index});
      return {begin, begin + port({constraint.member, index}).size};
    };
    network_.constraints_.push_back(
        {positionOf(constraint.member), blockOf(constraint.lambda),
         constraint.method == ConstraintMethod::stabilisedIndex2 ? blockOf(constraint.mu) : Block{},
         blockOf(constraint.position), blockOf(constraint.velocity),
         constraint.acceleration ? blockOf(*constraint.acceleration) : Block{}, constraint});
  }

  /// Its inputs are scalars, all of them connected.
  void place(const CoupledLaw& law) {
    const std::size_t position = positionOf(law.member);
    const std::vector<PortIndex>& inputs = network_.inputPorts_[position];
    const auto placeOf = [&inputs](PortIndex index) {
      return static_cast<std::size_t>(std::ranges::find(inputs, index) - inputs.begin());
    };
    network_.laws_.push_back(
        {position, offset_.at({law.member, law.force}), placeOf(law.position), placeOf(law.velocity)});
  }

  [[nodiscard]] std::size_t positionOf(MemberIndex member) const {
    return static_cast<std::size_t>(std::ranges::find(network_.memberOf_, member) - network_.memberOf_.begin());
  }

  [[nodiscard]] const Port& port(const Endpoint& end) const {
    return system_.members[end.member].subsystem->describe().ports[end.port];
  }

  void layOutputs(MemberIndex member) {
    Entry entry;
    entry.subsystem = system_.members[member].subsystem.get();
    entry.isStatic = entry.subsystem->describe().capabilities.isStatic;
    entry.yBegin = narrow(network_.y_.size());
    Special plan;
    core::Values& out = network_.discreteOut_;
    plan.outputs = {
        {narrow(out.integers.size()), 0}, {narrow(out.booleans.size()), 0}, {narrow(out.strings.size()), 0}};
    for (const PortIndex index : outputPorts_[member]) {
      const Port& p = port({member, index});
      offset_[{member, index}] = append(p, out);
      if (p.type == core::Type::real)
        for (std::size_t k = 0; k < p.size; ++k)
          network_.outputNames_.push_back({member, index, k, p.digits, p.nominal.value_or(0.0)});
    }
    entry.yCount = narrow(network_.y_.size()) - entry.yBegin;
    plan.outputs.integers.count = narrow(out.integers.size()) - plan.outputs.integers.begin;
    plan.outputs.booleans.count = narrow(out.booleans.size()) - plan.outputs.booleans.begin;
    plan.outputs.strings.count = narrow(out.strings.size()) - plan.outputs.strings.begin;
    network_.entries_.push_back(entry);
    network_.special_.push_back(plan);
  }

  /// Makes room for the port's values; returns where they begin in the array of their type.
  std::size_t append(const Port& p, core::Values& out) {
    const auto grow = [&p](auto& array) {
      const std::size_t begin = array.size();
      array.resize(begin + p.size);
      return begin;
    };
    switch (p.type) {
      case core::Type::real:
        return grow(network_.y_);
      case core::Type::boolean:
        return grow(out.booleans);
      case core::Type::string:
        return grow(out.strings);
      default:
        return grow(out.integers);
    }
  }

  void layInputs(MemberIndex member) {
    Entry& entry = network_.entries_[laid_];
    Special& special = network_.special_[laid_];
    DiscreteRanges& ranges = special.inputs;
    ++laid_;
    entry.uBegin = narrow(network_.sources_.size());
    special.linear.begin = narrow(network_.linear_.size());
    special.mapped.begin = narrow(network_.mapped_.size());
    special.terms.begin = narrow(network_.terms_.size());
    ranges = {{narrow(network_.integerSources_.size()), 0},
              {narrow(network_.booleanSources_.size()), 0},
              {narrow(network_.stringSources_.size()), 0}};
    const Connection* last = nullptr;
    for (const Connection* c : inputs_[member]) {
      if (last == nullptr || last->to.port != c->to.port) portBegin_ = network_.sources_.size();
      if (last != nullptr && last->to.port == c->to.port && placeOf(*c) < network_.sources_.size())
        addTerms(*c);
      else
        layConnection(*c);
      last = c;
    }
    entry.uCount = narrow(network_.sources_.size()) - entry.uBegin;
    special.linear.count = narrow(network_.linear_.size()) - special.linear.begin;
    ranges.integers.count = narrow(network_.integerSources_.size()) - ranges.integers.begin;
    ranges.booleans.count = narrow(network_.booleanSources_.size()) - ranges.booleans.begin;
    ranges.strings.count = narrow(network_.stringSources_.size()) - ranges.strings.begin;
    special.discreteInputs = ranges.integers.count + ranges.booleans.count + ranges.strings.count > 0;
    special.terms.count = narrow(network_.terms_.size()) - special.terms.begin;
    special.mapped.count = narrow(network_.mapped_.size()) - special.mapped.begin;
    entry.special =
        special.discreteInputs || special.linear.count > 0 || special.mapped.count > 0 || special.terms.count > 0;
  }

  /// The first real input that it feeds, of the port that is being laid.
  [[nodiscard]] std::size_t placeOf(const Connection& c) const { return portBegin_ + c.toElement.value_or(0); }
  [[nodiscard]] std::size_t sourceOf(const Connection& c) const {
    return offset_.at({c.from.member, c.from.port}) + c.fromElement.value_or(0);
  }
  [[nodiscard]] std::size_t sizeOf(const Connection& c) const { return c.toElement ? 1 : port(c.to).size; }

  /// A further contribution to inputs that have been laid.
  void addTerms(const Connection& c) {
    for (std::size_t k = 0; k < sizeOf(c); ++k)
      network_.terms_.push_back({narrow(placeOf(c) + k), narrow(sourceOf(c) + k), c.scale, c.offset});
  }

  /// Inputs that copy any one value of the other port until the mapping overwrites them.
  void layMapped(const Connection& c) {
    const std::size_t from = sourceOf(c);
    network_.mapped_.push_back({narrow(network_.sources_.size()), narrow(from), c.scale, c.offset, c.mapping});
    const std::size_t size = network_.sources_.size() + sizeOf(c);
    network_.sources_.resize(size, narrow(from));
    network_.scales_.resize(size, 0.0);
    network_.offsets_.resize(size, 0.0);
    network_.nominals_.resize(size, port(c.to).usualMagnitude());
  }

  void layConnection(const Connection& c) {
    if (c.mapping.map) return layMapped(c);
    const Port& to = port(c.to);
    const std::size_t from = sourceOf(c);
    for (std::size_t k = 0; k < sizeOf(c); ++k) {
      const std::uint32_t source = narrow(from + k);
      switch (to.type) {
        case core::Type::real:
          if (c.scale != 1.0 || c.offset != 0.0)
            network_.linear_.push_back({narrow(network_.sources_.size()), c.scale, c.offset});
          network_.sources_.push_back(source);
          network_.scales_.push_back(c.scale);
          network_.offsets_.push_back(c.offset);
          network_.nominals_.push_back(to.usualMagnitude());
          break;
        case core::Type::boolean:
          network_.booleanSources_.push_back(source);
          break;
        case core::Type::string:
          network_.stringSources_.push_back(source);
          break;
        default:
          network_.integerSources_.push_back(source);
          break;
      }
    }
  }

  static subsystem::DiscreteValues view(core::Values& values, const DiscreteRanges& r) {
    return {std::span(values.integers).subspan(r.integers.begin, r.integers.count),
            std::span(values.booleans).subspan(r.booleans.begin, r.booleans.count),
            std::span(values.strings).subspan(r.strings.begin, r.strings.count)};
  }

  void bind(std::size_t position) {
    const MemberIndex member = network_.memberOf_[position];
    Binding binding;
    for (const Connection* c : inputs_[member])
      if (binding.inputs.empty() || binding.inputs.back() != c->to.port) binding.inputs.push_back(c->to.port);
    binding.outputs = outputPorts_[member];
    network_.inputPorts_.push_back(binding.inputs);
    network_.outputPorts_.push_back(binding.outputs);
    const Entry& entry = network_.entries_[position];
    binding.outputDerivatives = samples_ == Samples::valuesAndSlopes && !entry.isStatic && entry.yCount > 0 &&
                                entry.subsystem->describe().capabilities.outputDerivatives > 0;
    if (binding.outputDerivatives) {
      network_.special_[position].sloped = true;
      network_.slopedOutputs_.push_back({entry.yBegin, entry.yBegin + entry.yCount});
    }
    binding.discreteInputs = view(network_.discreteIn_, network_.special_[position].inputs);
    binding.discreteOutputs = view(network_.discreteOut_, network_.special_[position].outputs);
    network_.entries_[position].subsystem->bind(std::move(binding));
  }

  Network& network_;
  System& system_;
  Samples samples_;
  std::vector<std::vector<PortIndex>> outputPorts_;
  std::vector<std::vector<const Connection*>> inputs_;
  std::map<std::pair<MemberIndex, PortIndex>, std::size_t> offset_;
  std::size_t laid_ = 0;
  std::size_t portBegin_ = 0;  ///< real inputs before the port that is being laid
};

void Network::compile(System& system, Samples samples) {
  Compiler(*this, system, samples).compile();
}

}  // namespace koppla::coupling
