"""Reading what runs have begun: children of every kind and depth, each once, and no stranger's runs."""

import uuid
from textwrap import dedent

import pytest
from temporalio.client import Client, Interceptor, OutboundInterceptor
from temporalio.service import RPCError, RPCStatusCode

from interlock.authoring.auditing import Audit, Run
from interlock.client.errors import NoSuchSessionError
from interlock.client.procedures import Procedures, followed
from interlock.client.reading import with_begun
from tests.compiled import plans_in
from tests.workflows.runs import heard

pytestmark = pytest.mark.server

HEAD = "apiVersion: interlock/v1\nkind: {}\nname: {}\n"
TOP = """
input: {names: {type: list, items: {type: string}}}
steps:
  - for_each:
      items: "{{ input.names }}"
      as: name
      key: "{{ name }}"
      do: [{run: middle, with: {name: "{{ name }}"}}]
"""
MIDDLE = """
input: {name: {type: string}}
steps:
  - {run: bottom, id: one, with: {name: "{{ input.name }}"}}
  - {run: bottom, id: two, with: {name: "{{ input.name }}"}, catch: [{do: [{set: {failed: "yes"}}]}]}
"""
BOTTOM = """
input: {name: {type: string, pattern: '[A-Za-z]+'}}
tools:
  book:
    python: book
    effect: write
    idempotency: {argument: reference}
    input: {name: {type: string, from: input.name}}
    output: {booked: {type: string}}
    ensures: [{that: result.booked != ''}]
steps: [{call: book}]
"""
DESK = """
intents: {book: {keywords: [book]}}
slots: {name: {patterns: ['[a-z]{5}'], ask: Who?}}
mounts: [{run: middle}]
routes: [{when: intents.book, flow: book}, {flow: rest}]
flows:
  book: [{run: middle, with: {name: "{{ slots.name }}"}}, {reply: Booked.}]
  rest: [{reply: Hello.}]
"""


async def book(name, reference):
    return {"booked": f"{name} {reference}"}


@pytest.fixture
def plans(tmp_path):
    for name, text in {"top": TOP, "middle": MIDDLE, "bottom": BOTTOM}.items():
        (tmp_path / f"{name}.yaml").write_text(HEAD.format("Procedure", name) + dedent(text))
    (tmp_path / "desk.yaml").write_text(HEAD.format("Agent", "desk") + dedent(DESK))
    return dict(plans_in(tmp_path))


async def done(stage, run, names, spec="top"):
    """A run that has ended; its id."""
    client = await stage.plain()
    given = {"names": names} if spec == "top" else {"name": names[0]}
    handle = await client.start_workflow(spec, given, id=run, task_queue=stage.queue)
    await handle.result()
    return run


async def read(stage, *runs):
    """Id, spec and records of the runs and of what they have begun."""
    client = await stage.plain()
    return [(run, status["spec"], records) async for run, status, records in with_begun(client, stage.queue, runs)]


async def test_runs_of_any_depth_are_read_once_and_strangers_left_out(stage, plans):
    run = f"it's \\ {uuid.uuid4().hex[:8]}"
    async with stage.serving(*plans.values(), functions={"book": book}):
        await done(stage, run, ["ann", "bo"])
        await done(stage, f"{run}/alien", ["x"], "bottom")
        found = await read(stage, run, run, f"{run}/for_each[ann]/middle")
        inner = await read(stage, f"{run}/for_each[ann]/middle")
    ids = [one.removeprefix(run) for one, _, _ in found]
    under = [f"/for_each[{name}]/middle{end}" for name in ("ann", "bo") for end in ("", "/one", "/two")]
    assert (ids[0], sorted(ids[1:])) == ("", under)
    assert {spec for _, spec, _ in found} == {"top", "middle", "bottom"}
    assert sum(len(record["calls"]) for _, spec, records in found for record in records if "calls" in record) == 4
    assert sorted(one for one, _, _ in inner) == [f"{run}/for_each[ann]/middle{end}" for end in ("", "/one", "/two")]


async def test_an_audit_covers_what_was_begun_and_says_what_is_gone(stage, plans):
    run = f"top-{uuid.uuid4().hex[:8]}"
    async with stage.serving(*plans.values(), functions={"book": book}):
        await done(stage, run, ["ann"])
        audit = await audited(stage, plans, run)
        assert (dict(audit.of), audit.calls, audit.missing) == ({"top": 1, "middle": 1, "bottom": 2}, 2, [])
        assert all(share.complete for _, share in audit.shares())
        assert audit.write_arguments_with_provenance.whole == 2
        gone = f"{run}/for_each[ann]/middle/two"
        audit = await audited(stage, plans, run, without=gone)
        assert audit.missing == [f"bottom, run by {run}/for_each[ann]/middle at two"]
        with pytest.raises(NoSuchSessionError):
            await audited(stage, plans, gone, without=gone)


async def test_a_procedure_that_was_begun_and_never_opened_is_read_without_records(stage, plans):
    run = f"middle-{uuid.uuid4().hex[:8]}"
    async with stage.serving(*plans.values(), functions={"book": book}):
        client = await stage.plain()
        await client.start_workflow("middle", {"name": "7"}, id=run, task_queue=stage.queue)
        desk = Procedures(client, task_queue=stage.queue)
        [_ async for _ in followed(desk, run)]
        found = await read(stage, run)
        assert [(one, spec, len(records)) for one, spec, records in found[1:]] == [(f"{run}/one", "bottom", 0)]
        assert (await audited(stage, plans, run)).missing == []
        with pytest.raises(NoSuchSessionError):
            await read(stage, "nobody")


async def test_the_procedures_of_a_conversation_are_read_with_it(stage, plans, s1):
    async with stage.serving(*plans.values(), functions={"book": book}):
        talk = await stage.talk()
        queued = await talk.send("desk", s1, "book for anton", user={"id": "u"})
        assert queued["outcome"] == "queued"
        await heard(talk, s1)
        audit = await audited(stage, plans, f"desk:{s1}")
    assert (dict(audit.of), audit.missing) == ({"desk": 1, "middle": 1, "bottom": 2}, [])


async def audited(stage, plans, run, without=""):
    audit, client = Audit(), await Client.connect(stage.address, interceptors=[Without(without)])
    async for one, status, records in with_begun(client, stage.queue, [run]):
        audit.take(Run(one, status["spec"], status["run"], records), plans[status["spec"]])
    return audit


class Without(Interceptor):
    """A client's interceptor: the server lists a run that it has let go."""

    def __init__(self, run):
        self.run = run

    def intercept_client(self, inner):
        gone = self.run

        class Asking(OutboundInterceptor):
            async def query_workflow(self, asking):
                if asking.id == gone:
                    raise RPCError("gone", RPCStatusCode.NOT_FOUND, b"")
                return await super().query_workflow(asking)

        return Asking(super().intercept_client(inner))
