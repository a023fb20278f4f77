# A thin wall, cooled from behind. Reads its mesh and the heat flow (W) at every node, writes the temperature (K):
#   T = T_coolant + Q r / A,   A a third of the triangles around the node
BEGIN { r = 0.002; coolant = 300 }         # m2 K/W, from the face to the coolant; K
FILENAME == "wall.msh" {
  if (/^\$/) section = $1
  else if (section == "$Nodes" && NF == 4) { x[$1] = $2; y[$1] = $3 }
  else if (section == "$Elements" && $2 == 2) {
    a = $(NF - 2); b = $(NF - 1); c = $NF
    share = ((x[b] - x[a]) * (y[c] - y[a]) - (x[c] - x[a]) * (y[b] - y[a])) / 6
    if (share < 0) share = -share
    area[a] += share; area[b] += share; area[c] += share
  }
  next
}
{
  split($0, field, ",")
  id = field[1] + 0
  T = coolant + field[2] * r / area[id]
  printf "%d,%.17g\n", id, T > "T.csv"
  heat += field[2]
}
END { printf "heat = %.17g\n", heat > "sums.txt" }
