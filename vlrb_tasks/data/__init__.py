"""Rows of the benchmarks: from the hub, from a local mirror, or drawn on the spot; and from rows to items."""
