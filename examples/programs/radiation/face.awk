# Another solver that nobody may change: a face that radiates. Reads face.inp (element, temperature in degC) and writes
# face.out, one block a step.
BEGIN { print "RADIATION OF ELEMENTS" > "face.out" }
/^[0-9]/ {
  hot = $2 + 273.15
  cold = 20 + 273.15
  printf "%8d %25.16e W/m2\n", $1, 5.67e-8 * 0.8 * (hot * hot * hot * hot - cold * cold * cold * cold) > "face.out"
}
END { print "END OF ELEMENTS" > "face.out" }
