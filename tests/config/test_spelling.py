from legio.config.spelling import suggestion


def test_the_nearest_known_name_is_suggested() -> None:
    assert suggestion("telegrm", ("telegram", "claude")) == "Did you mean 'telegram'?"


def test_case_does_not_keep_a_name_from_being_near() -> None:
    assert suggestion("LEGIO_MODLE", ("LEGIO_MODEL",)) == "Did you mean 'LEGIO_MODEL'?"


def test_all_names_are_told_where_none_is_near() -> None:
    assert suggestion("xyz", ("telegram", "claude")) == "Known are: claude, telegram."
