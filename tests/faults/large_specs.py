"""Specs of half a megabyte: of one thing each, and of things that use one another, where cost may grow faster than size."""

SIZE = 512 * 1024

HEAD = "apiVersion: interlock/v1\nkind: Agent\nname: big\nlanguages: [en]\nroutes:\n  - {id: all, flow: all}\nflows:\n  all:\n    - reply: hello\n"


def filled(line, share=1.0):
    """Lines, numbered, up to the size or to a share of it."""
    lines, size, number = [], 0, 0
    while size < (SIZE - len(HEAD) - 300) * share:
        lines.append(line.format(n=number))
        size, number = size + len(lines[-1].encode()) + 1, number + 1
    return "\n".join(lines) + "\n"


TABLE = "decisions:\n  d:\n    hit: first\n    inputs:\n      x: {type: string, value: '{{ message.text }}'}\n    outputs:\n      y: {type: string, enum: [a]}\n    rules:\n"  # fmt: skip
RANGES = TABLE.replace("{type: string, value: '{{ message.text }}'}", "{type: integer, value: 1}")

PLAIN = "apiVersion: interlock/v1\nkind: Agent\nname: big\nlanguages: [en]\nroutes: [{id: r, flow: f}]\n"
SERVER = "servers: {s: {http: 'https://s.example'}}\n"
READ = "http: GET /x, effect: read, output: {r: {type: string}}"
TOOL = SERVER + "tools: {t: {" + READ + "}}\nmounts: [{call: t}]\n"
STEPS = PLAIN + TOOL + "flows:\n  f:\n"
WIDE = "decisions:\n  d:\n    hit: first\n    outputs: {y: {type: string}}\n    inputs:\n"


def size_cases():
    """All of them, by name."""
    return of_one_thing() | of_steps() | of_names() | of_tables()


def of_one_thing():
    """Half a megabyte of one thing each."""
    block = "{% if x %}" * 4_000
    return {
        "unknown keys": HEAD + filled("key{n}: 1"),
        "slots": HEAD + "slots:\n" + filled("  s{n}: {{patterns: ['\\bX{n}\\d+\\b'], ask: Which?}}"),
        "broken patterns": HEAD + "slots:\n" + filled("  s{n}: {{patterns: ['(?<=x)(({n}'], ask: Which?}}"),
        "intents": HEAD + "intents:\n" + filled("  i{n}: {{keywords: [word {n}, 词{n}]}}"),
        "gates": HEAD + "gates:\n" + filled("  - {{id: g{n}, when: message.text == '{n}', reply: hi}}"),
        "broken gates": HEAD + "gates:\n" + filled("  - {{id: g, when: mesage.txt = '{n}', rply: hi}}"),
        "routes": HEAD.replace("flows:", filled("  - {{id: r{n}, when: nothing.x{n}, flow: nowhere}}") + "flows:"),
        "flows": HEAD + filled("  f{n}: [{{reply: hi}}]"),
        "circles": HEAD + filled("  f{n}: [{{flow: f{n}0}}]"),
        "steps": HEAD + filled("    - reply: '{{{{ message.text }}}} {n}'"),
        "vocabulary": HEAD + "vocabularies:\n  v:\n    words:\n" + filled("      - phrase number {n}"),
        "terms": HEAD + "vocabularies:\n  v:\n    terms:\n" + filled("      T{n}: {{aliases: [alias {n}]}}"),
        "one long text": HEAD + "config:\n  x: " + "word " * 100_000 + "\n",
        "one long line": HEAD.replace("reply: hello", "reply: '" + "{{ message.text }}" * 28_000 + "'"),
        "blocks": HEAD.replace("reply: hello", f"reply: '{block}'"),
        "nesting": "a:\n" + "".join(" " * n + "b:\n" for n in range(1, 900)),
        "flow nesting": HEAD + "config:\n  x: " + "[" * 250_000 + "\n",
        "braces": HEAD + "config:\n  x: " + "{a: " * 120_000 + "\n",
        "quotes": HEAD + "config:\n  x: " + '"' * 500_000 + "\n",
        "dashes": "- " * 250_000,
        "colons": ": " * 250_000,
        "tabs": "\t" * 500_000,
        "anchors": filled("k{n}: &a{n} [*a{n}]"),
        "duplicate keys": HEAD + filled("name: x{n}"),
        "numbers": HEAD + "config:\n" + filled("  k{n}: 0{n}"),
        "table": HEAD + TABLE + filled("      - {{x: 'v{n}', y: a}}"),
        "table of ranges": HEAD + RANGES + filled("      - {{x: '[{n}..{n}0)', y: a}}"),
        "comments": HEAD + filled("# {n}"),
        "not UTF-8": b"\xff\xfe" * (SIZE // 2),
        "zeros": b"\0" * SIZE,
    }


def of_steps():
    """Flows with very many ways through them, and steps that each look back at the others."""
    once = "".join(f"  f{n}: [{{flow: f{n + 1}}}]\n" for n in range(10_000)) + "  f10000: [{reply: hi}]\n"
    twice = "".join(f"  f{n}: [{{flow: f{n + 1}}}, {{flow: f{n + 1}}}]\n" for n in range(60)) + "  f60: [{reply: hi}]\n"
    asked = "".join(f"    - {{reply: hi, when: steps.c{n}.result is defined}}\n" for n in range(60))
    called = "".join(
        f"    - {{id: c{n}, call: t, when: message.text == 'x', catch: [{{do: []}}]}}\n" for n in range(60)
    )
    reply = "    - reply: hi\n"
    return {
        "flows that run one another": PLAIN.replace("flow: f", "flow: f0") + "flows:\n" + once,
        "flows that run one another twice": PLAIN.replace("flow: f", "flow: f0") + "flows:\n" + twice,
        "results that may be there": STEPS + called.replace(", catch: [{do: []}]", "") + asked + reply,
        "calls": STEPS + filled("    - {{id: c{n}, call: t}}", 0.98) + reply,
        "caught calls": STEPS + filled("    - {{id: c{n}, call: t, catch: [{{do: [{{reply: x}}]}}]}}", 0.98) + reply,
        "results in texts": STEPS + "    - call: t\n" + filled("    - reply: '{{{{ steps.t.result.r }}}} {n}'", 0.98),
        "switches": STEPS + filled("    - switch: [{{when: message.text == '{n}', do: [{{reply: a}}]}}, {{do: [{{reply: b}}]}}]", 0.98),
        "collected": PLAIN + "slots:\n" + filled("  s{n}: {{patterns: ['X{n}'], ask: a}}", 0.5) + "flows:\n  f:\n"
        + "".join(f"    - collect: [s{n}]\n" for n in range(5_000)) + reply,
        "collected at once": PLAIN + "slots:\n" + filled("  s{n}: {{patterns: ['X{n}'], ask: a}}", 0.5) + "flows:\n  f:\n    - collect: ["
        + ", ".join(f"s{n}" for n in range(5_000)) + "]\n" + reply,
        "calls that gates skip": STEPS + filled("    - {{id: c{n}, call: t}}", 0.4) + reply + "gates:\n"
        + filled("  - {{id: g{n}, when: message.text == '{n}', skip: [t]}}", 0.5),
        "direct answers": STEPS + "    - call: t\n" + "".join(f"    - respond: r{n}\n" for n in range(5_000)) + "responses:\n"
        + filled("  r{n}: {{text: '{{{{ result.r }}}}'}}", 0.5),
    }  # fmt: skip


def of_names():
    """Parts that name one another."""
    chain = "".join(f"  c{n}: {{that: conditions.c{n + 1} and args.a{n} == 'x'}}\n" for n in range(8_000))
    ring = "".join(f"  c{n}: {{that: conditions.c{(n + 1) % 8_000}}}\n" for n in range(8_000))
    last = "  c8000: {that: message.text == 'x'}\n"
    tools = "".join(
        f"  t{n}: {{{READ}, requires: [{{call: t{n + 1}, that: result.r == 'a'}}]}}\n" for n in range(3_900)
    )
    mounted = "".join(f"  - {{call: t{n}}}\n" for n in range(3_000))
    return {
        "conditions in a chain": HEAD + "conditions:\n" + chain + last,
        "conditions in a ring": HEAD + "conditions:\n" + ring,
        "tools in a chain": HEAD + SERVER + "tools:\n" + tools + f"  t3900: {{{READ}}}\n",
        "mounts": PLAIN + SERVER + "tools:\n" + "".join(f"  t{n}: {{{READ}}}\n" for n in range(3_000)) + f"mounts:\n{mounted}flows:\n  f:\n"
        + mounted.replace("  -", "    -") + "    - reply: hi\n",
        "patterns": HEAD + "slots:\n  s: {ask: a, patterns: [" + filled("'X{n}',", 0.98) + "]}\n",
        "languages": HEAD.replace("[en]", "[" + "en, " * 90_000 + "]"),
        "commented parts": HEAD + "slots:\n" + filled("  s{n}: {{patterns: [a], ask: hi}} # x"),
        "templates": HEAD + filled("    - reply: '{{{{ message.text | upper | lower | trim | length }}}}{{{{ message.id }}}} {n}'"),
    }  # fmt: skip


def of_tables():
    """Tables of many columns, many values, and many tables."""
    columns = "".join(f"      x{n}: {{type: integer, value: 1}}\n" for n in range(300))
    ranges = [{f"x{(row * 7 + n * 13) % 300}": f"[{row}..{row + n + 3}]" for n in range(30)} for row in range(700)]
    rows = "".join(
        "      - {" + ", ".join(f"{name}: '{cell}'" for name, cell in row.items()) + ", y: a}\n" for row in ranges
    )
    enum = "enum: [" + ", ".join(f"a{n}" for n in range(3_000)) + "]"
    one = "  d{n}: {{hit: first, inputs: {{x: {{type: string, value: a}}}}, outputs: {{y: {{type: string}}}}, rules: [{{x: a, y: b}}, {{y: c}}]}}"
    return {
        "table of columns": HEAD + WIDE + columns + "    rules:\n" + rows,
        "table of values": HEAD + TABLE.replace("enum: [a]", enum) + "".join(f"      - {{x: v{n}, y: a{n % 3_000}}}\n" for n in range(10_000)),
        "tables": HEAD + "decisions:\n" + filled(one, 0.99),
        "table of lists": HEAD + TABLE + filled("      - {{x: [v{n}, w{n}, x{n}, y{n}], y: a}}"),
    }  # fmt: skip
