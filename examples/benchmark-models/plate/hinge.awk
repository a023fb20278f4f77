# A plate on a hinge with a torsion spring: phi = m + phi0. Reads hinge.inp, writes hinge.out.
/^moment/ { moment = $2 }
/^rest/ { rest = $2 }
END { printf "angle = %.17g rad\n", moment + rest > "hinge.out" }
