# The wall as bricks: 60 along the flow, 3 through its thickness, one across. The hot channel wets the nodes 1001 ... 1061
# and the elements 3001 ... 3060, the cold one the nodes 2001 ... 2061 and the elements 4001 ... 4060.
# Usage: awk -f mesh.awk L=0.6 t=0.002 > mesh.inp      (length and thickness in m)

# Layer 0 is the cold face, layer 3 the hot one; side 0 is in front, 1 behind.
function node(i, layer, side) {
  if (side == 0 && layer == 3) return 1001 + i
  if (side == 0 && layer == 0) return 2001 + i
  return 10001 + i + 100 * layer + 1000 * side
}

function element(i, layer) {
  return (layer == 2 ? 3001 : layer == 0 ? 4001 : 5001) + i
}


function set(name, layer) {
  printf "*NSET, NSET=%s\n", name
  for (i = 0; i <= 60; i++) printf "%d,\n", node(i, layer, 0)
}

BEGIN {
  for (k = 1; k < ARGC; k++) { split(ARGV[k], word, "="); given[word[1]] = word[2] }
  print "*NODE, NSET=ALL"
  for (side = 0; side <= 1; side++)
    for (layer = 0; layer <= 3; layer++)
      for (i = 0; i <= 60; i++)
        printf "%d, %.10g, %.10g, %g\n", node(i, layer, side), i * given["L"] / 60, layer * given["t"] / 3, 0.01 * side
  print "*ELEMENT, TYPE=C3D8, ELSET=WALL"
  for (layer = 0; layer <= 2; layer++)
    for (i = 0; i < 60; i++)
      printf "%d, %d, %d, %d, %d, %d, %d, %d, %d\n", element(i, layer),
        node(i, layer, 0), node(i + 1, layer, 0), node(i + 1, layer + 1, 0), node(i, layer + 1, 0),
        node(i, layer, 1), node(i + 1, layer, 1), node(i + 1, layer + 1, 1), node(i, layer + 1, 1)
  set("HOT", 3)
  set("COLD", 0)
}
