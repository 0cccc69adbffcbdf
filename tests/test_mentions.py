import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legio.mentions import Mentions, find
from legio.nuntius import ALL, LEGATUS, NAME, RESERVED

KNOWN = ("brutus", "pullo", "vorenus")


def addressed(text: str, known: tuple[str, ...] = KNOWN) -> tuple[str, ...]:
    return find(text, known).addressed


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@vorenus look into it", ("vorenus",)),
        ("look into it, @vorenus", ("vorenus",)),
        ("what do you think, @vorenus and @pullo?", ("vorenus", "pullo")),
        ("@pullo @vorenus @brutus", ("pullo", "vorenus", "brutus")),
        ("@VoReNuS", ("vorenus",)),
        ("@vorenus, @Vorenus, @pullo, @vorenus", ("vorenus", "pullo")),
        ("@vorenus, @pullo.", ("vorenus", "pullo")),
        ("is it @vorenus's? or @vorenus’s", ("vorenus",)),
        ("(@vorenus) [@pullo] “@brutus”", ("vorenus", "pullo", "brutus")),
        ("@vorenus:\n@pullo!", ("vorenus", "pullo")),
        ("@vorenus,check src/main.py", ("vorenus",)),
        ("@vorenus: /etc/hosts", ("vorenus",)),
        ("**@vorenus** _@pullo_ ~~@brutus~~", ("vorenus", "pullo", "brutus")),
        ("-@vorenus does a\n-@pullo does b", ("vorenus", "pullo")),
        ("Done.@vorenus go on...@pullo", ("vorenus", "pullo")),
        ("👍@vorenus ❤️@pullo", ("vorenus", "pullo")),
        ("@vorenus/@pullo compare", ("vorenus", "pullo")),
        ("@vorenus@pullo compare", ("vorenus", "pullo")),
        ("@vorenus-@pullo compare", ("vorenus", "pullo")),
        ("@vorenus—see below", ("vorenus",)),
        ("> @vorenus said it", ("vorenus",)),
        ("@legatus sum up", ("legatus",)),
        ("@Legatus @all", ("legatus", "all")),
        ("@ALL", ("all",)),
        ("mail a@example.org and tell @pullo", ("pullo",)),
        ("nobody is called", ()),
        ("", ()),
        ("@", ()),
        ("@ vorenus", ()),
        ("5 @ 3", ()),
    ],
)
def test_every_mention_counts_anywhere_once_and_in_order(text: str, names: tuple[str, ...]) -> None:
    assert find(text, KNOWN) == Mentions(addressed=names)


@pytest.mark.parametrize(
    "text",
    [
        "john@vorenus",
        "john.doe+x@vorenus.example",
        "foo-@vorenus foo_@vorenus",
        "mailto:john@vorenus",
        "/home/@vorenus/notes",
        "./@vorenus",
        "src/@vorenus",
        "~/@vorenus",
        "node_modules/@pullo/core",
        "@pullo/core",
        "@vorenus/",
        "t.me/@vorenus",
        r"C:\Users\@vorenus",
        r"@vorenus\notes",
        "https://example.org/@vorenus",
        "see HTTPS://example.org/?q=@vorenus,@pullo now",
        "tg://resolve?domain=@vorenus",
        "www.example.org/@vorenus",
        "key=@vorenus",
        "@@vorenus",
        "@vorenus@example.org",
        r"\@vorenus said so",
        r"(\@vorenus)",
        "é@vorenus",
        "e\u0301@vorenus",
        "日@vorenus",
        "7@vorenus",
    ],
)
def test_what_merely_looks_like_a_mention_is_none(text: str) -> None:
    assert find(text, KNOWN) == Mentions()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`@vorenus` @pullo", ("pullo",)),
        ("``a ` @vorenus`` @pullo", ("pullo",)),
        ("``a @vorenus``` b", ("vorenus",)),
        ("`@vorenus\nstill code` @pullo", ("pullo",)),
        ("an open ` tick @vorenus", ("vorenus",)),
        ("an open ` tick\n\n@vorenus `", ("vorenus",)),
        (r"\`@vorenus\`", ("vorenus",)),
        ("```@vorenus``` @pullo", ("pullo",)),
        ("```\n@vorenus\n```\n@pullo", ("pullo",)),
        ("```py @brutus\n@vorenus\n~~~\n``\n```` \n@pullo", ("pullo",)),
        ("~~~\n@vorenus\n```\n@brutus\n~~~~\n@pullo", ("pullo",)),
        ("> ```\n> @vorenus\n> ```\n@pullo", ("pullo",)),
        ("1. ```\n   @vorenus\n   ```\n@pullo", ("pullo",)),
        ("@pullo why?\n```\n@vorenus\n\n@brutus", ("pullo",)),
        ("@pullo\r\n```\r\n@vorenus\r\n```\r\n@brutus", ("pullo", "brutus")),
    ],
)
def test_code_addresses_nobody(text: str, names: tuple[str, ...]) -> None:
    assert addressed(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@bot_ go", ("bot_",)),
        ("@bot__ go", ("bot_",)),
        ("@bot- go", ("bot",)),
        ("@bot--see below", ("bot",)),
        ("@bot-2", ("bot-2",)),
        ("@bot-2-", ("bot-2",)),
        ("@bot-2.", ("bot-2",)),
        ("__@bot__", ("bot_",)),
    ],
)
def test_the_longest_known_name_is_meant(text: str, names: tuple[str, ...]) -> None:
    assert addressed(text, ("bot", "bot_", "bot-2")) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@Nemo, help", ("nemo",)),
        ("@nemo @NEMO @quis", ("nemo", "quis")),
        ("@vorenus-2", ("vorenus-2",)),
        ("@nemo- @nemo_ @nemo--see", ("nemo",)),
        ("@vorenuś", ("vorenuś",)),
        ("@Jürgen", ("jürgen",)),
        ("@vorenus/@nemo", ("nemo",)),
        ("@caesar", ()),
        ("@3 @_x", ()),
        ("a@nemo `@nemo` /@nemo", ()),
    ],
)
def test_a_name_that_nobody_bears_is_told(text: str, names: tuple[str, ...]) -> None:
    assert find(text, KNOWN).unknown == names


def test_a_combining_mark_makes_another_word() -> None:
    assert "vorenus" not in addressed("@vorenus\u0301")


NAMES = st.from_regex(NAME, fullmatch=True).filter(lambda name: name not in RESERVED)


@settings(deadline=None)
@given(st.text(), st.sets(NAMES))
def test_no_text_breaks_it_and_what_it_finds_is_known(text: str, known: set[str]) -> None:
    found = find(text, known)

    assert set(found.addressed) <= known | {LEGATUS, ALL}
    assert not set(found.unknown) & known
    assert len(set(found.addressed)) == len(found.addressed)
    assert all(name == name.lower() for name in found.addressed)


@settings(deadline=None)
@given(
    st.lists(NAMES, min_size=1, max_size=6), st.sampled_from([" ", ", ", "\n", "! ", "'s ", " (", "/", ": "])
)
def test_any_names_are_found_in_order_whatever_stands_between(names: list[str], between: str) -> None:
    text = between.join(f"@{name.upper()}" for name in names)

    assert addressed(text, tuple(names)) == tuple(dict.fromkeys(names))


@settings(deadline=None)
@given(st.text(alphabet="@vorenus `~\n\\/.x", max_size=60))
def test_whatever_stands_in_a_fence_addresses_nobody(text: str) -> None:
    fenced = "`" * 70 + "\n" + text + "\n" + "`" * 70

    assert find(fenced, KNOWN) == Mentions()


@settings(deadline=None)
@given(NAMES)
def test_an_escaped_name_is_spoken_of_and_not_addressed(name: str) -> None:
    assert find(f"ask \\@{name} about it", (name,)) == Mentions()
