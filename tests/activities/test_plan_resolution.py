import asyncio
import hashlib
import random

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from interlock.contract.calls import RULES, PlanRequest, ResolvedPlan
from interlock.plan.plan import Plan, from_json
from interlock.plan.rules import Route
from interlock_activities import Activities, Settings, settings_from
from interlock_activities.content_store import DamagedContentError
from interlock_activities.plan_store import PlanStore


def plan(name="desk-support", **more):
    return Plan(
        bundle="desk",
        name=name,
        languages=("en",),
        routes=(Route(at="x:1:1", id="all", flow="main"),),
        flows={"main": ()},
        **more,
    )


def resolve(name="", digest="", **settings):
    served = Activities(Settings(env={}, secrets={}, **settings))
    return asyncio.run(ActivityEnvironment().run(served.callables[1], PlanRequest(name, digest)))


def failing(*args, **settings):
    with pytest.raises(ApplicationError) as failure:
        resolve(*args, **settings)
    return failure.value


def test_a_name_gives_the_current_plan():
    current = plan()
    resolved = resolve("desk-support", plans=(plan("other"), current))
    assert resolved.digest == current.digest
    assert from_json(resolved.plan_json) == current
    assert hashlib.sha256(resolved.plan_json.encode()).hexdigest() == current.digest


def test_a_run_gets_the_plan_it_is_pinned_to_after_the_spec_has_changed(tmp_path):
    old, new = plan(config={"limit": 1}), plan(config={"limit": 2})
    resolve("desk-support", plans=(old,), store=tmp_path / "plans")
    served = {"plans": (new,), "store": tmp_path / "plans"}
    assert resolve("desk-support", **served).digest == new.digest
    assert from_json(resolve("desk-support", old.digest, **served).plan_json) == old


def test_an_unknown_name_is_final_and_names_near_ones():
    failure = failing("desk-suport", plans=(plan(),))
    assert (failure.type, failure.non_retryable) == ("unknown_spec", True)
    assert failure.message == "no spec is named 'desk-suport'; did you mean 'desk-support'?"
    assert failing("x" * 100_000, plans=(plan(),)).message.endswith("…'")


@pytest.mark.parametrize("digest", ["0" * 64, "../../etc/passwd", "", "é" * 64])
def test_an_unknown_digest_is_retried(tmp_path, digest):
    failure = failing("desk-support" if digest else "other", digest, plans=(plan(),), store=tmp_path)
    assert failure.non_retryable == (not digest)
    assert failure.type == ("unknown_digest" if digest else "unknown_spec")


def test_a_plan_too_large_for_a_payload_is_given_by_reference(tmp_path):
    noise = random.Random(7)
    large = plan(config={"text": noise.randbytes(300_000).hex()})
    assert resolve("desk-support", plans=(large,), store=tmp_path) == ResolvedPlan(large.digest, "", RULES)
    assert PlanStore(tmp_path).get(large.digest) == large.canonical()


@pytest.mark.parametrize(("pinned", "kind"), [(False, "plan_unreadable"), (True, "unknown_digest")])
def test_a_plan_too_large_without_a_store_ends_who_begins_with_it_and_lets_others_wait(pinned, kind):
    large = plan(config={"text": random.Random(7).randbytes(300_000).hex()})
    failure = failing("desk-support", large.digest if pinned else "", plans=(large,))
    assert (failure.type, failure.non_retryable) == (kind, not pinned)
    assert "needs a plan store" in failure.message


def test_a_stored_plan_that_is_damaged_is_not_served(tmp_path):
    one, two = plan(config={"limit": 1}), plan(config={"limit": 2})
    resolve("desk-support", plans=(one, two), store=tmp_path)
    path, other = (tmp_path / f"{each.digest}.json.z" for each in (one, two))
    path.write_bytes(other.read_bytes())
    with pytest.raises(DamagedContentError):
        PlanStore(tmp_path).get(one.digest)
    path.write_bytes(b"x")
    failure = failing("desk-support", one.digest, plans=(two,), store=tmp_path)
    assert (failure.type, failure.non_retryable) == ("unknown_digest", False)


def test_storing_twice_changes_nothing_and_leaves_nothing_else(tmp_path):
    store = PlanStore(tmp_path / "a" / "b")
    digest = store.put('{"名": 1}')
    written = next((tmp_path / "a" / "b").iterdir()).stat().st_mtime_ns
    assert store.put('{"名": 1}') == digest
    assert store.get(digest) == '{"名": 1}'
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == [f"{digest}.json.z"]
    assert next((tmp_path / "a" / "b").iterdir()).stat().st_mtime_ns == written


def test_settings_are_read_from_the_environment(tmp_path):
    environ = {
        "INTERLOCK_PLAN_STORE": str(tmp_path),
        "INTERLOCK_ALLOW_ADDRESSES": "169.254.0.0/16, 10.0.0.0/8",
        "INTERLOCK_CA_FILE": "ca.pem",
        "DESK_URL": "http://desk",
    }
    settings = settings_from(environ, [plan()])
    assert settings.store == tmp_path
    assert settings.allow_addresses == ("169.254.0.0/16", "10.0.0.0/8")
    assert settings.ca_file == "ca.pem"
    assert settings.env["DESK_URL"] == "http://desk"
    assert settings_from({}, []).store is None
