"""From a request to its reply: authorised, checked, switched, done once for each key, and noted."""

import hmac
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from demo.hr import audit, payroll, people, switches
from demo.hr.database import Database, next_number
from demo.hr.document import Document, Operation
from demo.hr.exchange import Json, Refusal, Reply, Request, wrapped
from demo.hr.switches import Switch

Work = Callable[[sqlite3.Connection, Json], Json]
"""What an operation does with its arguments, inside a transaction."""


class Service:
    """The service without its sockets; `running_reads` is how many reads find a new payrun running."""

    def __init__(self, database: Database, *, token: str, running_reads: int = 2) -> None:
        self.document = Document()
        self.stopping = threading.Event()
        self._database = database
        self._token = token
        self._handlers: dict[str, Work] = {
            "getPayGroup": payroll.get_pay_group,
            "matchTemplate": payroll.match_template,
            "importTemplate": payroll.import_template,
            "startPayrun": partial(payroll.start_payrun, running_reads=running_reads),
            "getPayrun": payroll.get_payrun,
            "disbursePayrun": payroll.disburse_payrun,
            "publishPayslips": payroll.publish_payslips,
            "listBatches": payroll.list_batches,
            "getBatch": payroll.get_batch,
            "cancelBatch": payroll.cancel_batch,
            "listEmployees": people.list_employees,
            "onboardEmployee": people.onboard_employee,
            "postEntry": people.post_entry,
            "findEntries": people.find_entries,
            "listEffects": lambda db, _: audit.effects(db),
            "listRequests": lambda db, _: audit.requests(db),
            "listSwitches": lambda db, _: {"switches": [_shown(one) for one in switches.every(db)]},
            "addSwitch": lambda db, settings: _shown(switches.add(db, self.document, settings)),
            "resetSwitches": lambda db, _: {"removed": switches.reset(db)},
            "getDocument": lambda *_: self.document.content,
        }

    def order(self, settings: Json) -> None:
        """Order a fault unless it is ordered; raises Refusal."""
        self.document.check_switch(settings)
        with self._database.transaction() as db:
            switches.add_once(db, self.document, settings)

    def answer(self, request: Request) -> Reply:
        """The reply to one request, whatever it is."""
        if self.document.is_own(request.path):
            return _answered(partial(self._own, request))
        with self._database.transaction() as db:
            number = audit.note_request(db, request)
        reply = _answered(partial(self._business, number, request))
        with self._database.transaction() as db:
            audit.note_reply(db, number, reply)
        return reply

    def _own(self, request: Request) -> Reply:
        operation, arguments = self._understood(request)
        with self._database.transaction() as db:
            return _success(operation, self._handlers[operation.id](db, arguments))

    def _business(self, number: int, request: Request) -> Reply:
        operation, arguments = self._understood(request)
        with self._database.transaction() as db:
            acting = switches.take(db, operation, request.path)
        self._pause(acting, "before")
        reply = _answered(partial(self._done, number, operation, request, arguments, acting))
        self._pause(acting, "after")
        return self._falsified(operation, request, reply, acting)

    def _understood(self, request: Request) -> tuple[Operation, Json]:
        operation, values = self.document.find(request.method, request.path)
        given = (request.token or "").encode()
        if not operation.public and not hmac.compare_digest(given, self._token.encode()):
            raise Refusal(401, "UNAUTHORIZED", "the bearer token is missing or wrong")
        return operation, self.document.arguments(operation, values, request)

    def _pause(self, acting: Sequence[Switch], when: str) -> None:
        for one in acting:
            if one.mode == "slow" and one.settings.get("when", "before") == when:
                self.stopping.wait(one.settings["delayMs"] / 1000)

    def _done(
        self, number: int, operation: Operation, request: Request, arguments: Json, acting: Sequence[Switch]
    ) -> Reply:
        """The effect, its note and the first answer in one transaction; a lie takes all three back."""
        _fail(acting)
        key = audit.key_of(operation, request, arguments) if operation.writes else None
        lying = any(one.mode == "lie" for one in acting)
        with self._database.transaction(kept=not lying) as db:
            known = audit.kept_reply(db, key, operation, arguments) if key else None
            if known is not None:
                return known
            data = self._handlers[operation.id](db, arguments)
            reply = _success(operation, data)
            if operation.writes:
                audit.note_effect(db, number, key, operation, request, arguments, data)
            if key:
                audit.keep_reply(db, key, operation, request, arguments, reply)
        if lying:
            self._spend_an_id()
        return reply

    def _spend_an_id(self) -> None:
        """So that the id that a lie told is never given to anything."""
        with self._database.transaction() as db:
            next_number(db)

    def _falsified(self, operation: Operation, request: Request, reply: Reply, acting: Sequence[Switch]) -> Reply:
        numbers = [one.number for one in acting]
        if reply.status == operation.status:
            data = reply.body["data"] if operation.wrapped else reply.body
            with self._database.transaction() as db:
                told, false = switches.falsify(db, operation, request.path, data)
            numbers += [one.number for one in false]
            reply = replace(reply, body=wrapped(told) if operation.wrapped else told)
        return replace(reply, dropped=any(one.mode == "lose" for one in acting), switches=tuple(numbers))


def _answered(work: Callable[[], Reply]) -> Reply:
    try:
        return work()
    except Refusal as refusal:
        return refusal.reply()


def _success(operation: Operation, data: Json) -> Reply:
    return Reply(operation.status, wrapped(data) if operation.wrapped else data)


def _fail(acting: Sequence[Switch]) -> None:
    for one in acting:
        if one.mode == "fail":
            code = one.settings.get("code", "UNAVAILABLE")
            raise Refusal(one.settings.get("status", 503), code, "a switch makes this fail")


def _shown(switch: Switch) -> Json:
    return {"number": switch.number, "settings": switch.settings, "seen": switch.seen, "acted": switch.acted}
