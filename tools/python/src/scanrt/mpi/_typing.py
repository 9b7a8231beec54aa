# SPDX-License-Identifier: BSD-2-Clause
"""Types for annotations of arguments."""

from typing import Literal

Distribution = Literal["as_given", "even", "by_key"]
