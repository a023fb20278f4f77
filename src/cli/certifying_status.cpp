#include "certifying_status.hpp"

#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "koppla/core/file.hpp"
#include "koppla/core/moment.hpp"

namespace koppla::cli {

namespace {

std::string presentMoment() {
  return core::moment(std::chrono::system_clock::now());
}

}  // namespace

CertifyingStatus::CertifyingStatus(std::filesystem::path file) : file_(std::move(file)), started_(presentMoment()) {}

CertifyingStatus::~CertifyingStatus() {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

void CertifyingStatus::show(unsigned done, unsigned of) const {
  const nlohmann::ordered_json document{{"format", 1},
                                        {"process", ::getpid()},
                                        {"started", started_},
                                        {"updated", presentMoment()},
                                        {"certifying", {{"repetitions", of}, {"done", done}}}};
  try {
    core::writeWhole(file_, document.dump(2) + "\n");
  } catch (const std::exception&) {  // A full disk is told by those whose files matter.
  }
}

}  // namespace koppla::cli
