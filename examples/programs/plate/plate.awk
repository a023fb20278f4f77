# A solver that goes over one time step: a plate that loses heat, C dT/dt = -q. Reads plate.inp and, from the second step
# on, the temperature in plate.old; writes plate.new.
FILENAME == "plate.inp" { value[$1] = $2 }
FILENAME == "plate.old" { value["temperature"] = $2 }
END {
  new = value["temperature"] - value["flux"] * (value["end"] - value["begin"]) / value["capacity"]
  printf "temperature %.17g\n", new > "plate.new"
}
