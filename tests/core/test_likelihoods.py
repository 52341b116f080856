import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlrb_tasks.core.parsing import likelihood_text, parse_verdict

KINDS = ("loglikelihood",)
numbers = st.floats(-1e4, 0, allow_nan=False)


@given(numbers, numbers)
def test_the_likelier_is_the_verdict_and_the_shares_are_its_softmax(first, second):
    verdict = parse_verdict(likelihood_text({"first": first, "second": second}), KINDS)
    if first == second:
        assert verdict.outcome == "unparsed"
    else:
        assert verdict.outcome == ("first" if first > second else "second")
    assert verdict.shares is not None
    assert sum(verdict.shares) == pytest.approx(1)
    assert verdict.shares[0] == pytest.approx(1 / (1 + math.exp(min(700, second - first))), abs=1e-12)


def test_a_tie_takes_its_share():
    # weights e^-1, e^-2, e^0 = .3679, .1353, 1: shares .3679 / 1.5032 and .1353 / 1.5032
    verdict = parse_verdict("log-likelihoods: first -1.0, second -2.0, tie 0.0", KINDS)
    assert verdict.outcome == "tie"
    assert verdict.shares == (pytest.approx(0.24473, abs=1e-5), pytest.approx(0.09003, abs=1e-5))


@pytest.mark.parametrize(
    "text",
    [
        "log-likelihoods: first nan, second -1.0",
        "log-likelihoods: first -inf, second -inf",
        "log-likelihoods: first -1.0",
        "Answer 1",
        "",
    ],
)
def test_what_does_not_compare_is_unparsed(text):
    assert parse_verdict(text, KINDS).outcome == "unparsed"
