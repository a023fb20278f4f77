# Gas in 16 lanes of 40 cells along a wall. Reads the wall's temperature (K) at every cell, marches from the inlet to the
# outlet and writes the heat flow (W) of every cell. Along a cell the temperature of the wall is constant:
#   T_out = T_wall + (T_in - T_wall) exp(-h A / C),   Q = C (T_in - T_out)
BEGIN {
  FS = ","; lanes = 16; cells = 40
  h = 500; A = 0.5 / (lanes * cells)       # W/(m2 K), m2
  C = 250 / lanes                          # W/K, mass flow times heat capacity of a lane
  full = ENVIRON["KOPPLA_T1"] / 10         # the burner is opened within 10 s
  if (full > 1) full = 1
}
{ wall[$1 + 0] = $2 }
END {
  for (lane = 1; lane <= lanes; lane++) {
    T = 300 + full * (200 + 200 * (lane - 0.5) / lanes)
    for (cell = 1; cell <= cells; cell++) {
      id = (lane - 1) * cells + cell
      next_T = wall[id] + (T - wall[id]) * exp(-h * A / C)
      printf "%d,%.17g\n", id, C * (T - next_T) > "Q.csv"
      heat += C * (T - next_T)
      T = next_T
    }
    outlet += T / lanes
  }
  printf "heat = %.17g\noutlet = %.17g\n", heat, outlet > "sums.txt"
}
