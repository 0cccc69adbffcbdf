import inspect
from dataclasses import fields, is_dataclass
from typing import get_args

import pytest

from legio import events
from legio.events import ADVICE, Answered, End, Event, Failed, Fault, Step, Stopped, Usage

VALUES = {
    value
    for _, value in inspect.getmembers(events, is_dataclass)
    if value.__module__ == events.__name__ and value is not Usage
}


def test_the_union_is_closed_over_all_that_can_happen() -> None:
    assert set(get_args(Event)) == VALUES
    assert set(get_args(Step)) | set(get_args(End)) == VALUES
    assert not set(get_args(Step)) & set(get_args(End))


def test_a_turn_ends_in_three_ways() -> None:
    assert set(get_args(End)) == {Answered, Failed, Stopped}


@pytest.mark.parametrize("value", sorted(VALUES | {Usage}, key=repr))
def test_no_event_can_be_changed(value: type) -> None:
    assert value.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(value)


def test_a_turn_that_took_nothing_counts_nothing() -> None:
    assert all(not getattr(Usage(), field.name) for field in fields(Usage))
    assert Failed(Fault.STALLED, "silent").usage == Stopped().usage == Usage()


@pytest.mark.parametrize("fault", Fault)
def test_caesar_is_told_what_each_fault_was_in_plain_sentences(fault: Fault) -> None:
    assert ADVICE[fault].endswith(".")
    assert fault not in ADVICE[fault].split()
