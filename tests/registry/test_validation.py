from vlrb_tasks.registry.index import package_registry
from vlrb_tasks.registry.validation import validate_all


def test_all_files_of_this_package_are_fine():
    assert {one.what: one.faults for one in validate_all(package_registry()) if one.faults} == {}
