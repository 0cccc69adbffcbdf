import httpx
import pytest

from legio.local.model import Answer, ModelState, Outcome, api, model_server
from tests.local.model.asking import body, user
from tests.scenes import scene

COUNT = "/v1/messages/count_tokens"
VERSION = {"anthropic-version": "2023-06-01"}


def counted_body(text: str) -> dict[str, object]:
    """What counting takes of the body of a message."""
    return {key: value for key, value in body(user(text)).items() if key != "max_tokens"}


def client(url: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, trust_env=False)


@scene
async def test_a_message_is_answered_by_the_recruit_and_is_on_record() -> None:
    state = ModelState()
    async with model_server(state) as url, client(url) as http:
        response = await http.post("/v1/messages?beta=true", json=body(user("echo ave")))

    answer = response.json()
    assert (answer["type"], answer["role"], answer["model"]) == ("message", "assistant", "m")
    assert answer["content"] == [{"type": "text", "text": "ave"}]
    assert state.requests[0].body["max_tokens"] == 100


@scene
async def test_every_message_and_call_has_an_id_of_its_own() -> None:
    async with model_server(ModelState()) as url, client(url) as http:
        sent = body(user("tool x"), tools=("x",))
        ids = {
            part["id"]
            for _ in range(2)
            for answer in [(await http.post("/v1/messages", json=sent)).json()]
            for part in (answer, *answer["content"])
        }

    assert len(ids) == 4


@scene
async def test_tokens_are_counted_without_a_message() -> None:
    state = ModelState()
    async with model_server(state) as url, client(url) as http:
        counted = [
            (await http.post(COUNT, json=counted_body("x" * length), headers=VERSION)).json()["input_tokens"]
            for length in (4, 4004)
        ]

    assert counted[1] - counted[0] == 1000
    assert state.counters == {Outcome.COUNTED: 2}
    assert not state.requests


@scene
async def test_what_only_an_answer_needs_is_refused_where_tokens_are_counted() -> None:
    state = ModelState()
    async with model_server(state) as url, client(url) as http:
        refused = [
            await http.post(COUNT, json={**counted_body("ave"), name: value}, headers=VERSION)
            for name, value in (("max_tokens", 1), ("stream", False), ("temperature", 1))
        ]
        unversioned = await http.post(COUNT, json=counted_body("ave"))
        empty = await http.post(COUNT, json={"model": "m", "messages": []}, headers=VERSION)

    said = [response.json()["error"]["message"] for response in (*refused, unversioned, empty)]
    assert said == [
        "max_tokens: Extra inputs are not permitted",
        "stream: Extra inputs are not permitted",
        "temperature: Extra inputs are not permitted",
        "anthropic-version: header is required",
        "messages: at least one message is required",
    ]
    assert {response.status_code for response in (*refused, unversioned, empty)} == {400}
    assert state.counters == {Outcome.REFUSED: 5}


@scene
async def test_the_probes_of_a_client_are_answered() -> None:
    async with model_server(ModelState()) as url, client(url) as http:
        head, get = await http.head("/"), await http.get("/")
        models, model = await http.get("/v1/models"), await http.get("/v1/models/any")

    assert (head.status_code, get.status_code) == (200, 200)
    assert models.json()["data"][0]["id"] == models.json()["first_id"] == api.MODEL
    assert model.json()["id"] == "any"


@pytest.mark.parametrize(
    "headers", [{"x-api-key": "right"}, {"authorization": "Bearer right"}, {"authorization": "bearer right"}]
)
@scene
async def test_a_right_credential_comes_in(headers: dict[str, str]) -> None:
    state = ModelState(key="right")
    async with model_server(state) as url, client(url) as http:
        response = await http.post("/v1/messages", json=body(user("ave")), headers=headers)

    assert response.status_code == 200
    assert state.requests[0].credential == "right"


@pytest.mark.parametrize(
    "headers", [{}, {"x-api-key": "wrong"}, {"authorization": "Basic right"}, {"authorization": "Bearer"}]
)
@scene
async def test_a_wrong_credential_is_refused_everywhere(headers: dict[str, str]) -> None:
    state = ModelState(key="right")
    async with model_server(state) as url, client(url) as http:
        for path in ("/v1/messages", "/v1/messages/count_tokens"):
            response = await http.post(path, json=body(user("ave")), headers=headers)
            assert response.status_code == 401
            assert response.json()["error"] == {
                "type": "authentication_error",
                "message": "invalid x-api-key",
            }

    assert state.counters == {Outcome.REFUSED: 2}
    assert not state.requests


@pytest.mark.parametrize(
    ("content", "said"), [(b"{", "not valid JSON"), (b"\xff", "not valid JSON"), (b"[]", "JSON object")]
)
@scene
async def test_a_broken_body_is_refused_with_the_reason(content: bytes, said: str) -> None:
    async with model_server(ModelState()) as url, client(url) as http:
        response = await http.post("/v1/messages", content=content)

    assert response.status_code == 400
    assert response.json()["error"]["type"] == "invalid_request_error"
    assert said in response.json()["error"]["message"]


@scene
async def test_a_body_too_large_is_refused() -> None:
    async with model_server(ModelState()) as url, client(url) as http:
        response = await http.post("/v1/messages", content=b" " * (api.MAX_BODY_BYTES + 1))

    assert (response.status_code, response.json()["error"]["type"]) == (413, "request_too_large")


@scene
async def test_unknown_paths_and_methods_have_errors_of_the_same_shape() -> None:
    async with model_server(ModelState()) as url, client(url) as http:
        missing, wrong = await http.get("/v1/none"), await http.get("/v1/messages")

    assert (missing.status_code, missing.json()["error"]["type"]) == (404, "not_found_error")
    assert (wrong.status_code, wrong.json()["type"]) == (405, "error")


@scene
async def test_the_prompt_cache_shows_in_the_usage() -> None:
    marked = {"type": "text", "text": "x" * 400, "cache_control": {"type": "ephemeral"}}
    sent = {**body(user("ave")), "system": [marked]}
    async with model_server(ModelState(answer=lambda _: Answer("ave"))) as url, client(url) as http:
        first, second = [(await http.post("/v1/messages", json=sent)).json()["usage"] for _ in range(2)]

    assert first["cache_creation_input_tokens"] == second["cache_read_input_tokens"] > 100
    assert first["input_tokens"] == second["input_tokens"]
