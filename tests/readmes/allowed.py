# SPDX-License-Identifier: BSD-2-Clause
"""The commands and names in READMEs that this test neither runs nor finds in the tree, with a reason for each."""


class Allowed:
    """Rows `CHECK | TEXT | REASON` for the checks `commands` and `names`. A row that no README needs is a fault."""

    def __init__(self, path, check):
        self.name, self.reasons, self.used, self.faults = path.name, {}, set(), []
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = [field.strip() for field in line.split(" | ")]
            if len(fields) != 3 or not all(fields):
                self.faults.append(f"{self.name}:{number}: a row is CHECK | TEXT | REASON")
            elif fields[0] == check:
                self.reasons[fields[1]] = number

    def __call__(self, _where, text):
        if text not in self.reasons:
            return False
        self.used.add(text)
        return True

    def unused(self):
        stale = [text for text in self.reasons if text not in self.used]
        return self.faults + [f"{self.name}:{self.reasons[text]}: no README has '{text}': take the row out" for text in stale]
