# SPDX-License-Identifier: BSD-2-Clause
# Writes the bill of materials of a package as JSON of SPDX 2.3, when the package is made: its files with checksums, and
# its dependencies at run time. Equal files give equal bytes: the date is $SOURCE_DATE_EPOCH, if set, and the document's
# name follows from the files. tests/release/check_spdx.py checks the result.

# Dependencies of scanrt's packages, by the names used in `needs` below, with one sentence each. A name followed by a
# question mark is opened at run time if it is there.
set(spdx_of_libc "The C library, its threads, its mathematical functions and its loader")
set(spdx_of_libstdcxx "The C++ library")
set(spdx_of_opencl-icd-loader "libOpenCL.so.1, opened by name at run time where it is there")
set(spdx_of_cuda-driver "libcuda.so.1 of NVIDIA's driver, opened by name at run time where it is there")
set(spdx_of_nvrtc "libnvrtc.so of CUDA, opened by name at run time where it is there, for operators from source")
set(spdx_of_mpi "The MPI that the library was built with")
set(spdx_of_libgfortran "The library of gfortran's programs")
set(spdx_of_numpy "NumPy")

# spdx_quote(out text): sets `out` to the text as a JSON string.
function(spdx_quote out text)
  string(REGEX REPLACE "([\"\\\\])" "\\\\\\1" text "${text}")
  string(REPLACE "\n" "\\n" text "${text}")
  set(${out} "\"${text}\"" PARENT_SCOPE)
endfunction()

# spdx_files(root files): sets `file_entries`, `file_relations` and `verification`, the SHA-1 of the sorted SHA-1s of
# all files (SPDX 2.3, 7.9). The paths in `files` are relative to `root`.
function(spdx_files root files)
  set(entries "")
  set(relations "")
  set(sums "")
  foreach(file IN LISTS files)
    file(SHA1 "${root}/${file}" sha1)
    file(SHA256 "${root}/${file}" sha256)
    list(APPEND sums ${sha1})
    string(SHA1 id "${file}")
    spdx_quote(name "./${file}")
    string(APPEND entries ",
    {
      \"SPDXID\": \"SPDXRef-File-${id}\",
      \"fileName\": ${name},
      \"checksums\": [
        { \"algorithm\": \"SHA1\", \"checksumValue\": \"${sha1}\" },
        { \"algorithm\": \"SHA256\", \"checksumValue\": \"${sha256}\" }
      ],
      \"licenseConcluded\": \"BSD-2-Clause\",
      \"licenseInfoInFiles\": [\"NOASSERTION\"],
      \"copyrightText\": \"NOASSERTION\"
    }")
    string(APPEND relations ",
    { \"spdxElementId\": \"SPDXRef-Package\", \"relationshipType\": \"CONTAINS\", \"relatedSpdxElement\": \"SPDXRef-File-${id}\" }")
  endforeach()
  list(SORT sums)
  list(JOIN sums "" sums)
  string(SHA1 verification "${sums}")
  string(REGEX REPLACE "^,\n" "" entries "${entries}")
  set(file_entries "${entries}" PARENT_SCOPE)
  set(file_relations "${relations}" PARENT_SCOPE)
  set(verification ${verification} PARENT_SCOPE)
endfunction()

# spdx_needs(version needs): sets `need_entries` and `need_relations`. Names not listed above are packages of scanrt, of
# the same version.
function(spdx_needs version needs)
  set(entries "")
  set(relations "")
  foreach(need IN LISTS needs)
    set(relation "\"spdxElementId\": \"SPDXRef-Package\", \"relationshipType\": \"DEPENDS_ON\", \"relatedSpdxElement\": \"@\"")
    if(need MATCHES "[?]$")
      string(REPLACE "?" "" need "${need}")
      set(relation
        "\"spdxElementId\": \"@\", \"relationshipType\": \"OPTIONAL_DEPENDENCY_OF\", \"relatedSpdxElement\": \"SPDXRef-Package\"")
    endif()
    set(license NOASSERTION)
    set(facts "")
    if(DEFINED spdx_of_${need})
      spdx_quote(comment "${spdx_of_${need}}. It is not part of this package.")
      set(facts "\"comment\": ${comment},")
    else()
      set(license BSD-2-Clause)
      set(facts "\"versionInfo\": \"${version}\",")
    endif()
    string(APPEND entries ",
    {
      \"SPDXID\": \"SPDXRef-Needed-${need}\",
      \"name\": \"${need}\",
      ${facts}
      \"downloadLocation\": \"NOASSERTION\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"NOASSERTION\",
      \"licenseDeclared\": \"${license}\",
      \"copyrightText\": \"NOASSERTION\"
    }")
    string(REPLACE "@" "SPDXRef-Needed-${need}" relation "${relation}")
    string(APPEND relations ",\n    { ${relation} }")
  endforeach()
  set(need_entries "${entries}" PARENT_SCOPE)
  set(need_relations "${relations}" PARENT_SCOPE)
endfunction()

# scanrt_spdx(out name version about root files needs): writes the file `out` for the package `name` with `files` (paths
# relative to `root`, in any order, without `out` itself).
function(scanrt_spdx out name version about root files needs)
  list(SORT files)
  spdx_files("${root}" "${files}")
  spdx_needs("${version}" "${needs}")
  spdx_quote(about "${about}")
  string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)
  file(WRITE "${out}" "{
  \"spdxVersion\": \"SPDX-2.3\",
  \"dataLicense\": \"CC0-1.0\",
  \"SPDXID\": \"SPDXRef-DOCUMENT\",
  \"name\": \"${name}-${version}\",
  \"documentNamespace\": \"https://scanrt.example.org/spdx/${name}-${version}-${verification}\",
  \"creationInfo\": {
    \"created\": \"${created}\",
    \"creators\": [\"Organization: the scanrt authors\", \"Tool: scanrt-spdx.cmake\"]
  },
  \"packages\": [
    {
      \"SPDXID\": \"SPDXRef-Package\",
      \"name\": \"${name}\",
      \"versionInfo\": \"${version}\",
      \"summary\": ${about},
      \"supplier\": \"Organization: the scanrt authors\",
      \"downloadLocation\": \"NOASSERTION\",
      \"filesAnalyzed\": true,
      \"packageVerificationCode\": { \"packageVerificationCodeValue\": \"${verification}\" },
      \"licenseConcluded\": \"BSD-2-Clause\",
      \"licenseDeclared\": \"BSD-2-Clause\",
      \"licenseInfoFromFiles\": [\"NOASSERTION\"],
      \"copyrightText\": \"Copyright 2026, the scanrt authors\",
      \"externalRefs\": [
        {
          \"referenceCategory\": \"PACKAGE-MANAGER\",
          \"referenceType\": \"purl\",
          \"referenceLocator\": \"pkg:generic/${name}@${version}\"
        }
      ]
    }${need_entries}
  ],
  \"files\": [
${file_entries}
  ],
  \"relationships\": [
    { \"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", \"relatedSpdxElement\": \"SPDXRef-Package\" }${file_relations}${need_relations}
  ]
}
")
endfunction()
