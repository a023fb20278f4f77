// A plate of 1 by 0.5 with a named edge, for the files beside it: gmsh -2 -format msh22 (msh41, inp with
// -setnumber Mesh.SaveGroupsOfNodes 1) plate.geo
lc = 0.12;
Point(1) = {0, 0, 0, lc}; Point(2) = {1, 0, 0, lc}; Point(3) = {1, 0.5, 0, lc}; Point(4) = {0, 0.5, 0, lc};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Physical Curve("wet edge", 7) = {3};
Physical Surface("plate", 9) = {1};
