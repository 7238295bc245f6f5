"""Small procedures over one library of parts, compiled and not written anywhere."""

from pathlib import Path
from textwrap import dedent, indent

from interlock.compiler import Compiled, compile_bundle
from interlock.source import Bundle, read_document

HEAD = """\
apiVersion: interlock/v1
kind: Procedure
name: main
uses: [parts]
input: {full: {type: boolean}, ok: {type: boolean}, word: {type: string}}
"""
PARTS = """\
apiVersion: interlock/v1
kind: Library
name: parts
servers: {hr: {http: 'https://hr.example'}}
conditions:
  approved: {that: input.ok}
  big: {that: conditions.approved and input.full}
  seen: {that: cells.find.id != ''}
tools:
  find:
    http: GET /find
    effect: read
    input: {word: {type: string, from: caller}}
    output: {id: {type: string}}
    produces: {id: {at: id}}
  show:
    http: GET /shown/{id}
    effect: read
    input: {id: {type: string, from: cells.find.id, max_age: 2h}}
    output: {text: {type: string}}
  forget:
    http: GET /forget
    effect: none
    invalidates: [find]
  pay:
    http: POST /payments
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {member: {type: string, from: caller}}
    output: {payment: {type: string}}
    produces: {payment: {at: payment}}
    ensures: [{that: result.payment != ''}]
  revoke:
    http: DELETE /payments/{payment}
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {payment: {type: string, from: cells.pay.payment}}
    output: {gone: {type: boolean}}
    ensures: [{that: result.gone}]
  pay_approved:
    http: POST /payments
    effect: write
    requires: [{condition: big}]
    idempotency: {header: Idempotency-Key, key: "{{ args.member }}/{{ run.id }}"}
    input: {member: {type: string, from: caller}}
    output: {payment: {type: string}}
    ensures: [{that: result.payment != ''}]
"""


def compiled(**files: str) -> Compiled:
    read = [read_document(text.encode(), f"{name}.yaml") for name, text in files.items()]
    assert not [finding for _, found in read for finding in found]
    return compile_bundle(Bundle("test", Path(), tuple(document for document, _ in read if document), {}))


def codes(text: str, head: str = "") -> list[str]:
    """What is found in a procedure that is given as its steps."""
    return [
        found.code
        for found in compiled(parts=PARTS, main=HEAD + head + "steps:\n" + indent(dedent(text), "  ")).diagnostics
    ]
