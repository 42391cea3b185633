# SPDX-License-Identifier: Apache-2.0
#
# A shared object exports what its map lists and nothing else: a symbol more, and a program that
# loads it may have another function of that name replaced.
function(tmu_export_only library map)
  target_link_options(${library} PRIVATE -Wl,--version-script=${map})
  set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()
