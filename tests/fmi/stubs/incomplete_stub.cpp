// A library that is loaded well and is no FMU: most functions are missing.

#include "koppla/fmi/fmi2_interface.hpp"

extern "C" __attribute__((visibility("default"))) koppla::fmi::fmi2::Status fmi2Terminate(
    koppla::fmi::fmi2::Component) {
  return koppla::fmi::fmi2::Status::ok;
}
