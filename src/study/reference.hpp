#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "koppla/project/reference.hpp"
#include "koppla/results/table.hpp"

namespace koppla::study {

/// What errors are measured against: the exact solution, or a numerical one of known error.
class Reference {
 public:
  Reference() = default;
  virtual ~Reference() = default;
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  /// The variables "subsystem.port" that values() gives, in its order.
  [[nodiscard]] virtual const std::vector<std::string>& names() const = 0;
  /// The variables at time t (s), as many as there are names; false where the reference has none for this time.
  [[nodiscard]] virtual bool values(double t, std::span<double> y) const = 0;

  /// The variables that are its states, where it can start anew from computed ones; otherwise empty.
  [[nodiscard]] virtual std::vector<std::string> states() const { return {}; }
  /// The variables at t (s) of the solution that has these states at t0 (s). Only where there are states.
  virtual void valuesFrom(double /*t0*/, std::span<const double> /*states*/, double /*t*/,
                          std::span<double> /*y*/) const {}
};

/// The exact solution that the project gives. One thread at a time may use it.
class ExactReference : public Reference {
 public:
  explicit ExactReference(project::ExactValues exact) : exact_(std::move(exact)) {}

  [[nodiscard]] const std::vector<std::string>& names() const override { return exact_.variables(); }
  [[nodiscard]] bool values(double t, std::span<double> y) const override {
    exact_.values(t, y);
    return true;
  }
  [[nodiscard]] std::vector<std::string> states() const override { return exact_.states(); }
  void valuesFrom(double t0, std::span<const double> states, double t, std::span<double> y) const override {
    exact_.valuesFrom(t0, states, t, y);
  }

 private:
  project::ExactValues exact_;
};

/// What a table tells about instants between its rows.
enum class BetweenRows : std::uint8_t {
  cubic,  ///< reals: the cubic through the four nearest rows, less near an end or a jump; others are held
  skip,   ///< nothing
};

/// A table of results as a reference. Strings are left out.
class TableReference : public Reference {
 public:
  TableReference(results::Table table, BetweenRows between);

  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }
  [[nodiscard]] bool values(double t, std::span<double> y) const override;
  [[nodiscard]] const results::Table& table() const { return table_; }

 private:
  void interpolate(std::size_t after, double t, std::span<double> y) const;

  results::Table table_;
  BetweenRows between_;
  std::vector<std::string> names_;
  std::vector<const results::Series*> series_;
  double sameInstant_;  ///< s, times that differ by rounding only
};

}  // namespace koppla::study
