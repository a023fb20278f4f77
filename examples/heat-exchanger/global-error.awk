# The distance of every iteration from a reference: largest and mean error of all values that both files have.
#
#     awk -f global-error.awk reference.run/results.csv one.run/iterations.csv other.run/iterations.csv > error.csv
#
# The last row of the first file is the reference. In what comes out "time" is the number of the iteration, so that
# koppla plot can draw it; columns are one.largest, one.mean, other.largest, ..., nan where a run had ended. With
# -v logarithm=1 errors are decimal logarithms.
BEGIN { FS = "," }
{ gsub(/"/, "") }
FNR == 1 {
  files += 1
  count = 0
  for (i = 1; i <= NF; ++i) {
    if (files == 1) header[i] = $i
    else if ($i == "iteration") counter = i
    else if ($i != "time" && $i in reference) { compared[++count] = i; name[count] = $i }
  }
  run[files] = FILENAME
  sub(/\/[^\/]*$/, "", run[files])
  sub(/^.*\//, "", run[files])
  sub(/\.run$/, "", run[files])
  next
}
files == 1 { for (i = 1; i <= NF; ++i) reference[header[i]] = $i; next }
{
  largest = sum = 0
  for (k = 1; k <= count; ++k) {
    error = $(compared[k]) - reference[name[k]]
    if (error < 0) error = -error
    if (error > largest) largest = error
    sum += error
  }
  result[files, $counter] = scaled(largest) "," scaled(sum / count)
  if ($counter > last) last = $counter
}
function scaled(error) { return sprintf("%.17g", logarithm && error > 0 ? log(error) / log(10) : error) }
END {
  line = "\"time\""
  for (f = 2; f <= files; ++f) line = line ",\"" run[f] ".largest\",\"" run[f] ".mean\""
  print line
  for (i = 1; i <= last; ++i) {
    line = i
    for (f = 2; f <= files; ++f) line = line "," ((f, i) in result ? result[f, i] : "nan,nan")
    print line
  }
}
