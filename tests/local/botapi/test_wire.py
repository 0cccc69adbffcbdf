from legio.local.botapi.wire import Refusal, bad_request, conflict, too_many_requests


def test_a_refusal_has_telegrams_shape() -> None:
    assert Refusal(404, "Not Found").answer() == {"ok": False, "error_code": 404, "description": "Not Found"}


def test_a_flood_says_how_long_to_wait() -> None:
    assert too_many_requests(7).answer() == {
        "ok": False,
        "error_code": 429,
        "description": "Too Many Requests: retry after 7",
        "parameters": {"retry_after": 7},
    }


def test_bad_requests_and_conflicts_have_their_prefix() -> None:
    assert (bad_request("chat not found").code, str(bad_request("x"))) == (400, "Bad Request: x")
    assert (conflict("two").code, str(conflict("two"))) == (409, "Conflict: two")
