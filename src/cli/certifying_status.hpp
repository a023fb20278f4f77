#pragma once

#include <filesystem>
#include <string>

namespace koppla::cli {

/// The file status.json of a run that is complete and being certified, for `koppla status`.
class CertifyingStatus {
 public:
  explicit CertifyingStatus(std::filesystem::path file);
  /// Removes the file.
  ~CertifyingStatus();
  CertifyingStatus(const CertifyingStatus&) = delete;
  CertifyingStatus& operator=(const CertifyingStatus&) = delete;

  /// So many repetitions are done of those that run now.
  void show(unsigned done, unsigned of) const;

 private:
  std::filesystem::path file_;
  std::string started_;
};

}  // namespace koppla::cli
