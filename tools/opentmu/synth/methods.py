# SPDX-License-Identifier: Apache-2.0
"""Methods by which figures are made, in the words of a report."""

METHODS = {
    "ecp5": "large repeated modules mapped once, all flattened; not placed, not routed",
    "routed": (
        "large repeated modules mapped once, all flattened; placed and routed by nextpnr with one "
        "seed behind six pins"
    ),
    "flat": "whole design flattened and mapped; not placed, not routed",
    "kept": (
        "each module of `modules` mapped once and counted for every instance, all else flattened; "
        "no logic merged across these borders, levels followed across them; not placed, not routed"
    ),
}
