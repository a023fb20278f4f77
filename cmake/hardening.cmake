# What makes a mistake in handling foreign files harder to use: nothing that is written later is executed or jumped to
# (full RELRO, no executable stack).
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
