# Installs Koppla into a temporary prefix, builds the project in consumer/ against it, outside this tree, and runs it.
# Given: BUILD, SOURCE, GENERATOR, COMPILER, FLAGS, BUILD_TYPE, LIBDIR.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND mktemp -d OUTPUT_VARIABLE work OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(prefix ${work}/prefix)

# Runs a command; a failure ends the test with its output.
function(run what seconds)
  execute_process(COMMAND ${ARGN} TIMEOUT ${seconds} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    file(REMOVE_RECURSE ${work})
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
  message(STATUS "${what}:\n${output}")
endfunction()

run("Installation" 60 ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# A package that points into this tree works only on this machine.
file(GLOB package ${prefix}/${LIBDIR}/cmake/Koppla/*.cmake)
foreach(file ${package})
  file(READ ${file} content)
  foreach(folder ${BUILD} ${SOURCE})
    string(FIND "${content}" ${folder} position)
    if(NOT position EQUAL -1)
      file(REMOVE_RECURSE ${work})
      message(FATAL_ERROR "${file} mentions ${folder}.")
    endif()
  endforeach()
endforeach()

file(COPY ${SOURCE}/tests/install/consumer DESTINATION ${work})
file(COPY ${BUILD}/fmus/Gain.fmu ${BUILD}/fmus/FirstOrderLag.fmu DESTINATION ${work}/consumer)

# Every installed header must compile with what is installed.
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*.hpp)
list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"")
list(JOIN headers "\n" includes)
file(WRITE ${work}/consumer/every_header.cpp "${includes}\n")

run("Configuration" 120 ${CMAKE_COMMAND} -S ${work}/consumer -B ${work}/build -G ${GENERATOR}
  -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_FLAGS=${FLAGS}
  -D CMAKE_BUILD_TYPE=${BUILD_TYPE})
run("Build" 300 ${CMAKE_COMMAND} --build ${work}/build)
run("Run" 60 ${work}/build/consumer ${work}/consumer/chain.toml)

# The command finds its library wherever both are moved together, whatever folder it is called from.
file(RENAME ${prefix} ${work}/moved)
run("Moved command" 60 ${CMAKE_COMMAND} -E chdir / ${work}/moved/bin/koppla run ${work}/consumer/chain.toml --quiet)
file(CREATE_LINK ${work}/moved/bin/koppla ${work}/koppla SYMBOLIC)
run("Link to the command" 60 ${work}/koppla check ${work}/consumer/chain.toml)

# Without it, or with another file in its place, it says so.
function(expect_refusal what)
  execute_process(COMMAND ${work}/moved/bin/koppla check ${work}/consumer/chain.toml
    WORKING_DIRECTORY ${work}/planted RESULT_VARIABLE result ERROR_VARIABLE error)
  string(FIND "${error}" "${what}" position)
  if(NOT result EQUAL 70 OR position EQUAL -1)
    file(REMOVE_RECURSE ${work})
    message(FATAL_ERROR "Expected '${what}', got (${result}): ${error}")
  endif()
endfunction()
set(library ${work}/moved/${LIBDIR}/koppla/libkoppla.so)
file(MAKE_DIRECTORY ${work}/planted)
file(RENAME ${library} ${work}/planted/libkoppla.so)  # the working folder is no place to look
expect_refusal("koppla's library is missing: there is neither ${work}/moved/bin/libkoppla.so nor ${work}/moved/bin/../${LIBDIR}/koppla/libkoppla.so")
file(WRITE ${library} "no library")
expect_refusal("koppla's library cannot be loaded: ")
file(REMOVE_RECURSE ${work})
