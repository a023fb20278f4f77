# Force on the tip in N: the load, and a stop below it that pushes back once the gap is closed. Reads stop.inp, writes
# stop.out.
{ value[$1] = $2 }
END {
  depth = -value["displacement"] - value["gap"]
  push = depth > 0 ? depth * (value["stiffness"] + value["hardening"] * depth * depth) : 0
  printf "force = %.17g N\n", push - value["load"] > "stop.out"
}
