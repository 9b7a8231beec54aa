# SPDX-License-Identifier: BSD-2-Clause
"""Makes small input files for commands: one kind of contents for each extension."""

import gzip
import re
import struct

COUNT = 96


def npy(values):
    """Returns an .npy file of format 1.0 with float32."""
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values)


def make_data(folder, text):
    """Makes each file that `text` names, if its extension is known: sorted numbers, each three times."""
    numbers = [index // 3 for index in range(COUNT)]
    contents = {
        "npy": npy(numbers),
        "txt": "".join(f"{number}\n" for number in numbers).encode(),
        "csv": "".join(f"{number},{number * 2},{number / 2}\n" for number in numbers).encode(),
        "bin": struct.pack(f"<{COUNT}d", *numbers),
    }
    sales = "price,count\n" + "".join(f"{number / 2},{number}\n" for number in numbers)
    contents["csv.gz"] = gzip.compress(sales.encode())
    for name, extension in set(re.findall(r"(?<![\w/.])([\w-]+\.(npy|txt|csv[.]gz|csv|bin))\b", text)):
        (folder / name).write_bytes(contents[extension])
