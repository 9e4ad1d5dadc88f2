"""The store's tests on both engines: what speaks to a store by its functions is asked of a file and of a server.

A few are tried on a server each time; `make torture` tries all of them there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dreamd.store.team.pointer import point
from household import House

FILE, SERVER = "file", "server"
OF_FILES = frozenset({
    # What a person does to the files of memories, which only show what a team's store says.
    "test_person_edits", "test_edited_in_two_places", "test_forgotten_files", "test_damage_is_no_wish",
    # Stores and homes that are files of before.
    "test_older_schemas", "test_what_a_person_decided", "test_backups",
    "test_an_end_that_a_person_takes_out_is_gone_and_the_state_a_reference",
    "test_a_file_of_another_user_is_neither_read_nor_taken_in",
    "test_a_file_saved_while_the_new_one_is_flushed_stays_as_the_person_saved_it",
    "test_an_intent_recorded_while_the_one_before_was_carried_out_starts_from_it",
    "test_what_decides_about_a_file_is_flushed_before_the_file_is_written",
    "test_a_scope_is_behind_until_its_last_file_is_recorded",
    # Copies of the file and its log, in whose place the server has its own.
    "test_a_forgotten_fact_is_in_no_byte_below_the_home", "test_a_copy_kept_by_an_earlier_restore_holds_it_no_longer",
    "test_a_copy_is_the_store_as_it_was_when_the_copying_began", "test_a_dream_folds_the_log_in_before_a_note_would_have_to",
    "test_a_dream_leaves_store_and_disk_to_others_once_they_wrote_and_not_before",
    "test_only_the_batches_nothing_relies_on_go_without_a_flush",
    # The probe looks at no server.
    "test_a_dream_that_hides_more_than_noise_is_told_with_the_way_back_until_it_is_undone",
    "test_the_alarm_stands_through_later_dreams_and_ends_when_all_is_found_again",
    "test_what_takes_the_place_of_another_and_what_a_person_takes_out_is_no_loss",
    # Tests that reach into the file or compare the bytes of two of them.
    "test_a_dry_run_shows_what_would_be_learned_and_keeps_nothing",
    "test_reading_positions_that_are_made_anew_count_no_line_twice",
    "test_some_are_made_anew_each_night_until_there_are_none_and_nothing_else_changes",
    "test_two_homes_that_hear_the_same_in_one_or_two_readings_keep_the_same",
})
"""Modules and tests that are about files."""
QUICK = frozenset({"test_forgetting", "test_observations", "test_one_change_taken_back", "test_class_and_end",
                   "test_vectors_of_another_engine"})
"""Modules whose tests are tried on a server each time."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Ask each test that has a house of both engines, unless it is about one."""
    if "house" not in metafunc.fixturenames or "engine" in metafunc.fixturenames:
        return
    metafunc.fixturenames.append("engine")
    module = metafunc.module.__name__.rpartition(".")[2]
    engines: list[object] = [FILE]
    if OF_FILES.isdisjoint({module, metafunc.function.__name__}):
        engines.append(pytest.param(SERVER, marks=() if module in QUICK else pytest.mark.slow))
    metafunc.parametrize("engine", engines, scope="function")


@pytest.fixture
def house(tmp_path: Path, request: pytest.FixtureRequest) -> House:
    """An empty home with a store in a file, or with a tenant of its own on a server."""
    house = House(tmp_path)
    callspec = getattr(request.node, "callspec", None)
    if callspec is not None and callspec.params.get("engine") == SERVER:
        server = request.getfixturevalue("server")
        house.home.mkdir(mode=0o700, parents=True)
        point(house.paths.store, server.url("worker"), server.tenant())
    return house
