# SPDX-License-Identifier: Apache-2.0
#
# cmake -D build=FOLDER -P uninstall.cmake: removes the files of the last installation from a build
# folder, and the folders that installations made if nothing is left in them.
# DESTDIR has to be what it was then.
if(NOT EXISTS ${build}/install_manifest.txt)
  message(FATAL_ERROR "${build} has no install_manifest.txt: nothing was installed from it")
endif()
file(STRINGS ${build}/install_manifest.txt files)
foreach(file ${files})
  set(file "$ENV{DESTDIR}${file}")
  if(EXISTS "${file}" OR IS_SYMLINK "${file}")
    message(STATUS "Removing: ${file}")
    file(REMOVE "${file}")
  else()
    message(STATUS "Not there: ${file}")
  endif()
endforeach()
file(STRINGS ${build}/install_folders.txt folders)
list(SORT folders ORDER DESCENDING)
foreach(folder ${folders})
  file(GLOB left "${folder}/*" "${folder}/.*")
  list(FILTER left EXCLUDE REGEX "/\\.\\.?$")
  if(EXISTS "${folder}" AND NOT left)
    message(STATUS "Removing: ${folder}")
    file(REMOVE_RECURSE "${folder}")
  endif()
endforeach()
file(REMOVE ${build}/install_manifest.txt ${build}/install_folders.txt)
