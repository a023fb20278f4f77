% Heat in a strip of circuit board, by linear finite elements: c A dT/dt = k A T'' - h p (T - T_air) + sources.
% Reads board.txt (numbers, one a line) and power.csv (W of diode and heater); writes temperature.csv.
% Without a step of time, t0 = t1, that is the steady state; with one a step of implicit Euler from state.old, or from the
% air's temperature, to state.new.
function heat()
  constants = num2cell(dlmread("board.txt"));
  [L, kA, cA, hp, T_air, elements, junction, t0, t1] = constants{:};
  power = csvread("power.csv")(:, 2);
  [stiffness, mass] = matrices(elements, L / elements, kA, cA, hp);
  places = round([0.3; 0.7] * elements) + 1;  % diode and heater, as parts of the length

  sources = accumarray(places, power, [elements + 1, 1]);
  if t1 > t0
    old = zeros(elements + 1, 1);
    if exist("state.old", "file"), old = dlmread("state.old"); end
    rise = (mass / (t1 - t0) + stiffness) \ (sources + mass * old / (t1 - t0));
    writeNumbers("state.new", "%.17g\n", rise);
  else
    rise = stiffness \ sources;
  end
  T = T_air + rise(places) + [junction; 0] .* power;
  writeNumbers("temperature.csv", "%d , %.17g\n", [1:2; T']);
end

% The banded matrices for the rise of temperature above that of the air; both ends are insulated.
function [stiffness, mass] = matrices(elements, width, kA, cA, hp)
  n = elements + 1;
  ends = [1; 2 * ones(n - 2, 1); 1];
  conduction = spdiags([-ones(n, 1), ends, -ones(n, 1)], -1:1, n, n);
  identity = spdiags([ones(n, 1), 2 * ends, ones(n, 1)], -1:1, n, n) * width / 6;
  stiffness = kA / width * conduction + hp * identity;
  mass = cA * identity;
end

function writeNumbers(name, layout, numbers)
  file = fopen(name, "w");
  fprintf(file, layout, numbers);
  fclose(file);
end
