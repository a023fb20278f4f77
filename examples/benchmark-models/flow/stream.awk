# The moment of a stream on a plate, divided by the stiffness of its hinge: m = B cos(phi) where the plate stands
# vertical at rest, B sin(phi) where it lies horizontal, B = beta rho / 140. Reads stream.inp, writes stream.out.
/^rest/ { rest = $2 }
/^density/ { density = $2 }
/^beta/ { beta = $2 }
/^angle/ { angle = $2 }
END {
  if (rest != "vertical" && rest != "horizontal") {
    print "stream: the plate rests neither vertical nor horizontal" > "/dev/stderr"
    exit 1
  }
  B = beta * density / 140
  printf "moment = %.17g rad\n", B * (rest == "vertical" ? cos(angle) : sin(angle)) > "stream.out"
}
