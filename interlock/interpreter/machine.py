"""The pure machine of a session: events in, commands out, one state. It knows no time but that of its events."""

from dataclasses import dataclass, field

from interlock.contract.calls import RULES
from interlock.interpreter import background, record
from interlock.interpreter.commands import Changed, Command, Reply, Said
from interlock.interpreter.deliveries import Deliveries, digest_of
from interlock.interpreter.events import (
    Ended,
    Event,
    MessageReceived,
    PersonActed,
    ProcedureEnded,
    TimerFired,
)
from interlock.interpreter.lifecycle import Effect, Happening, happening_of, transition
from interlock.interpreter.masking import of_message, text_of, text_to_keep, without_secrets
from interlock.interpreter.opening import InvalidMessage, metadata_of, opened
from interlock.interpreter.pipeline import answer
from interlock.interpreter.program import Program
from interlock.interpreter.reading import read
from interlock.interpreter.replies import Answer, Outcome, Source, body, plain_body
from interlock.interpreter.roots import new_turn
from interlock.interpreter.slots import keep
from interlock.interpreter.stages import Stages
from interlock.interpreter.state import Json, State
from interlock.interpreter.texts import chosen_language, engine_text
from interlock.interpreter.trusted import trusted_entry
from interlock.interpreter.turn import Calling, Turn
from interlock.text.hits import mask

__all__ = ["InvalidMessage", "Machine", "opened"]

OUTBOX_KEPT = 1_000

UNANSWERED: dict[Effect, tuple[Outcome, Source]] = {
    "handed_off": ("handed_off", "human"),
    "relayed": ("answer", "human"),
    "recorded": ("empty", "empty"),
    "closed": ("closed", "empty"),
}
"""What a message that no rule is asked about comes to."""


@dataclass(slots=True)
class _Running:
    """A turn in progress: its generator, what it waits for, and the ends as far as they are there.

    `vars` are those of the flow that waits meanwhile, where a turn goes on after a procedure.
    """

    turn: Turn
    digest: str
    calling: Calling[Answer]
    before: str
    vars: Json | None = None
    wanted: list[str] = field(default_factory=list)
    ends: dict[str, Ended] = field(default_factory=dict)


class Machine:
    """One session under one program. `state` is changed in place; between two turns it is all there is.

    `rules` are those that the run goes by: a history is replayed by those that it was made by.
    """

    def __init__(self, program: Program, state: State, rules: int = RULES) -> None:
        self.program = program
        self.state = state
        self._rules = rules
        self._deliveries = Deliveries(state)
        self._running: _Running | None = None
        self.stages = Stages()
        """What the last turn has gone through."""
        self.said = ""
        """What the last turn has answered, as the transcript has it."""

    @property
    def in_turn(self) -> bool:
        """Whether a turn waits for its tools."""
        return self._running is not None

    def handle(self, event: Event) -> list[Command]:
        """What follows from `event`. Raises InvalidMessage, and changes nothing, if a message does not fit."""
        if isinstance(event, Ended):
            return self._came(event)
        if isinstance(event, PersonActed):
            return self._happened(event.event, event.by, event.now_ms)
        if isinstance(event, ProcedureEnded):
            background.ended(self.state, event)
            return []
        if self._running is not None:
            raise RuntimeError(f"{type(event).__name__} in the middle of a turn")
        if isinstance(event, TimerFired):
            return self._idle(event)
        return self._message(event)

    # -- messages -----------------------------------------------------------------------------------------------------

    def _message(self, message: MessageReceived) -> list[Command]:
        digest = digest_of(message)
        delivery, entry = self._deliveries.find(message, digest)
        if delivery != "new":
            return [Reply(message.id, self._delivered_before(delivery, entry))]
        happening = happening_of(message.role)
        metadata = metadata_of(self.program, message) if happening == "user" else message.metadata
        self.state.turn += 1
        self.state.last_ms = message.now_ms
        _, effect = transition(self.state.status, happening)
        if effect != "pipeline":
            return self._unanswered(message, digest, effect)
        turn = new_turn(self.program, self.state, message, metadata)
        turn.rules = self._rules
        self._running = _Running(turn, digest, answer(turn), self.state.status)
        return self._advance(self._running, None)

    def _delivered_before(self, delivery: str, entry: Json) -> Json:
        if delivery == "repeated" and entry["reply"] is not None:
            reply: Json = entry["reply"]
            return reply
        outcome: Outcome = "conflict" if delivery == "conflict" else "empty"
        reply = plain_body(self.state, outcome, reason="" if delivery == "conflict" else "reply_no_longer_held")
        reply["turn"] = entry["turn"]
        reply["record_id"] = f"{self.state.run_id}/{entry['turn']}"
        return reply

    def _unanswered(self, message: MessageReceived, digest: str, effect: Effect) -> list[Command]:
        """A message for a colleague, from a colleague, to be kept only, or to a closed session."""
        state = self.state
        outcome, source = UNANSWERED[effect]
        text = message.text if effect == "relayed" else ""
        secrets = of_message(self.program, state, message)
        if effect == "closed":
            language = chosen_language(self.program.plan.languages, state.user.get("locale"), message.text)
            text = engine_text(self.program, language, "closed")
        else:
            words = text_of(self.program, message, secrets)
            record.said(state, message.role, words, message.now_ms, self.program.plan.session.history)
        if effect == "relayed":
            self._put_out(message.text, message.role, message.now_ms)
        if effect == "handed_off":
            self._trust(self._overheard(message))
        reply = plain_body(state, outcome, text)
        record.keep(state, record.plain(self.program, state, message, secrets, outcome, source, effect))
        self._deliveries.keep(message, digest, reply)
        changed: list[Command] = [Changed(state.status)] if effect == "relayed" else []
        return [Reply(message.id, reply), *changed]

    def _overheard(self, message: MessageReceived) -> Json:
        """What trusted history keeps of a message for a colleague, read as any other without what a screen finds."""
        turn = new_turn(self.program, self.state, message, message.metadata)
        hits = self.program.screens.scan(message.text)
        turn.text = mask(message.text, [hit for found in hits.values() for hit in found])
        read(turn)
        entry = trusted_entry(turn)
        turn.context.close()
        return entry

    def _put_out(self, text: str, role: str, now_ms: int) -> None:
        state = self.state
        state.outbox_number += 1
        state.outbox.append({"number": state.outbox_number, "text": text, "role": role, "at_ms": now_ms})
        del state.outbox[:-OUTBOX_KEPT]

    def _trust(self, entry: Json) -> None:
        self.state.messages.append(entry)
        window = self.program.plan.trusted_messages
        self.state.messages = self.state.messages[-window:] if window else []

    # -- turns --------------------------------------------------------------------------------------------------------

    def _came(self, end: Ended) -> list[Command]:
        running = self._running
        if running is None or end.call_id not in running.wanted or end.call_id in running.ends:
            raise RuntimeError(f"no turn waits for call {end.call_id!r}")
        running.ends[end.call_id] = end
        running.turn.now_ms = max(running.turn.now_ms, end.now_ms)
        if len(running.ends) < len(running.wanted):
            return []
        ends = [running.ends[call_id] for call_id in running.wanted]
        running.wanted, running.ends = [], {}
        return self._advance(running, ends)

    def resume(self, now_ms: int) -> list[Command]:
        """Let a flow go on whose procedure has ended; nothing, if there is none or a turn is in progress."""
        child = background.next_to_resume(self.state)
        if not child or self._running is not None:
            return []
        state = self.state
        state.turn += 1
        state.last_ms = max(state.last_ms, now_ms)
        before, state.vars = state.vars, dict(state.background[child]["vars"])
        turn, calling = background.resumed(self.program, state, child, now_ms)
        turn.rules = self._rules
        self._running = _Running(turn, "", calling, state.status, before)
        return self._advance(self._running, None)

    def _advance(self, running: _Running, ends: list[Ended] | None) -> list[Command]:
        turn = running.turn
        self.stages = turn.stages
        try:
            commands = next(running.calling) if ends is None else running.calling.send(ends)
        except StopIteration as stop:
            return self._ended(running, stop.value)
        except BaseException:
            self._running = None
            raise
        if turn.interrupted:
            running.calling.close()
            return self._ended(running, Answer(turn.interrupted))
        running.wanted = [command.call_id for command in commands]
        return [*commands]

    def _ended(self, running: _Running, found: Answer) -> list[Command]:
        self._running = None
        turn, state = running.turn, self.state
        if turn.interrupted:
            found = Answer(turn.interrupted, source="human" if turn.interrupted == "handed_off" else "empty")
            state.flow = None
            turn.notes, turn.options = [], []
        if not turn.read and not turn.screened:
            read(turn)
        keep(turn)
        if turn.resumed:
            return self._ended_later(running, found)
        if state.flow is None:
            state.vars = {}
        self._trust(trusted_entry(turn))
        kept, text = self.program.plan.session.history, text_to_keep(turn)
        record.said(state, turn.message.role, text, turn.message.now_ms, kept)
        state.last_ms = max(state.last_ms, turn.now_ms)
        reply = body(turn, found)
        self._says(turn, reply["text"])
        record.keep(state, record.of_turn(turn, found, reply))
        self._deliveries.keep(turn.message, running.digest, reply)
        turn.context.close()
        return [Reply(turn.message.id, reply), *turn.begun, *self._changed(running)]

    def _ended_later(self, running: _Running, found: Answer) -> list[Command]:
        """The end of a turn that no message began: what it says goes to the outbox."""
        turn, state = running.turn, self.state
        asks = state.flow is not None and state.flow["turn"] == state.turn
        if not asks:
            state.vars = running.vars if running.vars is not None else {}
        reply = body(turn, found)
        if reply["text"]:
            self._put_out(reply["text"], "assistant", turn.now_ms)
        self._says(turn, reply["text"])
        record.keep(state, record.of_turn(turn, found, reply))
        turn.context.close()
        return [Said(reply), *turn.begun, Changed(state.status)]

    def _says(self, turn: Turn, text: str) -> None:
        """Add what is answered to the transcript, without what is sensitive."""
        self.said = without_secrets(turn, text)
        if text:
            record.said(self.state, "assistant", self.said, turn.now_ms, self.program.plan.session.history)

    def _changed(self, running: _Running) -> list[Command]:
        return [Changed(self.state.status)] if self.state.status != running.before else []

    # -- other events -------------------------------------------------------------------------------------------------

    def _idle(self, event: TimerFired) -> list[Command]:
        due = self.state.last_ms + self.program.plan.session.idle_timeout_ms
        return self._happened("idle", "", event.now_ms) if event.now_ms >= due else []

    def _happened(self, happening: Happening, by: str, now_ms: int) -> list[Command]:
        state = self.state
        state.status, effect = transition(state.status, happening)
        if self._running is None:
            state.turn += 1
            state.last_ms = now_ms
            record.keep(state, record.of_event(state, happening, by, effect, now_ms))
        elif effect == "changed":
            self._interrupt(self._running, happening, by, effect, now_ms)
        return [Changed(state.status)] if effect == "changed" else []

    def _interrupt(self, running: _Running, happening: Happening, by: str, effect: Effect, now_ms: int) -> None:
        """In the middle of a turn the event stands in the turn's own record, for the turn has the number.

        A turn that is given back before it has learnt that it was taken goes on.
        """
        turn = running.turn
        turn.events.append({"event": happening, "by": by or None, "effect": effect, "at_ms": now_ms})
        running.before = self.state.status
        if self.state.status == "closed":
            turn.interrupted = "closed"
        elif self.state.status == "human_active":
            turn.interrupted = "handed_off"
        else:
            turn.interrupted = ""
