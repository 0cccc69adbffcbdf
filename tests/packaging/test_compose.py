from pathlib import PurePosixPath
from typing import Any

import pytest
import yaml

from legio.app import FLUSH_SECONDS, PATIENCE_SECONDS
from legio.claude.agent import CLOSE_SECONDS
from legio.config.secrets import FILE, MODEL, TELEGRAM
from tests.packaging.dockerfile import one
from tests.tree import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
LEGIO: dict[str, Any] = COMPOSE["services"]["legio"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("read_only", True),
        ("tmpfs", ["/tmp"]),
        ("cap_drop", ["ALL"]),
        ("security_opt", ["no-new-privileges:true"]),
        ("restart", "unless-stopped"),
        ("init", True),
    ],
)
def test_the_container_may_do_no_more_than_it_has_to(key: str, value: object) -> None:
    assert LEGIO[key] == value


def test_nothing_opens_what_was_closed() -> None:
    assert not {"privileged", "cap_add", "ports", "network_mode", "pid", "user", "devices"} & LEGIO.keys()


def test_it_is_given_the_time_that_an_orderly_end_takes() -> None:
    grace = int(LEGIO["stop_grace_period"].removesuffix("s"))
    assert grace >= PATIENCE_SECONDS + FLUSH_SECONDS + CLOSE_SECONDS


def test_secrets_come_as_files_that_are_mounted_under_the_names_legio_reads() -> None:
    granted = {f"/run/secrets/{name}" for name in LEGIO["secrets"]}
    assert set(LEGIO["environment"].values()) == granted
    assert set(LEGIO["environment"]) <= {name + FILE for name in (TELEGRAM, *MODEL)}
    assert set(LEGIO["secrets"]) == set(COMPOSE["secrets"])


def test_secrets_lie_outside_of_the_repository() -> None:
    assert all(secret["file"].startswith("/") for secret in COMPOSE["secrets"].values())


def test_all_that_is_caesars_is_mounted_where_the_image_looks_for_it() -> None:
    written = [f"./{PurePosixPath(volume).name}:{volume}" for volume in one("VOLUME").listed]
    assert LEGIO["volumes"] == [f"./legio.toml:{one('CMD').listed[-1]}:ro", *written]
    assert (ROOT / "legio.toml").is_file()
    assert (ROOT / "castra").is_dir()


def test_the_users_id_is_the_images_own_unless_it_is_set() -> None:
    name, _, uid = one("ARG").words.partition("=")
    assert LEGIO["build"]["args"] == {name: f"${{{name}:-{uid}}}"}
