"""The smallest MCP server over stdio: one tool that tells what the server was given. Run as a program."""

import json
import os
import sys
from typing import Any

TELL = {
    "name": "tell",
    "description": "Tells what this server was given.",
    "inputSchema": {"type": "object", "properties": {"about": {"type": "string"}}},
}


def answer(request: dict[str, Any]) -> dict[str, object]:
    """The result of one request."""
    match request["method"]:
        case "initialize":
            return {
                "protocolVersion": request["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "tiny", "version": "1"},
            }
        case "tools/list":
            return {"tools": [TELL]}
        case "tools/call":
            given = {name: os.environ.get(name, "") for name in ("TINY_TOKEN", "ANTHROPIC_API_KEY")}
            text = json.dumps({"argv": sys.argv[1:], **given})
            return {"content": [{"type": "text", "text": text}]}
        case _:
            return {}


def main() -> None:
    """Answer line by line until the input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            reply = {"jsonrpc": "2.0", "id": request["id"], "result": answer(request)}
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
