# Nodes and brick elements of a bar with a square cross-section, for CalculiX.
#   awk -v first=1000 -v x0=0 -v x1=0.1 -v side=0.02 -v along=4 -v across=2 -f mesh.awk > hot.mesh
# Nodes and elements are numbered from first + 1, the sets LEFT and RIGHT are the nodes at x0 and x1.
function node(i, j, k) { return first + (i * (across + 1) + j) * (across + 1) + k + 1 }
function layer(i, j, k) {
  return sprintf("%d, %d, %d, %d", node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k))
}
function face(name, i, j, k) {
  print "*NSET, NSET=" name
  for (j = 0; j <= across; ++j)
    for (k = 0; k <= across; ++k) print node(i, j, k)
}
BEGIN {
  print "*NODE, NSET=ALL"
  for (i = 0; i <= along; ++i)
    for (j = 0; j <= across; ++j)
      for (k = 0; k <= across; ++k)
        printf "%d, %.9g, %.9g, %.9g\n", node(i, j, k), x0 + i * (x1 - x0) / along, j * side / across, k * side / across
  print "*ELEMENT, TYPE=C3D8, ELSET=BAR"
  for (i = 0; i < along; ++i)
    for (j = 0; j < across; ++j)
      for (k = 0; k < across; ++k) printf "%d, %s, %s\n", first + ++elements, layer(i, j, k), layer(i, j, k + 1)
  face("LEFT", 0)
  face("RIGHT", along)
}
