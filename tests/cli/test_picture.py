from legio.cli import picture


def test_a_text_is_a_square_for_a_phone_with_its_quiet_zone() -> None:
    lines = picture.of("https://t.me/legio_bot?start=AAAA-BBBB-CCCC").splitlines()
    widths = {len(line) for line in lines}
    assert len(widths) == 1
    assert set("".join(lines)) <= set(" ▀▄█")
    assert widths.pop() in (2 * len(lines), 2 * len(lines) - 1)
    assert set(lines[0]) == {"█"}
