"""What a worker and its clients have traced, as trees of names."""

import json
from collections import Counter
from dataclasses import dataclass, field
from textwrap import dedent

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from interlock.compiler.compile import compile_folder
from interlock.telemetry.client_side import trace_with
from interlock.telemetry.exporting import Traces, traces_to


@dataclass
class Seen:
    """The spans of this process as they were exported."""

    exporter: InMemorySpanExporter = field(default_factory=InMemorySpanExporter)

    def traces(self) -> Traces:
        return traces_to(SimpleSpanProcessor(self.exporter))

    def all(self):
        return sorted(self.exporter.get_finished_spans(), key=lambda one: one.start_time)

    def named(self, name):
        return [one for one in self.all() if one.name == name]

    def trees(self):
        """Each trace as nested names, in the order of their beginnings; a span whose parent is missing is a root."""
        spans = self.all()
        ids = [one.context.span_id for one in spans]
        assert [one for one, times in Counter(ids).items() if times > 1] == []
        found = {}
        for one in spans:
            if one.parent is None or one.parent.span_id not in ids:
                found.setdefault(one.context.trace_id, []).append(self._tree(one, spans))
        return [tree for trees in found.values() for tree in trees]

    def _tree(self, root, spans):
        inner = [one for one in spans if one.parent and one.parent.span_id == root.context.span_id]
        assert {one.context.trace_id for one in inner} <= {root.context.trace_id}
        return {root.name: [self._tree(one, spans) for one in inner]} if inner else root.name

    def text(self):
        """All that would go out."""
        return json.dumps([json.loads(one.to_json()) for one in self.all()], ensure_ascii=False)


@pytest.fixture
def seen():
    return Seen()


@pytest.fixture
def traces(seen):
    """The traces of a worker and of clients in this process."""
    made = seen.traces()
    trace_with(made.tracer)
    yield made
    made.close()


@pytest.fixture
def compiled(tmp_path):
    """Plans by name, from specs by name."""

    def compile_them(**specs):
        folder = tmp_path / f"specs{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        for name, text in specs.items():
            (folder / f"{name}.yaml").write_text(f"apiVersion: interlock/v1\n{dedent(text)}", encoding="utf-8")
        found = compile_folder(folder)
        assert [str(one) for one in found.diagnostics if one.severity == "error"] == []
        return found.plans

    return compile_them
