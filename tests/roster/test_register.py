import contextlib
import os
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.errors import CastraError, ProfileError, Refused
from legio.roster import Profile, Roster
from tests.disk import full_disk

NOW = datetime(2026, 3, 15, 13, 0, 5, tzinfo=timezone(timedelta(hours=1)))


@pytest.fixture
def castra(tmp_path: Path) -> Castra:
    return Castra(tmp_path / "castra")


@pytest.fixture
def roster(castra: Castra) -> Roster:
    enlist(castra, "legatus", "Leads")
    enlist(castra, "vorenus", "Research")
    enlist(castra, "pullo", "Building")
    return Roster(castra)


def enlist(castra: Castra, name: str, description: str = "Something", body: str = "You are.") -> Path:
    path = castra.prompt(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\ndescription: {description}\n---\n{body}\n")
    return path


def test_a_profile_is_read_from_the_agents_folder(roster: Roster) -> None:
    assert roster.profile("vorenus") == Profile("vorenus", "Research", "You are.")
    assert roster.profile("legatus") == Profile("legatus", "Leads", "You are.")


def test_the_centuriones_come_by_name_and_without_the_legatus(roster: Roster) -> None:
    assert [profile.name for profile in roster.centuriones()] == ["pullo", "vorenus"]
    assert roster.names() == ("pullo", "vorenus")
    assert roster.broken() == ()


def test_a_castra_without_centuriones_is_an_empty_roster(castra: Castra) -> None:
    roster = Roster(castra)

    assert (roster.names(), roster.centuriones(), roster.broken()) == ((), (), ())


def test_an_unreadable_list_is_told(castra: Castra) -> None:
    castra.root.mkdir()
    castra.centuriones.touch()
    roster = Roster(castra)

    assert roster.names() == ()
    assert roster.broken() == ("centuriones: this folder cannot be read (Not a directory). Put it right.",)


def test_a_changed_file_is_read_again(roster: Roster, castra: Castra) -> None:
    before = roster.profile("vorenus")
    enlist(castra, "vorenus", "Analysis of it")

    after = roster.profile("vorenus")

    assert (before.description, after.description) == ("Research", "Analysis of it")


def test_an_unchanged_file_is_not_read_again(roster: Roster) -> None:
    assert roster.profile("vorenus") is roster.profile("vorenus")


def test_a_file_that_breaks_is_refused_and_not_answered_from_memory(roster: Roster, castra: Castra) -> None:
    roster.profile("vorenus")
    castra.prompt("vorenus").write_text("broken")

    with pytest.raises(ProfileError, match=r"(?s)centuriones/vorenus/prompt\.md: .*no front matter"):
        roster.profile("vorenus")


def test_a_broken_centurio_can_be_named_and_is_reported_and_holds_up_nobody(
    roster: Roster, castra: Castra
) -> None:
    castra.prompt("vorenus").unlink()

    assert roster.names() == ("pullo", "vorenus")
    assert [profile.name for profile in roster.centuriones()] == ["pullo"]
    assert roster.broken() == (
        "centuriones/vorenus/prompt.md: there is no such file. Write it: front matter, then the prompt.",
    )


def test_a_folder_that_cannot_be_a_name_is_reported(roster: Roster, castra: Castra) -> None:
    enlist(castra, "Brutus")
    (castra.centuriones / "notes.txt").touch()

    assert roster.names() == ("pullo", "vorenus")
    (told,) = roster.broken()
    assert told.startswith("'Brutus' cannot be a centurio's name.")


@pytest.mark.parametrize("name", ["all", "caesar", "../legatus", "a/b", "", "Vorenus"])
def test_a_name_that_nobody_may_bear_is_refused(roster: Roster, name: str) -> None:
    with pytest.raises(ProfileError):
        roster.profile(name)


def test_an_unknown_centurio_is_answered_with_those_there_are(roster: Roster) -> None:
    with pytest.raises(ProfileError) as caught:
        roster.profile("nemo")

    assert str(caught.value) == "there is no centurio 'nemo'. There are: pullo, vorenus."


def test_a_missing_legatus_is_told_by_his_file(castra: Castra) -> None:
    with pytest.raises(ProfileError, match=r"legatus/prompt\.md: there is no such file"):
        Roster(castra).profile("legatus")


def test_links_are_refused(roster: Roster, castra: Castra, tmp_path: Path) -> None:
    outside = tmp_path / "prompt.md"
    outside.write_text("---\ndescription: x\n---\nx")
    castra.prompt("vorenus").unlink()
    castra.prompt("vorenus").symlink_to(outside)
    (castra.centuriones / "brutus").symlink_to(castra.centuriones / "pullo")

    assert [profile.name for profile in roster.centuriones()] == ["pullo"]
    assert [("symbolic links are not followed" in told) for told in roster.broken()] == [True, True]


@pytest.mark.parametrize(
    ("content", "word"),
    [(b"---\ndescription: \xff\n---\nx", "byte 17 is not UTF-8"), (b"x" * 262_145, "it has 262145 bytes")],
)
def test_what_is_no_prompt_is_refused(roster: Roster, castra: Castra, content: bytes, word: str) -> None:
    castra.prompt("vorenus").write_bytes(content)

    with pytest.raises(ProfileError, match=word):
        roster.profile("vorenus")


def test_a_pipe_in_a_prompts_place_is_refused_and_never_waited_for(roster: Roster, castra: Castra) -> None:
    castra.prompt("vorenus").unlink()
    os.mkfifo(castra.prompt("vorenus"))
    # Whoever reads the pipe all the same gets its end after a while, so that this test always ends.
    writer = os.open(castra.prompt("vorenus"), os.O_RDWR | os.O_NONBLOCK)
    timer = threading.Timer(5.0, os.close, [writer])
    timer.start()

    try:
        with pytest.raises(ProfileError, match="this is no file"):
            roster.profile("vorenus")
    finally:
        timer.cancel()
        timer.join()
        with contextlib.suppress(OSError):
            os.close(writer)


def test_a_file_in_a_folders_place_is_told(roster: Roster, castra: Castra) -> None:
    (castra.centuriones / "brutus").touch()

    with pytest.raises(ProfileError, match=r"it cannot be read \(Not a directory\)"):
        roster.profile("brutus")


# --- create and remove --------------------------------------------------------------------------------


def test_a_centurio_is_created_whole(roster: Roster, castra: Castra) -> None:
    profile = roster.create("brutus", "Doubt: of 'everything' #1", "You doubt.", 10)

    assert profile == Profile("brutus", "Doubt: of 'everything' #1", "You doubt.")
    assert roster.names() == ("brutus", "pullo", "vorenus")
    assert sorted(path.name for path in castra.centuriones.iterdir()) == ["brutus", "pullo", "vorenus"]


def test_a_whole_prompt_is_written_as_it_is(roster: Roster, castra: Castra) -> None:
    text = "---\ndescription: Doubt\neffort: low\n---\nYou doubt.\n"

    profile = roster.create("brutus", "Doubt", text, 10)

    assert profile == Profile("brutus", "Doubt", "You doubt.", effort="low")
    assert castra.prompt("brutus").read_text() == text


def test_the_first_centurio_can_be_created(castra: Castra) -> None:
    castra.root.mkdir()

    assert Roster(castra).create("brutus", "Doubt", "You doubt.", 1).name == "brutus"


def test_an_existing_centurio_is_never_overwritten(roster: Roster, castra: Castra) -> None:
    castra.prompt("vorenus").write_text("broken")
    (castra.centuriones / "brutus").touch()

    for name in ("vorenus", "brutus"):
        with pytest.raises(Refused, match=f"there is a centurio '{name}' already"):
            roster.create(name, "x", "x", 10)
    assert castra.prompt("vorenus").read_text() == "broken"


def test_there_are_never_more_than_the_limit(roster: Roster) -> None:
    with pytest.raises(Refused, match=r"there are 2 centuriones, and there may be 2\. Remove one"):
        roster.create("brutus", "Doubt", "You doubt.", 2)


@pytest.mark.parametrize(
    ("name", "specialization", "text"),
    [
        ("legatus", "x", "x"),
        ("Brutus", "x", "x"),
        ("brutus", "x" * 201, "x"),
        ("brutus", "a\nb", "x"),
        ("brutus", "x", " "),
        ("brutus", "x", "\ud800"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(
    roster: Roster, castra: Castra, name: str, specialization: str, text: str
) -> None:
    with pytest.raises(ProfileError):
        roster.create(name, specialization, text, 10)
    assert sorted(path.name for path in castra.centuriones.iterdir()) == ["pullo", "vorenus"]


def test_a_full_disk_leaves_nothing_half_made(roster: Roster, castra: Castra) -> None:
    # Within the test alone: its report, too, is written to a file.
    with (
        pytest.raises(CastraError, match=r"centuriones/brutus: the castra cannot be written"),
        full_disk(0),
    ):
        roster.create("brutus", "Doubt", "You doubt.", 10)
    assert sorted(path.name for path in castra.centuriones.iterdir()) == ["pullo", "vorenus"]


def test_a_removed_centurio_is_put_aside_with_all_his_files(roster: Roster, castra: Castra) -> None:
    roster.profile("vorenus")
    castra.commentarii("vorenus").mkdir()
    (castra.commentarii("vorenus") / "one.xml").write_text("<commentarium/>")

    aside = roster.remove("vorenus", NOW)

    assert aside == castra.centuriones / ".removed" / "vorenus-20260315T120005Z"
    assert (aside / "commentarii" / "one.xml").read_text() == "<commentarium/>"
    assert roster.names() == ("pullo",)
    with pytest.raises(ProfileError, match="there is no centurio 'vorenus'"):
        roster.profile("vorenus")


def test_one_removed_twice_in_a_second_is_kept_twice(roster: Roster) -> None:
    first = roster.remove("vorenus", NOW)
    roster.create("vorenus", "Again", "You are.", 10)
    second = roster.remove("vorenus", NOW.astimezone(UTC))
    roster.create("vorenus", "Again", "You are.", 10)
    third = roster.remove("vorenus", NOW)

    assert [path.name for path in (second, third)] == [f"{first.name}-2", f"{first.name}-3"]
    assert all((path / "prompt.md").exists() for path in (first, second, third))


@pytest.mark.parametrize("name", ["nemo", "legatus", "..", ".removed"])
def test_who_is_no_centurio_cannot_be_removed(roster: Roster, name: str) -> None:
    with pytest.raises(ProfileError):
        roster.remove(name, NOW)


def test_a_linked_folder_is_not_removed(roster: Roster, castra: Castra) -> None:
    (castra.centuriones / "brutus").symlink_to(castra.centuriones / "pullo")

    with pytest.raises(CastraError, match="symbolic links"):
        roster.remove("brutus", NOW)


def test_grants_that_may_be_misspelt_are_doubted_the_legatuss_too(roster: Roster, castra: Castra) -> None:
    assert roster.doubts() == ()
    for name in ("legatus", "pullo"):
        castra.prompt(name).write_text("---\ndescription: x\nask: [Wirte]\n---\nYou are.\n")
    castra.prompt("vorenus").write_text("broken")
    assert [word.partition(":")[0] for word in roster.doubts()] == ["legatus", "pullo"]


PROMPT = "---\n# for the bridge\ndescription: Building\n---\nYou are.\r\n"


def history(castra: Castra, name: str = "pullo") -> list[Path]:
    return sorted((castra.post(name) / ".history").glob("*"))


def test_a_prompt_is_given_as_it_stands_usable_or_not(roster: Roster, castra: Castra) -> None:
    for text in (PROMPT, "broken\r\n", ""):
        castra.prompt("pullo").write_bytes(text.encode())
        assert roster.text("pullo") == text
    castra.prompt("pullo").write_bytes(b"\xff")
    with pytest.raises(ProfileError, match="byte 0 is not UTF-8"):
        roster.text("pullo")
    with pytest.raises(ProfileError, match="there is no centurio 'nemo'"):
        roster.text("nemo")


def test_a_rewritten_prompt_counts_at_once_and_the_former_is_kept(roster: Roster, castra: Castra) -> None:
    castra.prompt("pullo").chmod(0o640)
    was = roster.text("pullo")
    assert roster.rewrite("pullo", PROMPT, was=was, now=NOW).prompt == "You are."
    assert roster.profile("pullo").description == "Building"
    assert castra.prompt("pullo").read_bytes() == PROMPT.encode()
    assert castra.prompt("pullo").stat().st_mode & 0o777 == 0o640
    roster.rewrite("pullo", was, was=PROMPT, now=NOW)
    roster.rewrite("pullo", was, was=was, now=NOW)
    first, second = history(castra)
    assert [first.name, second.name] == ["prompt.20260315T120005Z-2.md", "prompt.20260315T120005Z.md"]
    assert {first.read_bytes(), second.read_bytes()} == {was.encode(), PROMPT.encode()}
    assert roster.rewrite("legatus", PROMPT, was=roster.text("legatus"), now=NOW).name == "legatus"
    assert roster.names() == ("pullo", "vorenus")


@pytest.mark.parametrize("text", ["broken", "---\ndescription: x\n---\n", f"{PROMPT}\ud800", PROMPT * 9000])
def test_a_prompt_that_could_not_be_used_is_not_written(roster: Roster, castra: Castra, text: str) -> None:
    was = roster.text("pullo")
    with pytest.raises(ProfileError, match=r"centuriones/pullo/prompt\.md: "):
        roster.rewrite("pullo", text, was=was, now=NOW)
    assert roster.text("pullo") == was
    assert history(castra) == []


def test_what_was_changed_by_another_hand_is_not_written_over(roster: Roster, castra: Castra) -> None:
    was = roster.text("pullo")
    enlist(castra, "pullo", "Fording")
    with pytest.raises(Refused, match="pullo's prompt has been changed since you opened it"):
        roster.rewrite("pullo", PROMPT, was=was, now=NOW)
    assert roster.profile("pullo").description == "Fording"
    assert history(castra) == []


def test_a_link_in_the_place_of_a_prompt_is_not_written_through(roster: Roster, castra: Castra) -> None:
    path, outside = castra.prompt("pullo"), castra.root.parent / "outside.md"
    was = roster.text("pullo")
    outside.write_text(was)
    path.unlink()
    path.symlink_to(outside)
    with pytest.raises(ProfileError, match="symbolic links are not followed"):
        roster.rewrite("pullo", PROMPT, was=was, now=NOW)
    assert outside.read_text() == was


def test_a_prompt_that_cannot_be_written_stays_as_it_was(roster: Roster, castra: Castra) -> None:
    was = roster.text("pullo")
    with pytest.raises(CastraError, match="the castra cannot be written"), full_disk(0):
        roster.rewrite("pullo", PROMPT, was=was, now=NOW)
    assert roster.text("pullo") == was
    assert history(castra) == []
    assert sorted(path.name for path in castra.post("pullo").iterdir()) == [".history", "prompt.md"]
