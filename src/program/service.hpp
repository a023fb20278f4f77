#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "koppla/program/process.hpp"

namespace koppla::program {

/// A program that stays alive: it takes one line on its standard input for each request and answers "ok" or "error ..."
/// on its standard output, where other lines are skipped. It ends when its standard input does.
class Service {
 public:
  /// Starts it. Throws core::SubsystemError where that fails.
  explicit Service(const Launch& launch);
  /// Waits a moment for it to end by itself.
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Empty if it answered ok. After anything else but an answer "error ..." it is of no use any more.
  std::string request(const std::string& line);

  /// Processor time until now, s.
  [[nodiscard]] double processorSeconds() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koppla::program
