"""What `legio init` writes, and that it never takes anything away."""

import os
import tomllib
from pathlib import Path

import pytest

import legio.templates
from legio.castra import Castra
from legio.config import KEYS, load
from legio.errors import CastraError, ProfileError
from legio.memoria.store import FileMemoria
from legio.memoria.tools import memoria_tools
from legio.nuntius import LEGATUS
from legio.roster import Roster
from legio.templates import blueprint, configuration, init
from tests.clocks import FakeClock
from tests.disk import full_disk
from tests.memoria.shelves import content

REPOSITORY = Path(__file__).parents[2]
TEMPLATES = Path(legio.templates.__file__).parent
SHIPPED = {
    "legio.toml",
    "castra/.gitignore",
    "castra/README.md",
    "castra/legatus/prompt.md",
    "castra/centuriones/vorenus/prompt.md",
    "castra/centuriones/pullo/prompt.md",
    "castra/centuriones/brutus/prompt.md",
}


# --- writing ------------------------------------------------------------------------------------------


def test_a_new_folder_gets_a_configuration_and_a_castra(tmp_path: Path) -> None:
    written = init(tmp_path / "new" / "camp")

    root = tmp_path / "new" / "camp"
    assert {path.relative_to(root).as_posix() for path in written} == SHIPPED == set(content(root))
    assert (root / "castra/edicta").is_dir()
    assert (root / "castra/acta").is_dir()


def test_doing_it_twice_changes_nothing(tmp_path: Path) -> None:
    init(tmp_path)
    before = content(tmp_path)

    assert init(tmp_path) == ()
    assert content(tmp_path) == before


def test_what_the_owner_changed_stays_and_what_he_deleted_comes_back(tmp_path: Path) -> None:
    init(tmp_path)
    (tmp_path / "castra/legatus/prompt.md").write_text("mine")
    (tmp_path / "castra/README.md").unlink()

    written = init(tmp_path)

    assert written == (tmp_path / "castra/README.md",)
    assert (tmp_path / "castra/legatus/prompt.md").read_text() == "mine"


@pytest.mark.parametrize(
    "link", ["castra", "castra/legatus", "castra/edicta", "castra/README.md", "legio.toml"]
)
def test_a_link_on_the_way_is_refused_before_anything_is_written(tmp_path: Path, link: str) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(outside)

    with pytest.raises(CastraError, match="symbolic links are not followed"):
        init(root)

    assert content(root) == content(outside) == {}


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "camp").write_text("in the way")

    with pytest.raises(CastraError, match=r"cannot be written .* Choose a folder in which you may write\."):
        init(tmp_path / "camp")


def test_a_path_that_the_system_refuses_is_told(tmp_path: Path) -> None:
    with pytest.raises(CastraError, match=r"cannot be written .File name too long"):
        init(tmp_path / ("x" * 300))


def test_a_full_disk_leaves_no_half_file_and_the_next_try_completes_it(tmp_path: Path) -> None:
    with full_disk(1000), pytest.raises(CastraError, match="cannot be written"):
        init(tmp_path)
    assert content(tmp_path) == {}

    assert len(init(tmp_path)) == len(SHIPPED)


def test_the_files_may_be_read_by_others_as_the_owners_umask_allows(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        init(tmp_path)
    finally:
        os.umask(old)

    assert (tmp_path / "castra/legatus/prompt.md").stat().st_mode & 0o777 == 0o644


# --- what is written ----------------------------------------------------------------------------------


def test_the_repositorys_own_castra_is_what_init_writes(tmp_path: Path) -> None:
    init(tmp_path)

    for name, expected in content(tmp_path).items():
        assert (REPOSITORY / name).read_bytes() == expected, (
            f"{name} differs: remove it and run `legio init .`"
        )


def test_the_configuration_names_every_key_with_its_meaning() -> None:
    lines = configuration().splitlines()

    for key in KEYS:
        assert f"# {key.help}" in lines
        assert any(line.removeprefix("# ").startswith(f"{key.name} = ") for line in lines)


def test_the_configuration_sets_the_defaults_and_no_other_value(tmp_path: Path) -> None:
    init(tmp_path)
    (tmp_path / "empty.toml").touch()

    assert load(tmp_path / "legio.toml", {}) == load(tmp_path / "empty.toml", {})
    assert "caesar_id" not in tomllib.loads(configuration())["telegram"]


def test_the_file_server_follows_an_overridden_bot_api_server(tmp_path: Path) -> None:
    init(tmp_path)

    config = load(tmp_path / "legio.toml", {"LEGIO_TELEGRAM_BASE_URL": "http://127.0.0.1:8081/bot"})

    assert config.telegram.base_file_url == "http://127.0.0.1:8081/file/bot"


def test_the_shipped_castra_can_be_used_as_it_is(tmp_path: Path) -> None:
    init(tmp_path)
    roster = Roster(Castra(tmp_path / "castra"))

    profiles = [roster.profile(LEGATUS), *roster.centuriones()]

    assert {profile.name: profile.description for profile in profiles} == {
        "legatus": "supervises the legion and answers by default",
        "vorenus": "research and analysis",
        "pullo": "building and coding",
        "brutus": "review and doubt",
    }
    assert roster.broken() == ()
    assert all(profile.tools == profile.asks == () for profile in profiles)


@pytest.mark.parametrize("prompt", sorted(TEMPLATES.rglob("prompt.md")), ids=lambda path: path.parent.name)
def test_a_prompt_names_no_tool_that_its_agent_has_not(prompt: Path, tmp_path: Path) -> None:
    agent = prompt.parent.name
    tools = {tool.name for tool in memoria_tools(FileMemoria(Castra(tmp_path), FakeClock()), agent)}
    if agent == LEGATUS:
        tools |= {"list_centuriones", "create_centurio", "remove_centurio"}
        tools |= {"dispatch_to_centurio", "post_nuntius", "get_history"}
        tools |= {"schedule", "list_schedules", "unschedule"}

    words = {word for word in prompt.read_text().split("`")[1::2] if "_" in word and "<" not in word}

    assert words
    assert words <= tools


# --- the mould of a new centurio ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "specialization",
    [
        "keeps the garden plan",
        'says "no": ever # and --- again',
        "$title ${x} $$ {y} %s",
        "Gärten 🌱 & <tags>",
    ],
)
def test_a_new_centurio_is_made_of_one_sentence(tmp_path: Path, specialization: str) -> None:
    init(tmp_path)
    roster = Roster(Castra(tmp_path / "castra"))

    profile = roster.create("lucius", specialization, blueprint("lucius", specialization), 10)

    assert profile.description == specialization
    assert profile.prompt.startswith(
        f"You are Lucius, centurio of Caesar's legion. Your speciality: {specialization}\n"
    )
    assert "$title" not in profile.prompt.replace(specialization, "")


def test_a_sentence_over_several_lines_is_made_one() -> None:
    assert "speciality: gardens and\x20trees\n" in blueprint("lucius", " gardens\r\n\x00and\ttrees ")


@pytest.mark.parametrize(
    ("name", "specialization", "said"),
    [
        ("lucius", " \n", "it is not said what lucius is for"),
        ("caesar", "rules", "is reserved"),
        ("../x", "breaks out", "cannot be a centurio's name"),
    ],
)
def test_a_centurio_without_name_or_speciality_is_refused(name: str, specialization: str, said: str) -> None:
    with pytest.raises(ProfileError, match=said):
        blueprint(name, specialization)
