#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/study/fits.hpp"
#include "koppla/study/row.hpp"
#include "koppla/study/study.hpp"

namespace koppla::study {

struct Options {
  unsigned jobs = 1;                                         ///< runs at once
  std::filesystem::path folder{};                            ///< empty: that of the study
  bool restart = false;                                      ///< forget the rows of an earlier call
  std::string version{};                                     ///< of the program: rows of another one are not taken over
  std::function<bool()> interrupted = [] { return false; };  ///< whether to end early
  std::function<void(std::size_t done, std::size_t all)> progress = [](std::size_t, std::size_t) {};
};

struct Conducted {
  std::filesystem::path folder;
  std::vector<std::string> variables;  ///< whose errors were measured
  std::size_t done = 0;                ///< rows that are there
  std::size_t takenOver = 0;           ///< those of an earlier call among them
  std::vector<Row> rows;               ///< by point of the grid; empty unless all are there
  std::vector<Fit> fits;               ///< none unless all are there

  [[nodiscard]] bool complete() const { return !rows.empty(); }
};

/// Does all runs of a study, each in a process of its own, and writes study.csv and fits.csv. Rows go to the journal as
/// they finish, so a study that was interrupted or killed continues when it is conducted again. Throws
/// core::InputError, before anything runs, where a project or the reference is at fault; a run that fails is a row. The
/// calling process must have no other threads.
Conducted conduct(const Study& study, const Options& options, core::Log& log);

}  // namespace koppla::study
