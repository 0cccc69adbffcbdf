"""Files as documents and back: exact for what Legio writes, lenient to people, strict about slips."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from legio.errors import DocumentError
from legio.memoria.documents import PLURAL, parse, render, tidy, tidy_line
from legio.ports import Document, Kind

MODIFIED = datetime(2026, 11, 21, 3, 42, tzinfo=UTC)
DOCUMENT = Document(
    kind=Kind.EDICTUM,
    name="plain-words",
    title="Plain words & <short>",
    text="Answer in plain words.\n\n  - no <b>tags</b>\n  - ]]> is fine",
    author="caesar",
    created=datetime(2026, 11, 21, 3, 42, 0, 123456, tzinfo=UTC),
)
FILE = "edicta/plain-words.xml"


def parsed(content: str | bytes, *, file: str = FILE, kind: Kind = Kind.EDICTUM, owner: str = "") -> Document:
    raw = content if isinstance(content, bytes) else content.encode()
    return parse(raw, kind=kind, file=file, modified=MODIFIED, owner=owner)


def edictum(text: str = "<title>T</title><text>X</text>", attributes: str = "") -> str:
    return f"<edictum {attributes}>{text}</edictum>"


# --- writing ------------------------------------------------------------------------------------------


def test_a_file_is_written_for_people_to_read() -> None:
    assert render(DOCUMENT).decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<edictum name="plain-words" author="caesar" created="2026-11-21T03:42:00.123456+00:00">\n'
        "  <title>Plain words &amp; &lt;short&gt;</title>\n"
        "  <text>\n"
        "Answer in plain words.\n"
        "\n"
        "  - no &lt;b&gt;tags&lt;/b&gt;\n"
        "  - ]]&gt; is fine\n"
        "  </text>\n"
        "</edictum>\n"
    )


@given(
    kind=st.sampled_from(Kind),
    title=st.text(st.characters(), min_size=1).map(tidy_line).filter(bool),
    text=st.text(st.characters(), min_size=1).map(tidy).filter(bool),
    author=st.text(st.characters(), min_size=1).map(tidy_line).filter(bool),
    created=st.datetimes(timezones=st.just(UTC)),
)
@example(Kind.ACTUM, "a", "a\u0085\u2028b\ufffd\U0001f600", "x\" y='", MODIFIED)
def test_what_was_written_is_read_as_it_was(
    kind: Kind, title: str, text: str, author: str, created: datetime
) -> None:
    document = Document(kind, "plain-words", title, text, author, created, owner="vorenus")

    assert parsed(render(document), kind=kind, owner="vorenus") == document


def test_an_edictum_that_an_agent_published_bears_its_proof() -> None:
    proven = replace(DOCUMENT, author="legatus", proof='7<"&', allowed="caesar")

    assert b'+00:00" proof="7&lt;&quot;&amp;" allowed="caesar">' in render(proven)
    assert parsed(render(proven)) == proven
    assert (parsed(edictum()).proof, parsed(edictum()).allowed) == ("", "")


@given(st.text(st.characters()))
def test_tidying_twice_is_tidying_once(text: str) -> None:
    assert tidy(tidy(text)) == tidy(text)
    assert tidy_line(tidy_line(text)) == tidy_line(text)


def test_signs_that_xml_cannot_hold_are_tidied_away() -> None:
    assert tidy("\x00a\x1b[31m\r\nb\rc\td\ufffe\uffff\ud800 ") == "a[31m\nb\nc\td"
    assert tidy_line("  two\r\n lines\t") == "two lines"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (replace(DOCUMENT, name="Plain Words"), "'Plain Words' cannot be a document's name"),
        (replace(DOCUMENT, title=""), "the title is empty"),
        (replace(DOCUMENT, text=""), "the text is empty"),
        (replace(DOCUMENT, text="a\x00b"), "the text is not tidy"),
        (replace(DOCUMENT, title="two\nlines"), "the title is not one tidy line"),
        (replace(DOCUMENT, author=""), "the author is not one name"),
        (replace(DOCUMENT, author=" caesar"), "the author is not one name"),
        (replace(DOCUMENT, created=datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1)))), "not in UTC"),
    ],
)
def test_what_would_not_be_read_as_it_was_is_not_written(wrong: Document, said: str) -> None:
    with pytest.raises(DocumentError, match=said):
        render(wrong)


def test_every_kind_has_its_plural() -> None:
    assert set(PLURAL) == set(Kind)


# --- reading what people wrote ------------------------------------------------------------------------


def test_a_person_may_leave_all_attributes_out() -> None:
    found = parsed("<edictum>\n  <title> T </title>\n  <text>\n    X\n  </text>\n</edictum>\n")

    assert found == Document(Kind.EDICTUM, "plain-words", "T", "X", "caesar", MODIFIED)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-11-21", datetime(2026, 11, 21, tzinfo=UTC)),
        ("2026-11-21T03:42", datetime(2026, 11, 21, 3, 42, tzinfo=UTC)),
        ("2026-11-21T03:42:00Z", datetime(2026, 11, 21, 3, 42, tzinfo=UTC)),
        ("2026-11-21T05:42:00+02:00", datetime(2026, 11, 21, 3, 42, tzinfo=UTC)),
    ],
)
def test_a_date_may_be_written_in_any_iso_form(written: str, meant: datetime) -> None:
    found = parsed(edictum(attributes=f'created="{written}"'))

    assert found.created == meant
    assert found.created.tzinfo is UTC


@pytest.mark.parametrize(
    "content",
    [
        edictum("<text>X</text><title>T</title>"),
        edictum("<title><![CDATA[T]]></title><text>X<!-- aside --></text>"),
        "\ufeff" + edictum(),
        '<?xml version="1.0" encoding="UTF-8"?>\r\n' + edictum("<title>T</title>\r\n<text>X</text>"),
    ],
)
def test_the_freedoms_of_xml_are_kept(content: str) -> None:
    found = parsed(content)

    assert (found.title, found.text) == ("T", "X")


def test_a_file_in_another_encoding_is_read_when_it_says_so() -> None:
    content = '<?xml version="1.0" encoding="iso-8859-1"?>' + edictum("<title>Ä</title><text>ö</text>")

    assert parsed(content.encode("latin-1")).title == "Ä"


# --- refusing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", r"not well-formed XML \(no element found"),
        ("Answer in plain words.", "not well-formed XML"),
        (edictum("<title>T</title><text>a & b</text>"), "not well-formed .* Write & as &amp;"),
        (edictum("<title>T</title><text>X"), "not well-formed"),
        (edictum("<title>T</title><text>a\x01b</text>"), "not well-formed"),
        (
            "<actum><title>T</title><text>X</text></actum>",
            "this is a <actum>, not a <edictum>. Write <edictum> or",
        ),
        (edictum(attributes='autor="x"'), "unknown attribute 'autor'. Known are allowed, author,"),
        (edictum("<title>T</title>"), "there must be one <title> and one <text>"),
        (edictum("<title>T</title><text>X</text><text>Y</text>"), "there must be one"),
        (edictum("<title>T</title><text>X</text><note>Y</note>"), "there must be one"),
        (edictum("lost <title>T</title><text>X</text>"), "words outside of <title> and <text>"),
        (edictum("<title>T</title><text>X</text> lost"), "words outside"),
        (
            edictum("<title>T</title><text>a <b>bold</b> word</text>"),
            "<text> holds an element <b>. Write < as &lt;",
        ),
        (edictum("<title> </title><text>X</text>"), "<title> is empty"),
        (edictum("<title>T</title><text/>"), "<text> is empty"),
        (
            edictum(attributes='name="other"'),
            "its name says 'other', its file 'plain-words'. Make them equal",
        ),
        (edictum(attributes='created="yesterday"'), "'yesterday' is not an ISO date. Write it as 2026-"),
        (edictum(attributes='created="0001-01-01T00:00:00+23:59"'), "is not an ISO date"),
    ],
)
def test_a_slip_is_refused_with_file_fault_and_remedy(content: str, said: str) -> None:
    with pytest.raises(DocumentError, match=said) as refusal:
        parsed(content)

    assert refusal.value.where == FILE
    assert refusal.value.remedy


@pytest.mark.parametrize(
    "prologue",
    [
        '<!DOCTYPE edictum [<!ENTITY a "aaa">]>',
        '<!DOCTYPE edictum [<!ENTITY a SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE edictum SYSTEM "http://127.0.0.1:1/x.dtd">',
        "<!DOCTYPE edictum>",
        '<!DOCTYPE edictum [<!ENTITY a "aa"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]>',
    ],
)
def test_no_dtd_and_no_entity_is_followed(prologue: str) -> None:
    with pytest.raises(DocumentError, match=r"this XML is refused \(DTDForbidden\). Use UTF-8"):
        parsed(prologue + edictum("<title>T</title><text>X</text>"))


@pytest.mark.parametrize("encoding", ["klingon", "utf-32", "shift_jis", "base64"])
def test_an_encoding_that_is_not_understood_is_refused(encoding: str) -> None:
    with pytest.raises(DocumentError) as refusal:
        parsed(f'<?xml version="1.0" encoding="{encoding}"?>' + edictum())

    assert refusal.value.where == FILE


@pytest.mark.parametrize(
    "file", ["edicta/Plain.xml", "edicta/a b.xml", "edicta/-a.xml", f"edicta/{'a' * 65}.xml"]
)
def test_a_file_whose_name_cannot_be_asked_for_is_refused(file: str) -> None:
    with pytest.raises(DocumentError, match=r"cannot be a document's name. Rename the file"):
        parsed(edictum(), file=file)


@given(st.binary(max_size=200))
def test_no_content_breaks_the_reader(content: bytes) -> None:
    with pytest.raises(DocumentError):
        parsed(content)


@given(st.text(st.sampled_from("<>/&;!?[]-\"'= edictumlxn\n"), max_size=200))
def test_nothing_that_looks_like_xml_breaks_the_reader(inner: str) -> None:
    try:
        parsed(edictum(inner))
    except DocumentError as refusal:
        assert refusal.where == FILE  # noqa: PT017
