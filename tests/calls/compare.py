#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: tests/calls/compare.py OLD NEW [--without FIELD...] [--refused] [--most N] [--summary]

Compares two files of recorded calls (tests/README.md, "Calls of suites"): prints the keys of OLD that NEW lacks, by
family. For each family it first says what is typically missing:
  values   fields with values that no key of NEW has
  pairs    two values that NEW has, but not in one key
  fields   keys that only differ in that field from a key of NEW, and its values in OLD
A field that a key does not have counts as "-". Calls that were refused are left out.
  --without FIELD...  leave fields out of all keys; FIELD may be a pattern such as '*_at'
  --refused           take refused calls, too
  --most N            at most N values, pairs and values of a field are printed (default 20)
  --summary           do not print the keys
Exits 1 where NEW lacks keys.
"""

import argparse
import sys
from collections import Counter, defaultdict
from fnmatch import fnmatchcase
from itertools import combinations
from pathlib import Path

ACCEPTED = {"success", "overflow", "cancelled", "no_progress"}


# ---- files ----


def read_keys(path, options):
    """The keys of a file without the fields that are left out, as tuples of (field, value), by family."""
    families = defaultdict(set)
    for line in path.read_text().splitlines():
        fields = dict(word.split("=", 1) for word in line.split())
        if fields.get("status") not in ACCEPTED and not options.refused:
            continue
        kept = {k: v for k, v in fields.items() if not any(fnmatchcase(k, p) for p in options.without)}
        families[fields["family"]].add(tuple(sorted(kept.items())))
    return families


# ---- what is typically missing ----


def fields_of(*sets):
    return sorted({field for keys in sets for key in keys for field, _ in key} - {"family"})


def whole(key, fields):
    """All fields of a key."""
    values = dict(key)
    return [(field, values.get(field, "-")) for field in fields]


def count_lacking(lacking, new, fields):
    """Values and pairs of values of lacking keys that no key of NEW has, with the numbers of keys."""
    values = {item for key in new for item in whole(key, fields)}
    pairs = {pair for key in new for pair in combinations(whole(key, fields), 2)}
    lone, joint = Counter(), Counter()
    for key in lacking:
        items = whole(key, fields)
        lone.update(item for item in items if item not in values)
        joint.update(p for p in combinations(items, 2) if p not in pairs and p[0] in values and p[1] in values)
    return lone, joint


def count_differing(lacking, new, fields):
    """Of each field the lacking keys that differ in it alone from a key of NEW, by the field's value; and the number of
    keys that differ in more fields from each."""
    differing, near = {}, set()
    for field in fields:
        others = {tuple(item for item in key if item[0] != field) for key in new}
        close = [key for key in lacking if tuple(item for item in key if item[0] != field) in others]
        differing[field] = Counter(dict(key).get(field, "-") for key in close)
        near.update(close)
    return differing, len(lacking) - len(near)


# ---- report ----


def print_most(title, counts, most):
    if not counts:
        return
    print(f"  {title}:")
    for text, count in counts[:most]:
        print(f"    {text}: {count} keys")
    if len(counts) > most:
        print(f"    and {len(counts) - most} more")


def report(family, old, new, options):
    """Prints what NEW lacks of one family."""
    lacking = sorted(old - new)
    print(f"family {family}: NEW lacks {len(lacking)} of {len(old)} keys")
    if not lacking:
        return 0
    fields = fields_of(old, new)
    lone, joint = count_lacking(lacking, new, fields)
    differing, far = count_differing(lacking, new, fields)
    print_most("values that NEW lacks", [("=".join(i), n) for i, n in lone.most_common()], options.most)
    print_most("pairs that NEW lacks", [(" ".join("=".join(i) for i in p), n) for p, n in joint.most_common()],
               options.most)
    counts = [(f"{f} ({', '.join(f'{v} {n}' for v, n in c.most_common(options.most))})", sum(c.values()))
              for f, c in differing.items() if c]
    print_most("keys that differ in one field from a key of NEW", sorted(counts, key=lambda c: -c[1]), len(counts))
    print(f"  keys that differ in several fields from each key of NEW: {far}")
    if not options.summary:
        print("  keys:")
        for key in lacking:
            print("    " + " ".join("=".join(item) for item in key if item[0] != "family"))
    return len(lacking)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[0].removeprefix("usage: "))
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--without", nargs="+", default=[])
    parser.add_argument("--refused", action="store_true")
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    old, new = read_keys(options.old, options), read_keys(options.new, options)
    lacking = sum(report(family, old[family], new[family], options) for family in sorted(old))
    print(f"NEW lacks {lacking} of {sum(len(keys) for keys in old.values())} keys")
    sys.exit(1 if lacking else 0)


if __name__ == "__main__":
    main()
