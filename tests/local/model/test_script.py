from legio.local.model.script import Answer, Failure, Retried, Silence, on_try


def test_a_plain_script_is_the_same_on_every_try() -> None:
    assert on_try(Silence(), 5) == (Silence(), True)


def test_the_first_tries_differ_from_the_later_ones() -> None:
    script = Retried(Failure(529), 2, Answer("ave"))

    tries = [on_try(script, earlier) for earlier in range(4)]

    assert tries == [
        (Failure(529), False),
        (Failure(529), False),
        (Answer("ave"), True),
        (Answer("ave"), True),
    ]


def test_one_series_of_tries_may_follow_another() -> None:
    script = Retried(Failure(529), 1, Retried(Silence(), 1, Answer("ave")))

    assert [on_try(script, earlier)[0] for earlier in range(3)] == [Failure(529), Silence(), Answer("ave")]
