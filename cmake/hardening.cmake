# What makes a mistake in handling foreign files harder to use: nothing that is written later is executed or jumped to
# (full RELRO, no executable stack, CET), and overruns of the stack and of buffers end the program. Sanitizers do that
# themselves, and better.
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_compile_options(-fstack-protector-strong -fstack-clash-protection)
  # Checks of buffers need what the optimiser knows.
  set(optimised $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
  add_compile_options($<${optimised}:-U_FORTIFY_SOURCE> $<${optimised}:-D_FORTIFY_SOURCE=3>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    # Debian's start files do not say that they can do with shadow stacks, though they can, and the linker believes them.
    add_compile_options(-fcf-protection=full)
    add_link_options(-Wl,-z,shstk)
  endif()
endif()
