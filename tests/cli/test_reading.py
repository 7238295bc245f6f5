"""The commands that show what is written: explain, graph, plan and schema."""

import hashlib
import json

import jsonschema


def test_explain_tells_rules_then_reasons_then_the_reply(desk):
    done = desk.run("explain", "desk", "--message", "hello")
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        "    message  hello",
        "",
        "· gate form (agent.yaml:36:5): pass (not met)",
        "      message.type == 'form'",
        '        message.type = "user_chat"',
        "· route order (agent.yaml:39:5): not met",
        "      slots.order_no or intents.order",
        "        slots.order_no = null",
        "        intents.order = false",
        "● route other (agent.yaml:40:5): flow help",
        "      otherwise",
        "",
        "       step  reply (agent.yaml:47:7)",
        "",
        "    outcome  answer by fixed_reply",
        "      reply  Ask about an order.",
    ]


def test_explain_shows_a_call_and_says_what_the_reply_depends_on(desk):
    lines = desk.run("explain", "desk", "--message", "订单 B1234").output.splitlines()
    assert lines[-6:] == [
        '       slot  order_no = B1234 ← "B1234" at 3..8',
        "     intent  order",
        "       call  find_order (agent.yaml:44:7): would go out",
        '     source  no = B1234 ← slots.order_no: "B1234" at 3..8',
        "",
        "      reply  depends on the answer of find_order",
    ]


def test_explain_takes_type_user_and_metadata(desk):
    done = desk.run(
        "explain", "desk", "--message", "x", "--type", "form", "--user", '{"locale": "zh"}', "--metadata", "{}"
    )
    assert done.output.splitlines()[-1] == "      reply  已记录。"


def test_explain_as_json_is_json_alone(desk):
    content = json.loads(desk.run("explain", "desk", "--message", "B1234", "--json").output)
    assert (content["version"], content["open_calls"], content["reply"]) == (1, ["find_order"], None)
    assert [rule["id"] for rule in content["rules"]] == ["form", "order"]


def test_explain_is_coloured_on_a_terminal_only(desk):
    words = ("explain", "desk", "--message", "hello")
    assert "\x1b[" not in desk.run(*words).output
    coloured = desk.run(*words, colour=True)
    assert "\x1b[33m●\x1b[0m" in coloured.output


def test_graph_is_mermaid_in_the_language_asked_for(desk):
    done = desk.run("graph", "desk", "--language", "zh")
    assert done.exit_code == 0
    assert done.output.startswith("flowchart TD\n")
    assert "请问订单。" in done.output
    assert "Ask about an order." in desk.run("graph", "desk").output


def test_plan_shows_the_plan_that_its_digest_is_of(desk):
    content = json.loads(desk.run("plan", "desk").output)
    assert content["plan"]["name"] == "desk"
    canonical = json.dumps(content["plan"], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    assert content["digest"] == hashlib.sha256(canonical.encode()).hexdigest()
    assert desk.run("plan", "desk", "--digest").output == content["digest"] + "\n"


def test_a_change_of_a_rule_changes_the_digest_and_a_comment_does_not(desk):
    path = desk.folder / "specs" / "desk" / "agent.yaml"
    before = desk.run("plan", "desk", "--digest").output
    path.write_text(path.read_text() + "# a remark\n")
    assert desk.run("plan", "desk", "--digest").output == before
    path.write_text(path.read_text().replace("Noted.", "Thanks."))
    assert desk.run("plan", "desk", "--digest").output != before


def test_schema_is_a_draft_07_schema_on_the_terminal_or_in_a_file(desk):
    done = desk.run("schema")
    jsonschema.Draft7Validator.check_schema(json.loads(done.output))
    assert desk.run("schema", "--output", "editor.json").output == ""
    assert (desk.folder / "editor.json").read_text(encoding="utf-8") == done.output


def test_a_file_that_cannot_be_written_is_told(desk):
    done = desk.run("schema", "--output", "no/such/folder.json")
    assert done.exit_code == 1
    assert done.output == "Error: cannot write no/such/folder.json: No such file or directory.\n"
