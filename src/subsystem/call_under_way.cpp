#include "koppla/subsystem/call_under_way.hpp"

namespace koppla::subsystem {

constinit thread_local CallUnderWay callUnderWay;

}  // namespace koppla::subsystem
