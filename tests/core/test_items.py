from vlrb_tasks.core.items import Item, item_key, number_repeats


def item(id="a-1", question="?", responses=("x", "y")):
    return Item(id, question, responses, 0, "general")


def test_key_does_not_depend_on_the_order_of_the_responses():
    assert item_key("a", "q", ("x", "y")) == item_key("a", "q", ("y", "x"))


def test_key_tells_apart_id_question_and_responses():
    keys = {
        item_key("a", "q", ("x", "y")),
        item_key("b", "q", ("x", "y")),
        item_key("a", "r", ("x", "y")),
        item_key("a", "q", ("x", "z")),
    }
    assert len(keys) == 4


def test_key_does_not_confuse_where_a_text_ends():
    assert item_key("a", "b", ("c", "d")) != item_key("ab", "", ("c", "d"))


def test_same_id_with_other_responses_stays_two_items():
    numbered, repeats = number_repeats([item(responses=("x", "y")), item(responses=("x", "z"))])
    assert len({i.key for i in numbered}) == 2
    assert repeats == []


def test_rows_alike_in_all_three_are_kept_and_numbered():
    numbered, repeats = number_repeats([item(), item(), item()])
    base = item().key
    assert [i.key for i in numbered] == [base, f"{base}#2", f"{base}#3"]
    assert repeats == numbered[1:]
