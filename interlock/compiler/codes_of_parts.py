"""Codes for names, texts, words, fields, tools, conditions and tables."""

from interlock.compiler.meaning import Meaning

PARTS = {
    "unknown-target": Meaning(
        "a name that nothing is declared under",
        "Declare it under the plural the message names, correct the spelling, or take in the Library that "
        "declares it with `uses`.",
    ),
    "duplicate-name": Meaning(
        "two parts of one kind have the same name",
        "Among all that one spec can see, its own parts and those of its Libraries, a name is declared once. "
        "Only `config` may be overridden, and `intents` with `merge`. A model names tools, procedures and the "
        "retrievers that it may search alike, so no two of them have one name. Rename one of the two.",
    ),
    "duplicate-spec": Meaning(
        "two specs have the same name",
        "A spec is started by its name. In one bundle every spec has a name of its own; Agents and Procedures have one "
        "among all bundles that are checked, and served, together. Rename one of them.",
    ),
    "duplicate-id": Meaning(
        "two items have the same `id`",
        "An id names one gate, route, step or case. A route's default id is its flow, a call's default id its "
        "tool: give a second one an `id` of its own.",
    ),
    "reserved-name": Meaning(
        "a part has a name that means something else",
        "`respond: none` says on purpose that nothing is said. Choose another name.",
    ),
    "unknown-library": Meaning(
        "a Library that is not there",
        "`uses` names Libraries of this bundle by name, those of another as `folder/name`.",
    ),
    "unknown-bundle": Meaning(
        "a bundle that is not there",
        "In `folder/name`, the folder stands beside this bundle's folder.",
    ),
    "not-a-library": Meaning(
        "`uses` names something that is no Library",
        "Move what is shared to a spec of `kind: Library`.",
    ),
    "broken-library": Meaning(
        "a Library of another bundle has errors",
        "Check that bundle first; its mistakes are told there.",
    ),
    "library-circle": Meaning(
        "Libraries that use each other",
        "Move what both need to a third Library.",
    ),
    "override-type": Meaning(
        "a `config` value is overridden by one of another type",
        "An override keeps the type that the Library declared.",
    ),
    "nothing-to-merge": Meaning(
        "`merge` without an intent to merge with",
        "No Library declares an intent of that name. Leave `merge` out.",
    ),
    "language-missing": Meaning(
        "a text lacks a language",
        "Every text that is written per language has all `languages` of its spec.",
    ),
    "unknown-language": Meaning(
        "a text or a run in a language the spec does not have",
        "Add the language to `languages`, or correct its code.",
    ),
    "undeclared-languages": Meaning(
        "a text per language in a spec without `languages`",
        "Declare `languages: [zh, en]`; the first is the fallback.",
    ),
    "duplicate-language": Meaning(
        "a language stands twice",
        "Take one out.",
    ),
    "library-language": Meaning(
        "a Library lacks a language that an Agent speaks",
        "Its texts would be silent in that language. Translate the Library, or leave the language out of the Agent.",
    ),
    "untranslated": Meaning(
        "one text for several languages (a warning)",
        "A plain string is the same in all languages: right for codes and names, a trap for sentences. Write "
        "a map: `{zh: …, en: …}`.",
    ),
    "template-not-here": Meaning(
        "a template where a constant is due",
        "Constants of `config` and defaults of fields are not computed. Compute the value where it is used.",
    ),
    "bad-pattern": Meaning(
        "a pattern that RE2 refuses",
        "Patterns are RE2: no look-around, no back-references. The message says what is in the way, the hint "
        "how to say it otherwise.",
    ),
    "duplicate-pattern": Meaning(
        "a pattern stands twice (a warning)",
        "Take one out.",
    ),
    "same-pattern": Meaning(
        "two slots find the same values (a warning)",
        "Nothing tells payer and payee apart when both have one pattern. Give both `labels`, the words that "
        "stand beside the value; or take one of the two from a cell.",
    ),
    "assumed-identifier": Meaning(
        "an identifier that is filled in",
        "An identifier reaches a tool only as it stands in the user's words or in a receipt. Ask for it.",
    ),
    "fails-its-check": Meaning(
        "a value that is filled in and does not pass a check of its slot",
        "`checks` say what a valid value is, whoever gives it. A computed value that does not pass is not filled in, "
        "and the person is asked.",
    ),
    "unknown-extractor": Meaning(
        "an extractor that is not there",
        "Built in are date, number, amount, integer, range, email, url and quote; others come as plug-ins by "
        "the entry point `interlock.extractors`.",
    ),
    "unknown-code": Meaning(
        "a value that is no code of the slot's vocabulary",
        "A slot with a vocabulary holds one of its codes, not an alias.",
    ),
    "unfindable-phrase": Meaning(
        "a phrase that can never be found",
        "The message says why: it holds nothing that is looked at, say. Change it or take it out.",
    ),
    "duplicate-phrase": Meaning(
        "a phrase stands twice in a vocabulary (a warning)",
        "Take one out. Case makes no difference.",
    ),
    "ambiguous-phrase": Meaning(
        "one phrase means two codes of a vocabulary",
        "The longest phrase wins, but here both are the same. Take it out of one code.",
    ),
    "second-title": Meaning(
        "two titles of one code in a CSV file",
        "Rows of one code are one term. Write its title in one of them, and leave it empty in the others.",
    ),
    "never-asked": Meaning(
        "a question that is never asked",
        "`ask` is never asked of a slot that a `default` fills in; `clarify` never of a slot that takes several "
        "values; neither, nor `options`, where no step collects the slot and no call needs it.",
    ),
    "key-without-effect": Meaning(
        "a key that does nothing where it stands",
        "Every key changes something or is an error. Take it out, or write what it needs beside it.",
    ),
    "not-storable": Meaning(
        "a value that cannot stay outside the run",
        "`stored` keeps what a tool answers in the worker's store, and passes a reference on. It stands on a field "
        "of a tool's `output` or `input`, or of a Procedure's `input`, not inside of one; over HTTP such a value "
        "travels in a body. It has no default.",
    ),
    "unknown-format": Meaning(
        "a `format` that is not checked",
        "Known are date, date-time, email, ipv4, ipv6, time, uri and uuid. For anything else use `pattern`.",
    ),
    "unknown-timezone": Meaning(
        "a time zone that is not there",
        "Use a name of the IANA database, such as `Asia/Shanghai`.",
    ),
    "bad-schema": Meaning(
        "a `schema` that is no JSON Schema, or refers outside itself",
        "Fields say most of it without a schema. `$ref` may only point into the schema itself: `#/…`.",
    ),
    "empty-range": Meaning(
        "bounds that no value keeps",
        "`min` is above `max`. Exchange them.",
    ),
    "type-mismatch": Meaning(
        "a value of the wrong type",
        "Write a value of the type that is declared, or convert it with a filter: `| number`, `| string`, `| date`.",
    ),
    "misfit": Meaning(
        "a written value that is not as its field says",
        "`enum`, `pattern`, `format`, `min`, `max`, `max_length` and `schema` count for what is written in a spec as "
        "for what comes in a run. Write another value, or declare the field otherwise.",
    ),
    "unknown-path": Meaning(
        "a path that is not in the declared `output`",
        "Only declared fields of a result may be read. Add the field to `output`, or correct the path.",
    ),
    "unknown-argument": Meaning(
        "an argument that a tool does not have",
        "Correct the name, or declare the argument under the tool's `input`.",
    ),
    "not-caller": Meaning(
        "`with` binds an argument that has its own source",
        "`with` binds arguments with `from: caller` and no others. Say `from: caller` at the tool, or leave "
        "the binding out.",
    ),
    "unbound-argument": Meaning(
        "nothing gives a required `caller` argument a value",
        "Bind it with `with` at the mount or at the call.",
    ),
    "identifier-from-prose": Meaning(
        "an identifier, number or date is taken from free text",
        "An identifier is never the whole message: take it from a slot, which finds it in the words and keeps "
        "where it stood. What an error says and the titles that `show` gives are written for people.",
    ),
    "optional-in-path": Meaning(
        "an optional argument stands in the path of the URL",
        "A path with a hole is another path. Make the argument required, or send it as a query parameter.",
    ),
    "not-in-path": Meaning(
        "`in` and the path of the URL do not agree",
        "What stands as `{name}` in the path travels there, and nothing else does.",
    ),
    "no-body": Meaning(
        "an argument is sent in the body of a GET or DELETE",
        "Such a request has no body. Send it as `query` or `header`.",
    ),
    "same-wire-name": Meaning(
        "two arguments are sent under one name",
        "Give one another `send_as`.",
    ),
    "reserved-header": Meaning(
        "a header that is the client's own",
        "`Host`, `Content-Length`, `Content-Type`, `Transfer-Encoding`, `Connection` and their like say where a "
        "request goes, how it is framed and how it travels. The client writes them itself.",
    ),
    "bad-address": Meaning(
        "an address of a server that is none",
        "Write a URL with `http://` or `https://`, without user, query or fragment; for a database "
        "`sqlite:///file` within the data folder or `postgresql://host/database`; or take it from the "
        'environment: `"{{ env.X }}"`.',
    ),
    "plain-secret": Meaning(
        "a credential stands in the spec",
        'Specs are read by many. Write `"{{ secrets.X }}"`; it is looked up in the worker\'s environment and '
        "nowhere else. What the program of an MCP server finds in its environment is written the same way.",
    ),
    "identifier-from-model": Meaning(
        "an identifier, number or date that a model would make up",
        "A model writes texts. What names a thing, counts or dates it comes from the user's words, a receipt, the "
        "session or the spec. What a `generate` step wrote is followed through variables, tables, loops and the "
        "procedures that are run. It may choose a way, by a `switch` or a table of yours.",
    ),
    "unbounded-proposal": Meaning(
        "a text of a model without a bound",
        "What a model proposes is a `string` with a `max_length`.",
    ),
    "nobody-proposes": Meaning(
        "an argument `from: model` where no model chooses the call",
        "Only the step `act` asks a model for arguments. Let it choose the tool, or let the argument come from "
        "elsewhere.",
    ),
    "no-server": Meaning(
        "a tool over HTTP, SQL or MCP without a server",
        "Declare one under `servers`.",
    ),
    "wrong-server": Meaning(
        "a tool names a server that speaks something else",
        "A tool with `http` needs a server with `http`, one with `sql` a server with `sql`, one with `mcp` a server "
        "with `mcp`.",
    ),
    "no-user": Meaning(
        "a PostgreSQL server without `auth`",
        'Say as whom it is called: `auth: {basic: "{{ secrets.X }}"}`, of the form `user:password`.',
    ),
    "bad-sql": Meaning(
        "a statement that cannot be read, or that no tool can be",
        "One statement that reads (`SELECT`, `WITH`, `VALUES`) or changes rows, its arguments written `:name`. Tables "
        "are made and altered elsewhere.",
    ),
    "several-statements": Meaning(
        "more than one statement in a tool",
        "A tool sends one. What belongs together is one `WITH`, or a function of the database.",
    ),
    "sql-template": Meaning(
        "a template in a statement",
        "A value never becomes part of a statement's text: write `:name` and declare the argument under `input`.",
    ),
    "not-a-query": Meaning(
        "a tool that says it only reads, with a statement that does not begin like it",
        "Say `effect: write`, or write a statement that begins with `SELECT`, `WITH` or `VALUES`. It runs in a "
        "read-only transaction either way.",
    ),
    "read-only-server": Meaning(
        "a tool that writes into a database that is only read",
        "A server with `sql` is read-only unless it says `read_only: false`.",
    ),
    "unused-argument": Meaning(
        "an argument that the statement does not use",
        "Write `:name` in the statement, or take the argument out.",
    ),
    "ambiguous-server": Meaning(
        "several servers could answer a tool",
        "Say `server:` at the tool.",
    ),
    "doubtful-effect": Meaning(
        "a POST, PUT, PATCH or DELETE that says it only reads, or a GET that says it writes (a warning)",
        "A call that may be repeated must change nothing. Some services search by POST: then all is well. What "
        "writes by GET may be repeated by whatever stands between.",
    ),
    "invalidates-itself": Meaning(
        "a call that makes its own cells stale",
        "It would throw away what it has just read. Leave the tool out of its own `invalidates`.",
    ),
    "empty-duration": Meaning(
        "a duration of nothing",
        "Write a positive duration: `500ms`, `30s`, `20m`, `4h`, `7d`.",
    ),
    "circle": Meaning(
        "conditions, tables or tools that need themselves first",
        "Each needs the other's value first. Break the circle.",
    ),
    "reads-here": Meaning(
        "a condition that calls a tool is used where nothing may be called",
        "Gates, routes, texts and values are computed without a call. Use the condition in the `when` of a "
        "step, in `requires`, `ensures` or another condition.",
    ),
    "no-args-here": Meaning(
        "a condition or table that reads `args` is used where no call is about to be made",
        "Use it in `requires` or `ensures` of a tool.",
    ),
    "table-cell": Meaning(
        "a cell of a decision table that cannot be read",
        'A cell is a literal, a list (any of), `"< 5"`, `"[1..5)"` or a template; quote what begins with a sign.',
    ),
    "table-column-unused": Meaning(
        "a column that no row looks at (a warning or error by the message)",
        "Take the column out, or fill in its cells.",
    ),
    "table-duplicate-row": Meaning(
        "two rows with the same cells",
        "Only one of them can ever count. Take one out.",
    ),
    "table-empty-range": Meaning(
        "a range that holds no value",
        "Exchange the bounds, or include them: `[1..5]`.",
    ),
    "table-gap": Meaning(
        "inputs for which no row hits (a warning)",
        "The outputs are then none. Add a row without cells at the end for all the rest, if that is not meant.",
    ),
    "table-no-priority": Meaning(
        "`hit: priority` without an order of outputs",
        "The first output needs an `enum`, whose order is the priority.",
    ),
    "table-not-checked": Meaning(
        "a table too large or too open to be checked for gaps and overlaps (a warning)",
        "Give the columns an `enum` or bounds; cells with templates count as unknown.",
    ),
    "table-output-missing": Meaning(
        "a row without a value for an output",
        "Write the output, or make it `optional`.",
    ),
    "table-output-type": Meaning(
        "an output value of the wrong type",
        "Write a value of the column's type.",
    ),
    "table-outside-enum": Meaning(
        "a cell that is not in the column's `enum`",
        "Correct the value, or add it to `enum`.",
    ),
    "table-overlap": Meaning(
        "two rows that hit the same inputs, where the hit policy allows only one",
        "Narrow one of the rows, or use `hit: first`.",
    ),
    "table-unreachable-row": Meaning(
        "a row that can never hit",
        "Earlier rows take all its inputs. Move it up, or take it out.",
    ),
    "not-in-suite": Meaning(
        "something in a Suite that does not suit what it tests",
        "A Suite of an Agent opens sessions and writes messages; one of a Procedure starts runs with `input`, sends "
        "events with `receive`, and looks at `result`, `failure` and `undone`.",
    ),
    "model-not-allowed": Meaning(
        "a case of a Suite names a model where the Agent lets nobody name one",
        "Write `model_override` at the Agent: `session` lets whoever opens a session name the one model, `message` "
        "each message too. Or leave `model` out.",
    ),
    "no-stub": Meaning(
        "every case calls a tool that no stub answers",
        "A Suite calls no service. Say under `stubs` what the tool answers, or with `outcome` how it fails.",
    ),
}
