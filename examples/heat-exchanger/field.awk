# A vector over its elements instead of over iterations, such as the relaxation factors along the tube:
#
#     awk -v column=walls.T_tube -v what=.factor -v iterations="6 16 31" -f field.awk adaptive.run/iterations.csv > field.csv
#
# In what comes out "time" is the number of the element, so that koppla plot can draw it.
BEGIN { FS = ","; chosen = split(iterations, number, " ") }
{ gsub(/"/, "") }
FNR == 1 {
  for (i = 1; i <= NF; ++i) {
    place[$i] = i
    if (index($i, column "[") == 1 && substr($i, length($i)) == "]") size += 1
  }
  next
}
{ for (k = 1; k <= size; ++k) value[$(place["iteration"]), k] = $(place[column "[" k "]" what]) }
END {
  line = "\"time\""
  for (j = 1; j <= chosen; ++j) line = line ",\"iteration " number[j] "\""
  print line
  for (k = 1; k <= size; ++k) {
    line = k
    for (j = 1; j <= chosen; ++j) line = line "," value[number[j], k]
    print line
  }
}
