// The wetted face of the wall, 1 m by 0.5 m. wall.msh: gmsh -2 -format msh22 wall.geo
size = 0.12;
Point(1) = {0, 0, 0, size}; Point(2) = {1, 0, 0, size}; Point(3) = {1, 0.5, 0, size}; Point(4) = {0, 0.5, 0, size};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Physical Surface("wetted") = {1};
