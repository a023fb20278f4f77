// The least that a C++ program does; what the command does beyond it is its own.

#include <iostream>

int main() {
  std::cout << "nothing\n";
}
