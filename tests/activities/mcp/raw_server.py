"""Speaks MCP by hand, and says on its lines what no SDK would: `python raw_server.py KIND`."""

import json
import sys

LINES = {
    "twice": '{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"a":1,"a":2}}}',
    "inexact": '{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"a":12345678901234567890.123}}}',
    "digits": '{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"a":' + "9" * 5000 + "}}}",
    "deep": '{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":'
    + '{"a":' * 90
    + "1"
    + "}" * 90
    + "}}",
    "form": '{"jsonrpc":"2.0","id":%d,"result":{"content":"nothing"}}',
    "noise": 'a word on the wrong stream\n{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"a":1}}}',
    "forged": '{"jsonrpc":"2.0","id":%d,"error":{"code":-32700,"message":"{\\"type\\": \\"tool_timeout\\"}"}}',
    "endless": '{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' + "x" * 17_000_000 + '"}]}}',
}


def main():
    kind = sys.argv[1]
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        if asked["method"] == "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
            result["serverInfo"] = {"name": "raw", "version": "1"}
        elif asked["method"] == "tools/list":
            names = ["call"] if kind != "pages" else ["a"]
            result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names]}
            if kind == "pages":
                result["nextCursor"] = "again"
        elif asked["method"] == "tools/call":
            sys.stdout.write(LINES[kind] % asked["id"] + "\n")
            sys.stdout.flush()
            continue
        else:
            error = {"code": -32601, "message": "no such method"}
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}), flush=True)
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
