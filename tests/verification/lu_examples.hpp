#pragma once

/// Compares the stability maps of examples/lu with the limits of the note, on grids that are finer around them.
void compareLuMaps();
