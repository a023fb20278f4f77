# A solver that nobody may change: conduction through a wall. Reads wall.inp, writes wall.out.
/^held face/ { held = $3 }
/^thickness/ { thickness = $2 }
/^conductivity/ { conductivity = $2 }
/^heat flux/ { flux = $3 }
END {
  if (conductivity <= 0) {
    print "wall: no conductivity" > "/dev/stderr"
    exit 1
  }
  print "CONDUCTION THROUGH A WALL" > "wall.out"
  printf "free face = %.17g degC\n", held - flux * thickness / conductivity > "wall.out"
}
