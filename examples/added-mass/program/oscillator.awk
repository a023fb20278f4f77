# A solver that goes over one time step by Newmark's method, average acceleration: m a + c x = f. Reads the step in
# step.inp and the motion at its beginning in state.old; writes the motion at its end.
{ value[$1] = $3 }
END {
  h = value["end"] - value["begin"]
  predicted = value["x"] + h * value["v"] + h * h / 4 * value["a"]
  a = (value["force"] - value["stiffness"] * predicted) / (value["mass"] + value["stiffness"] * h * h / 4)
  printf "x = %.17g\nv = %.17g\na = %.17g\n", predicted + h * h / 4 * a, value["v"] + h / 2 * (value["a"] + a), a > "state.new"
}
