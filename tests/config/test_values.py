from dataclasses import FrozenInstanceError

import pytest

from legio.config import Config, LocalConfig, TelegramConfig


def test_a_configuration_can_be_built_with_nothing_but_defaults() -> None:
    config = Config()

    assert config.telegram.caesar_id is None
    assert (config.claude.max_retries, config.claude.stall_seconds) == (3, 120)
    assert config.visibility.replies == "addressed"


@pytest.mark.parametrize(
    ("value", "name"), [(Config(), "model"), (TelegramConfig(), "base_url"), (LocalConfig(), "port")]
)
def test_nothing_of_it_can_be_changed(value: object, name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(value, name, "other")


def test_equal_configurations_are_one_value() -> None:
    assert {Config(): 1} == {Config(): 1}
