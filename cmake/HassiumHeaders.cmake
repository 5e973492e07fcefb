# Headers of packages are compiled from copies in the build tree. An isolated build unpacks its
# packages under a new path every time: a compile command that names the path, or a header with the
# time of its unpacking, would have everything compiled anew (docs/decisions/0003).

# Copies what of <from>/<folder> differs from <build tree>/include/<folder>/<folder>, deletes there
# what <from> lacks, and sets <result> to the directory to include.
function(hassium_copy_headers from folder result)
    set(to "${CMAKE_BINARY_DIR}/include/${folder}")
    file(GLOB_RECURSE new RELATIVE "${from}" "${from}/${folder}/*.h" "${from}/${folder}/*.hpp")
    file(GLOB_RECURSE old RELATIVE "${to}" "${to}/*")
    foreach(header IN LISTS new)
        cmake_path(GET header PARENT_PATH parent)
        file(MAKE_DIRECTORY "${to}/${parent}")
        file(COPY_FILE "${from}/${header}" "${to}/${header}" ONLY_IF_DIFFERENT)
    endforeach()
    list(REMOVE_ITEM old ${new})
    list(TRANSFORM old PREPEND "${to}/")
    file(REMOVE ${old})
    set(${result} "${to}" PARENT_SCOPE)
endfunction()

# The same for an imported target, which from then on includes the copy alone.
function(hassium_use_copied_headers target folder)
    get_target_property(from ${target} INTERFACE_INCLUDE_DIRECTORIES)
    hassium_copy_headers("${from}" ${folder} copy)
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${copy}")
endfunction()
