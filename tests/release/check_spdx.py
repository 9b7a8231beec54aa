#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: tests/release/check_spdx.py WHEEL | FOLDER

A WHEEL may be a pattern, because its name has the oldest glibc that it supports. Checks the bill of materials of a
wheel, or of a Debian package that is unpacked in FOLDER: it is a valid SPDX 2.3 document in JSON, lists exactly the
package's files with their checksums, and names the libraries that the ELF files need. Exits 1 with the first fault, and
77 (skipped) without such a wheel.
"""
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# Required fields, from the specification's sections 6 (document), 7 (packages), 8 (files), 11 (relationships).
DOCUMENT = {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"}
PACKAGE = {"SPDXID", "name", "downloadLocation"}
FILE = {"SPDXID", "fileName", "checksums"}
RELATIONSHIP = {"spdxElementId", "relationshipType", "relatedSpdxElement"}
RELATIONS = {"DESCRIBES", "CONTAINS", "DEPENDS_ON", "OPTIONAL_DEPENDENCY_OF"}
# Names in the bill for the libraries that ELF files need.
NEEDED = {
    "libc": r"(libc|libm|libpthread|libdl|ld-linux.*)\.so.*",
    "libgfortran": r"(libgfortran|libquadmath|libgcc_s)\.so.*",
    "mpi": r"lib(mpi|mpich|open-rte|open-pal|mpi_.*)\.so.*",
}


def expect(holds, words):
    if not holds:
        raise SystemExit(f"check_spdx.py: {words}")


def check_fields(what, entry, required):
    missing = sorted(required - entry.keys())
    expect(not missing, f"{what} has no {', '.join(missing)}")


def check_document(bill):
    check_fields("the document", bill, DOCUMENT | {"packages", "relationships"})
    expect(bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0", "not SPDX 2.3 under CC0-1.0")
    expect(bill["SPDXID"] == "SPDXRef-DOCUMENT", "the document's SPDXID")
    expect(re.fullmatch(r"https?://[^#\s]+", bill["documentNamespace"]), "the namespace is no URI, or has a #")
    info = bill["creationInfo"]
    expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", info["created"]), f"created: {info['created']}")
    expect(info["creators"], "there are no creators")
    for creator in info["creators"]:
        expect(re.match(r"(Person|Organization|Tool): \S", creator), f"creator: {creator}")


def check_packages(bill):
    for package in bill["packages"]:
        check_fields(f"package {package.get('name')}", package, PACKAGE)
        analyzed = package.get("filesAnalyzed", True)
        expect(analyzed == ("packageVerificationCode" in package), f"{package['name']}: filesAnalyzed, and its code")
    own = bill["packages"][0]
    expect(own["licenseDeclared"] == own["licenseConcluded"] == "BSD-2-Clause", "the licence")
    expect(re.match(r"(Person|Organization): \S", own["supplier"]), f"supplier: {own['supplier']}")
    return own


def check_relations(bill):
    entries = [bill, *bill["packages"], *bill["files"]]
    ids = [entry["SPDXID"] for entry in entries]
    expect(len(set(ids)) == len(ids), "an SPDXID is there twice")
    for one in ids:
        expect(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one), f"SPDXID {one}")
    for relation in bill["relationships"]:
        check_fields("a relationship", relation, RELATIONSHIP)
        expect(relation["relationshipType"] in RELATIONS, f"relationship {relation['relationshipType']}")
        for end in ("spdxElementId", "relatedSpdxElement"):
            expect(relation[end] in ids, f"a relationship with {relation[end]}, which is not there")
    ends = {(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in bill["relationships"]}
    package = bill["packages"][0]["SPDXID"]
    expect((bill["SPDXID"], "DESCRIBES", package) in ends, "the document describes no package")
    for file in bill["files"]:
        expect((package, "CONTAINS", file["SPDXID"]) in ends, f"{file['fileName']} is in no package")
    for needed in bill["packages"][1:]:
        has = (package, "DEPENDS_ON", needed["SPDXID"]), (needed["SPDXID"], "OPTIONAL_DEPENDENCY_OF", package)
        expect(ends & set(has), f"nothing needs {needed['name']}")


def check_files(bill, root, own_path, left_out):
    listed = {file["fileName"]: file for file in bill["files"]}
    there = {
        f"./{path.relative_to(root)}": path
        for path in root.rglob("*")
        if path.is_file() and not path.is_symlink() and path != own_path and not left_out(path)
    }
    expect(listed.keys() == there.keys(), f"files that are not in both: {sorted(listed.keys() ^ there.keys())}")
    for name, path in there.items():
        check_fields(name, listed[name], FILE)
        sums = {sum_["algorithm"]: sum_["checksumValue"] for sum_ in listed[name]["checksums"]}
        data = path.read_bytes()
        expect(sums.keys() == {"SHA1", "SHA256"}, f"{name}: checksums {sorted(sums)}")
        expect(sums["SHA1"] == hashlib.sha1(data).hexdigest(), f"{name}: SHA-1")
        expect(sums["SHA256"] == hashlib.sha256(data).hexdigest(), f"{name}: SHA-256")
    sha1s = sorted(hashlib.sha1(path.read_bytes()).hexdigest() for path in there.values())
    code = bill["packages"][0]["packageVerificationCode"]["packageVerificationCodeValue"]
    expect(code == hashlib.sha1("".join(sha1s).encode()).hexdigest(), "the package's verification code")
    return there.values()


def check_needs(bill, paths):
    names = {package["name"] for package in bill["packages"]}
    for path in paths:
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        dynamic = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
        for library in re.findall(r"NEEDED.*\[(.*)\]", dynamic):
            known = [name for name in NEEDED if re.fullmatch(NEEDED[name], library)]
            of_scanrt = re.fullmatch(r"lib(scanrt[a-z_]*)\.so\.(\d+)", library)
            if of_scanrt:
                known = ["lib" + of_scanrt[1].replace("_", "-") + of_scanrt[2]]
            expect(known and known[0] in names, f"{path.name} needs {library}, which the bill does not name")


def check(root, bills, left_out):
    expect(len(bills) == 1, f"{len(bills)} bills of materials in {root}")
    bill = json.loads(bills[0].read_text())
    check_document(bill)
    own = check_packages(bill)
    check_relations(bill)
    paths = check_files(bill, root, bills[0], left_out)
    check_needs(bill, paths)
    print(f"{bills[0].name}: {own['name']} {own['versionInfo']}, {len(paths)} files, {len(bill['packages']) - 1} needed")
    return own


def main():
    expect(len(sys.argv) == 2, __doc__)
    given = Path(sys.argv[1])
    if given.is_dir():
        check(given, list(given.glob("usr/share/doc/*/*.spdx.json")), lambda path: False)
        return
    given = next(iter(given.parent.glob(given.name)), given)
    if not given.exists():  # python.setup was skipped
        print(f"skipped: there is no {given.name}")
        raise SystemExit(77)
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(given) as wheel:
        wheel.extractall(folder)
        root = Path(folder)
        bills = list(root.glob("scanrt-*.dist-info/sboms/*.spdx.json"))
        # The metadata are generated from the listed files, so they are not listed themselves.
        own = check(root, bills, lambda path: path.relative_to(root).parts[0].endswith(".dist-info"))
        metadata = bills[0].parts[-3]
        expect(metadata == f"scanrt-{own['versionInfo']}.dist-info", f"{own['versionInfo']} in {metadata}")


main()
