# A face that radiates, q = sigma eps(T1) ((T1 + 273.15)^4 - (T_U + 273.15)^4). Reads face.inp, writes face.out. The
# emissivity is linear between the points that the input gives, in rising order, and constant outside.
/^temperature/ { hot = $2 }
/^surroundings/ { cold = $2 }
/^emissivity/ { n++; at[n] = $2; value[n] = $3 }

function emissivity(T,  i) {
  if (T <= at[1]) return value[1]
  for (i = 2; i <= n; i++)
    if (T <= at[i]) return value[i-1] + (value[i] - value[i-1]) * (T - at[i-1]) / (at[i] - at[i-1])
  return value[n]
}

function toTheFourth(x) { return x * x * x * x }

END {
  if (n == 0) {
    print "face: no emissivity" > "/dev/stderr"
    exit 1
  }
  q = 5.67e-8 * emissivity(hot) * (toTheFourth(hot + 273.15) - toTheFourth(cold + 273.15))
  printf "heat flux = %.17g W/m2\n", q > "face.out"
}
