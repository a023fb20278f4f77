#pragma once

namespace koppla::program {

/// With how many significant digits a program prints an output, as far as its answers show. A number that was printed
/// with four reads as a double that four digits name; one that was printed with all of its digits needs 15 to 17,
/// unless it is a short one by nature. So the most that are ever needed count, and not before several answers to other
/// questions have needed as many. Binary fractions such as 3 or 0.625 may be exact, whatever is printed: they show
/// nothing. The doubles are looked at, not the text: a run that is resumed has no other.
class SeenDigits {
 public:
  /// `anew`: it differs from the answer before, to another question at the same instant.
  void look(double value, bool anew);

  /// 0: all, or not known yet.
  [[nodiscard]] unsigned digits() const;

 private:
  unsigned most_ = 0;
  unsigned times_ = 0;  ///< that answers have needed so many
};

}  // namespace koppla::program
