"""Order policies: which response stands in which slot of the prompt, draw by draw."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal, get_args

from .items import Item

OrderPolicy = Literal["random", "balanced", "both", "fixed", "length_parity"]
ORDER_POLICIES: tuple[OrderPolicy, ...] = get_args(OrderPolicy)

Order = tuple[int, ...]
"""``order[slot]`` is the index of the response that stands in ``slot``."""


def as_given(item: Item) -> Order:
    """Return the order in which the data set has the responses."""
    return tuple(range(len(item.responses)))


def draw_orders(item: Item, draws: int, policy: OrderPolicy = "random", seed: int = 0) -> list[tuple[int, Order]]:
    """Return the judgments to ask for: ``(draw, order)``, in the order in which they are asked.

    Orders depend on the seed, the item's key and the draw alone, so they are the same on every rank,
    machine and run, and the first draws stay the same when more are asked for.

    Args:
        item: the item that is judged.
        draws: K, the number of draws, at least 1.
        policy: ``random``: each draw has its own order (the protocol of VL-RewardBench,
            arXiv 2411.17451). ``balanced``: orders alternate from a hashed start. ``both``: every draw
            is asked in both orders, which gives 2 K judgments. ``fixed``: always as in the data.
            ``length_parity``: swapped where the summed length of the responses is odd, as
            lmms-eval's built-in ``vl_rewardbench`` does.
        seed: any whole number.

    Raises:
        ValueError: fewer than one draw, or a policy that does not exist.

    >>> item = Item("1", "?", ("a", "b"), 0, "general")
    >>> draw_orders(item, 2, "both")[:2] in ([(0, (0, 1)), (0, (1, 0))], [(0, (1, 0)), (0, (0, 1))])
    True
    """
    return orders_of(item.key, [len(response) for response in item.responses], draws, policy, seed)


def orders_of(
    key: str, lengths: Sequence[int], draws: int, policy: OrderPolicy = "random", seed: int = 0
) -> list[tuple[int, Order]]:
    """Return the same for an item of which only the key and the lengths of its responses are known, as of a ballot."""
    if draws < 1:
        raise ValueError(f"draws: got {draws}; expected at least 1")
    given = tuple(range(len(lengths)))
    if policy == "random":
        return [(draw, _shuffled(given, seed, key, draw)) for draw in range(draws)]
    if policy in ("balanced", "both"):
        start = _shuffled(given, seed, key, 0)
        pair = (start, tuple(reversed(start)))
        if policy == "balanced":
            return [(draw, pair[draw % 2]) for draw in range(draws)]
        return [(draw, order) for draw in range(draws) for order in pair]
    if policy == "fixed":
        return [(draw, given) for draw in range(draws)]
    if policy == "length_parity":
        odd = sum(lengths) % 2 == 1
        return [(draw, tuple(reversed(given)) if odd else given) for draw in range(draws)]
    raise ValueError(f"order policy: got {policy!r}; expected one of {', '.join(ORDER_POLICIES)}")


def _shuffled(indices: Order, seed: int, key: str, draw: int) -> Order:
    """Return a permutation of ``indices``, uniform over the hashes of seed, key and draw."""

    def rank(index: int) -> bytes:
        return hashlib.sha256(f"{seed}\x1f{key}\x1f{draw}\x1f{index}".encode()).digest()

    return tuple(sorted(indices, key=rank))
