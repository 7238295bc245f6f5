"""The quick sandbox says of every payload what Temporal's own says."""

from temporalio.converter import ActivitySerializationContext

from interlock_workflows import runner


async def test_payloads_belong_to_what_the_sandbox_says(stage, support, s1, user, monkeypatch):
    answers = []
    for name in ("get_serialization_context", "get_external_store_context"):
        monkeypatch.setattr(runner._Instance, name, comparing(getattr(runner._Instance, name), name, answers))
    async with stage.serving(support()):
        talk = await stage.talk()
        await talk.send("support", s1, "track T1234", user=user)
        await talk.send("support", s1, "track T5678", user=user)
    assert any(isinstance(quick, ActivitySerializationContext) for quick, _ in answers)
    assert all(quick == sandboxed for quick, sandboxed in answers)


def comparing(quick, name, answers):
    def both(instance, command_info):
        answer = quick(instance, command_info)
        answers.append((answer, getattr(instance._sandboxed, name)(command_info)))
        return answer

    return both
