"""What agents may do only at Caesar's word, and what they may never do: real CLI, real cards, one thumb."""

import json
import sys
from pathlib import Path

import pytest

from legio.claude import sandbox
from legio.config import ClaudeConfig, Credential, Secrets, ServerConfig
from legio.local.botapi.message import Message, Person
from tests.e2e import stdio_server
from tests.e2e.world import SECONDS, World, body, speaker, world
from tests.scenes import scene, until

pytestmark = pytest.mark.cli

UNSANDBOXED = ClaudeConfig(unsandboxed_bash=True)


def grant(made: World, agent: str, *lines: str) -> None:
    """Write lines into the front matter of an agent's prompt."""
    prompt = made.castra.prompt(agent)
    prompt.write_text(prompt.read_text().replace("---\n", "\n".join(["---", *lines, ""]), 1))


def use(tool: str, **arguments: object) -> str:
    """What makes the recruit call a tool."""
    return f"@pullo tool {tool} {json.dumps(arguments)}"


async def decided(made: World, card: Message, label: str) -> tuple[Message, Message]:
    """Caesar presses; the card as it is then, and the answer."""
    before = {message.id for message in made.telegram.messages}
    outcome = await made.press(card, label)
    (answer,) = await made.answers(before, 1)
    return outcome, answer


@scene(deadline=90)
async def test_a_change_is_shown_as_a_diff_and_a_command_as_it_will_run(tmp_path: Path) -> None:
    async with world(tmp_path, claude=UNSANDBOXED) as made, made.legio():
        grant(made, "pullo", "ask: [Write, Edit, Bash]", "tools: [Read]")
        (card,) = await made.ask(use("Write", file_path="plan.md", content="one\ntwo\n"))
        assert card.text.plain.startswith("pullo asks to create plan.md (+2 -0 lines).")
        (entity,) = card.text.entities
        assert (entity.type, entity.language) == ("pre", "diff")
        assert "\n+one\n+two" in card.text.plain
        outcome, answer = await decided(made, card, "Allow once")
        assert outcome.text.plain.endswith("→ pullo · Write: allowed once.")
        assert outcome.text.entities == card.text.entities, "what was allowed stands there as it was"
        plan = made.castra.workspace("pullo") / "plan.md"
        assert plan.read_text() == "one\ntwo\n"

        await made.ask(use("Read", file_path="plan.md"))
        (card,) = await made.ask(use("Edit", file_path="plan.md", old_string="two", new_string="three"))
        assert "pullo asks to change plan.md (+1 -1 lines)." in card.text.plain
        assert "\n-two\n+three" in card.text.plain
        outcome, answer = await decided(made, card, "Deny")
        assert outcome.text.plain.endswith("→ pullo · Edit: denied.")
        assert "Caesar did not allow it." in body(answer)
        assert plan.read_text() == "one\ntwo\n"

        (card,) = await made.ask(use("Bash", command="touch built.txt", description="Builds it."))
        assert card.text.plain.startswith("pullo asks to run a command.\nHe says of it: Builds it.")
        allow = card.keyboard[0][0]
        assert allow.label == "Allow once"
        made.telegram.press(card.id, allow.value, user=Person(666, "Stranger"))
        outcome, _ = await decided(made, card, "Deny")
        assert outcome.text.plain.endswith("→ pullo · Bash: denied."), "a stranger's press comes to nothing"
        assert not (plan.parent / "built.txt").exists()
    assert not made.telegram.refused


@scene(deadline=90)
async def test_an_allowance_lasts_for_the_thread_and_covers_what_was_said(tmp_path: Path) -> None:
    async with world(tmp_path, claude=UNSANDBOXED) as made, made.legio():
        grant(made, "pullo", "ask: [Bash]")
        (card,) = await made.ask(use("Bash", command="echo one"))
        assert "For this session means: every plain command of echo, which only reads." in card.text.plain
        outcome, _ = await decided(made, card, "Allow for this session")
        assert "allowed for this session" in outcome.text.plain
        (again,) = await made.ask(use("Bash", command="echo two"))
        assert (speaker(again), body(again)) == ("pullo", "two")
        (card,) = await made.ask(use("Bash", command="echo three > three.txt"))
        assert card.keyboard, "what writes is another command"
        await decided(made, card, "Deny")
        (asked,) = await made.ask("/reset pullo")
        before = {message.id for message in made.telegram.messages}
        await made.press(asked, "Reset pullo")
        await made.answers(before, 1)
        (card,) = await made.ask(use("Bash", command="echo four"))
        assert card.keyboard, "the allowance ended with its thread"
        await decided(made, card, "Deny")


@scene(deadline=90)
async def test_a_card_that_nobody_waits_for_says_so_and_its_buttons_are_gone(tmp_path: Path) -> None:
    async with world(tmp_path, claude=UNSANDBOXED) as made:
        async with made.legio():
            grant(made, "pullo", "ask: [Bash]")
            for asking in ("order Wait for me.", use("Bash", command="touch stopped.txt")):
                (card,) = await made.ask(asking)
                value = card.keyboard[0][0].value
                await made.ask("/stop", answers=2)
                await until(lambda: not made.now(card).keyboard, deadline=SECONDS, what="its end")  # noqa: B023
                assert made.now(card).text.plain.endswith("→ The turn is over: nothing was done.")
                made.telegram.press(card.id, value)
                await made.called("answerCallbackQuery", lambda sent: "dead" in str(sent.get("text")))
            (left,) = await made.ask(use("Bash", command="touch left.txt"))
        assert not made.now(left).keyboard, "at the end of Legio too"
    assert not (made.castra.workspace("pullo") / "stopped.txt").exists()
    assert list(made.castra.edicta.glob("*.xml")) == []


@scene(deadline=90)
async def test_no_file_tool_leaves_the_workspace(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        grant(made, "pullo", "tools: [Read, Write, Edit, Glob, Grep, Bash]")
        workspace = made.castra.folder(made.castra.workspace("pullo"))
        (workspace / "mine.txt").write_text("my own words")
        (workspace / "way-out").symlink_to(made.castra.root)
        (made.castra.folder(made.castra.workspace("vorenus")) / "secret.txt").write_text("not for pullo")
        (read,) = await made.ask(use("Read", file_path="mine.txt"))
        assert "my own words" in body(read)
        for tool, arguments in (
            ("Read", {"file_path": str(made.castra.prompt("legatus"))}),
            ("Read", {"file_path": "../vorenus/secret.txt"}),
            ("Read", {"file_path": "way-out/legatus/prompt.md"}),
            ("Write", {"file_path": str(made.castra.edicta / "mine.xml"), "content": "<edictum/>"}),
            ("Grep", {"pattern": "pullo", "path": "way-out"}),
            ("Glob", {"pattern": "../**/*.txt"}),
        ):
            (refused,) = await made.ask(use(tool, **arguments))
            assert "your workspace" in body(refused), (tool, arguments, body(refused))
            assert "not for pullo" not in body(refused)
        (blind,) = await made.ask(
            use("Bash", command="cat ../vorenus/secret.txt; cat way-out/legatus/prompt.md")
        )
        assert "not for pullo" not in body(blind)
        assert "Legatus" not in body(blind)
        (key,) = await made.ask(use("Bash", command="echo key=$ANTHROPIC_API_KEY."))
        assert "scripted" not in body(key).partition("key=")[2]
        lacking = sandbox.missing()
        assert (f"no command can be run: {lacking}" if lacking else "key=.") in body(key)
    assert not (made.castra.edicta / "mine.xml").exists()


@scene(deadline=90)
async def test_an_order_of_the_legatus_takes_effect_at_caesars_word(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        (card,) = await made.ask("order Speak plainly.")
        assert card.text.plain.startswith("The Legatus asks to publish an edictum:\nSpeak plainly.")
        assert list(made.castra.edicta.glob("*.xml")) == []
        outcome, answer = await decided(made, card, "Allow")
        assert "→ Allowed. Edictum speak-plainly is in force from the next turn on." in outcome.text.plain
        assert "Caesar allowed it." in body(answer)
        (written,) = made.castra.edicta.glob("*.xml")
        (question,) = [
            heard for heard in made.requests("legatus") if "order Speak plainly." in str(heard.body)
        ][:1]
        proof = written.read_text().partition('proof="')[2].partition('"')[0]
        assert f'id=\\"{proof}\\"' in json.dumps(question.body)
        assert 'allowed="caesar"' in written.read_text()

        (card,) = await made.ask("order Shout.")
        _, answer = await decided(made, card, "Deny")
        assert "Caesar denied it" in body(answer)
        assert list(made.castra.edicta.glob("*.xml")) == [written]

        changed = {"title": "Plainly", "text": "Speak very plainly.", "replaces": "speak-plainly"}
        (card,) = await made.ask(f"tool publish_edictum {json.dumps(changed)}")
        assert "-Speak plainly.\n+Speak very plainly." in card.text.plain
        await decided(made, card, "Allow")
        assert [each.stem for each in made.castra.edicta.glob("*.xml")] == ["plainly"]

        (card,) = await made.ask('tool revoke_edictum {"name": "plainly"}')
        await decided(made, card, "Allow")
        assert list(made.castra.edicta.glob("*.xml")) == []
        kept = "".join(each.read_text() for each in (made.castra.edicta / ".history").iterdir())
    assert kept.count('<?revoked by="legatus"') == 2
    assert kept.count('allowed="caesar"') == 4


@scene(deadline=90)
async def test_a_server_of_tools_is_granted_by_its_name_and_is_given_its_secret_alone(tmp_path: Path) -> None:
    tiny = ServerConfig(command=sys.executable, args=(stdio_server.__file__, "--plain"), env=("TINY_TOKEN",))
    async with world(tmp_path, mcp={"tiny": tiny}) as made:
        made.secrets = Secrets(
            None, Credential("ANTHROPIC_API_KEY", "scripted"), of_servers={"TINY_TOKEN": "tiny secret"}
        )
        async with made.legio():
            grant(made, "pullo", "tools: [mcp__tiny]")
            grant(made, "vorenus", "ask: [mcp__tiny]")
            grant(made, "brutus", "tools: [mcp__tinny]")
            (told,) = await made.ask(use("tell", about="all"))
            (card,) = await made.ask('@vorenus tool tell {"about": "all"}')
            assert card.text.plain.startswith(
                "vorenus asks to use tell.\n\nFor this session means: every use of"
            )
            _, answer = await decided(made, card, "Allow once")
            (unknown,) = await made.ask("@brutus ave")
            (bare,) = await made.ask('tool tell {"about": "all"}')
    given = '{"argv": ["--plain"], "TINY_TOKEN": "tiny secret", "ANTHROPIC_API_KEY": ""}'
    assert given in body(told)
    assert given in body(answer)
    assert "there is no MCP server 'tinny' in legio.toml. Did you mean 'tiny'?" in unknown.text.plain
    assert "I have not got the tool tell." in body(bare)
