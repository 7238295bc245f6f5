"""What the checker takes for granted is what the interpreter does."""

from typing import get_args

from interlock.compiler.scopes import ERRORS, MESSAGE_TYPES, STATUSES, USER
from interlock.compiler.shapes import EXTRACTED
from interlock.interpreter import opening, state
from interlock.plan.plan import MessageShape
from interlock.plan.steps import ErrorKind
from interlock.text import extractors


def test_the_errors_of_a_catch_are_those_of_the_plan():
    assert set(ERRORS) == set(get_args(ErrorKind))


def test_the_message_types_and_statuses_are_those_of_a_session():
    assert MessageShape().types == MESSAGE_TYPES
    assert set(STATUSES) == set(get_args(state.Status))


def test_every_built_in_extractor_has_a_shape():
    assert set(EXTRACTED) == set(extractors._BUILT_IN)


def test_the_attributes_of_every_user_are_those_that_are_let_in():
    assert {name: (shape.kind, shape.may_be_none) for name, shape in USER.items()} == {
        name: (field.type, field.optional) for name, field in opening.BUILT_IN.items()
    }
