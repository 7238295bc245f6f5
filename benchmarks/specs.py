"""Specs of 200 lines, as many as are wanted, each in a bundle of its own and like one that somebody would write."""

from pathlib import Path

LINES = 200

TEMPLATE = r"""
apiVersion: interlock/v1
kind: Agent
name: desk-{number}
title: {{zh: 客服{number}, en: Desk {number}}}
languages: [zh, en]

config:
  company: Company {number}

user:
  tier: {{type: string, enum: [basic, vip], optional: true}}

servers:
  back: {{http: "https://back-{number}.example"}}

vocabularies:
  rivals: {{words: [Rival {number}, 竞争者{number}]}}
  problems:
    terms:
      LATE: {{title: {{zh: 延误, en: late}}, aliases: [延误, 晚了, late, delayed]}}
      LOST: {{title: {{zh: 丢失, en: lost}}, aliases: [丢了, 丢失, lost, missing]}}

slots:
  order_no:
    title: {{zh: 单号, en: order number}}
    labels: [单号, order no.]
    patterns: ['\bORD\d{{8}}\b', '\bX{number}-\d{{6,10}}\b']
    ask:
      zh: 请提供一个单号。
      en: Please give one order number.
    clarify:
      zh: 您提到了多个单号（{{{{ candidates | join('、') }}}}），要查哪一个？
      en: You mentioned several numbers ({{{{ candidates | join(', ') }}}}). Which one?
  problem:
    vocabulary: problems
    ask: {{zh: 请问遇到了什么问题？, en: What went wrong?}}
  day:
    extract: date
    assume: "{{{{ now | date | string }}}}"

intents:
  tracking: {{keywords: [where is my order, 查询订单], patterns: ['(?i)\btrack (my|the) order\b']}}
  complaint: {{keywords: [投诉, complaint]}}

decisions:
  team:
    hit: first
    inputs:
      status: {{type: string, enum: [OPEN, SENT, HELD], value: "{{{{ cells.find_order.status }}}}"}}
      weight: {{type: integer, optional: true, value: "{{{{ cells.find_order.weight }}}}"}}
    outputs:
      team: {{type: string}}
    rules:
{rules}
      - {{team: nobody}}

mounts:
  - {{call: find_order, intent: tracking, respond: brief}}

responses:
  brief: {{fields: [status, weight], fenced: true}}
  words:
    text:
      zh: 订单 {{{{ result.no }}}} 的状态是 {{{{ result.status }}}}。
      en: Order {{{{ result.no }}}} is {{{{ result.status }}}}.

tools:
  find_order:
    title: {{zh: 查询订单, en: Find an order}}
    http: GET /orders/{{order_no}}
    effect: read
    input:
      order_no: {{type: string, from: slots.order_no}}
    outcomes:
      - {{when: payload.code == 'NOT_FOUND', outcome: error}}
      - {{outcome: success}}
    output:
      no: {{type: string}}
      status: {{type: string, enum: [OPEN, SENT, HELD]}}
      weight: {{type: integer, optional: true}}
    produces:
      status: {{at: status}}
      weight: {{at: weight}}
    timeout: 5s

gates:
  - id: rivals
    screen: rivals
    refuse:
      zh: 抱歉，我只能回答 {{{{ config.company }}}} 的问题。
      en: Sorry, I can only answer about {{{{ config.company }}}}.
    reason: out_of_scope
{gates}

routes:
  - {{id: complaint, when: intents.complaint, flow: complain}}
  - {{id: tracking, when: slots.order_no or intents.tracking, flow: track}}
  - {{id: rest, flow: talk}}

flows:
  track:
    - call: find_order
      catch:
        - errors: [timeout]
          do:
            - refuse: {{zh: 系统暂时没有响应。, en: The system does not answer just now.}}
    - switch:
        - when: decisions.team.team == 'nobody'
          do:
            - respond: brief
        - do:
            - respond: words
  complain:
    - collect: [order_no, problem, day]
    - handoff:
        zh: 已记录：{{{{ slots.order_no }}}}，{{{{ slots.problem | show }}}}。
        en: "Noted: {{{{ slots.order_no }}}}, {{{{ slots.problem | show }}}}."
  talk:
    - reply: {{zh: 您好。, en: Hello.}}
"""

GATE = """\
  - id: gate_{n}
    when: message.text == 'say {n}' and user.tier == 'vip'
    reply:
      zh: 第 {n} 条。
      en: "Number {n} for {{{{ user.tier }}}}."
"""

RULE = '      - {{status: {status}, weight: "[{low}..{high}]", team: team {n}}}'


def text_of(number: int) -> str:
    """The spec of that number, of 200 lines."""
    rules = [
        RULE.format(n=n, status=("OPEN", "SENT", "HELD")[n % 3], low=n // 3 * 10, high=n // 3 * 10 + 9)
        for n in range(30)
    ]
    gates: list[str] = []
    while True:
        text = TEMPLATE.lstrip().format(number=number, rules="\n".join(rules), gates="".join(gates).rstrip("\n"))
        missing = LINES - text.count("\n")
        if missing < GATE.count("\n"):
            return text.rstrip("\n") + "\n" + "# the end\n" * missing
        gates.append(GATE.format(n=len(gates)))


def write(folder: Path, number: int) -> list[Path]:
    """Bundles of one spec each."""
    files = []
    for n in range(number):
        bundle = folder / f"bundle-{n:04}"
        bundle.mkdir(parents=True)
        files.append(bundle / "agent.yaml")
        files[-1].write_text(text_of(n), encoding="utf-8")
    return files
