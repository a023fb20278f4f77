#pragma once

#include <string>

namespace koppla::test {

/// The number must be the printed one within 10 % or one unit of its last digit, whichever is more.
void expectPrinted(double obtained, const std::string& printed, const std::string& what);

}  // namespace koppla::test
