"""A day of coding-agent sessions: growing conversations, tool loops, pauses, sub-agents."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count

from econ.example_plan import (
    HAIKU_4_5,
    HOUR_MS,
    MINUTE_MS,
    SECOND_MS,
    Call,
    Dice,
    Team,
)
from econ.prompt_cache_oracle import FIVE_MINUTES_S, Block, Breakpoint

COMPACT_ABOVE_TOKENS = 130_000
TOKENS_PER_SECOND = 70
JOB_EVERY_MS = 22 * MINUTE_MS
HEAD_BLOCKS = 3
"""Tools, system prompt, project notes: what the first breakpoint stands after."""


@dataclass(slots=True)
class Texts:
    """Names of texts. A text that is sent again keeps its name and its length."""

    numbers: count[int] = field(default_factory=lambda: count(1))
    known: dict[tuple[str, ...], Block] = field(default_factory=dict)

    def new(self, tokens: int) -> Block:
        """A text that nobody has sent before."""
        return next(self.numbers), tokens

    def same(self, tokens: int, *name: str) -> Block:
        """The text called `name`."""
        if name not in self.known:
            self.known[name] = self.new(tokens)
        return self.known[name]


@dataclass(slots=True, kw_only=True)
class Agent:
    """One conversation: its fixed head and what has been said since."""

    team: Team
    session: str
    name: str
    project: str
    user: str | None
    model: str
    head: tuple[Block, ...]
    said: list[Block] = field(default_factory=list)

    def tokens(self) -> int:
        """How long the prompt is now."""
        return sum(tokens for _, tokens in self.head) + sum(tokens for _, tokens in self.said)


@dataclass(slots=True)
class Day:
    """Everything that is sent on the day, in no order."""

    dice: Dice
    texts: Texts = field(default_factory=Texts)
    calls: list[Call] = field(default_factory=list)

    def session(self, team: Team, number: int, start_ms: int, switches: bool) -> None:
        """One person's session: turns with pauses between them, at times a switch of model."""
        agent = self._main_agent(team, number)
        self._title(agent, start_ms)
        now_ms = start_ms + self.dice.between(0, 900)
        turns = self.dice.between(5, 11)
        for turn in range(turns):
            if turn:
                now_ms += self._pause()
                self._second_thoughts(agent)
            if switches and turn == turns // 2 and team.switches_to:
                agent.model = team.switches_to
            self._prompt(agent)
            now_ms = self._tool_loop(agent, now_ms)

    def _main_agent(self, team: Team, number: int) -> Agent:
        project = self.dice.pick(team.projects)
        return Agent(
            team=team,
            session=f"{team.workspace}-{number:02d}",
            name="main",
            project=project,
            user=team.users[(number - 1) % len(team.users)],
            model=self.dice.pick(team.models),
            head=(
                self.texts.same(team.tools_tokens, team.name, "tools"),
                self.texts.same(team.system_tokens, team.name, "system"),
                self.texts.same(self.dice.between(1_800, 5_200), team.name, "notes", project),
            ),
        )

    def _pause(self) -> int:
        """Until a person answers: mostly soon, at times after a meeting, at times after lunch."""
        throw = self.dice.between(1, 100)
        if throw <= 68:
            return self.dice.between(12 * SECOND_MS, 280 * SECOND_MS)
        if throw <= 91:
            return self.dice.between(6 * MINUTE_MS, 52 * MINUTE_MS)
        return self.dice.between(63 * MINUTE_MS, 105 * MINUTE_MS)

    def _second_thoughts(self, agent: Agent) -> None:
        """Now and then a person goes back and asks anew, or a long conversation is compacted."""
        if agent.tokens() > COMPACT_ABOVE_TOKENS:
            agent.said = [self.texts.new(self.dice.between(2_600, 4_400))]
        elif len(agent.said) > 12 and self.dice.chance(5):
            del agent.said[-2 * self.dice.between(1, 3) :]

    def _prompt(self, agent: Agent) -> None:
        """What the person sends: a few lines, a pasted file, or a folder of attachments."""
        agent.said.append(self.texts.new(self.dice.between(35, 900)))
        if self.dice.chance(12):
            agent.said.append(self.texts.new(self.dice.between(3_000, 9_000)))
        if self.dice.chance(3):
            for _ in range(self.dice.between(21, 28)):
                agent.said.append(self.texts.new(self.dice.between(120, 700)))

    def _tool_loop(self, agent: Agent, now_ms: int) -> int:
        """Steps until the agent answers; returns when it has. Each step sends all that came
        before, so two texts are added a step: what the model said and what the tool gave."""
        for step in range(self.dice.between(2, 10)):
            if step:
                now_ms = self._tool(agent, now_ms)
            output_tokens = self._output()
            now_ms = self._send(agent, now_ms, output_tokens)
            agent.said.append(self.texts.new(output_tokens))
        return now_ms

    def _tool(self, agent: Agent, now_ms: int) -> int:
        """What the model asked for: a tool, or now and then helpers; returns when it is done."""
        if agent.name == "main" and self.dice.chance(3):
            now_ms = self._sub_agents(agent, now_ms)
        else:
            now_ms += self._tool_time()
        agent.said.append(self.texts.new(self._tool_result()))
        return now_ms

    def _output(self) -> int:
        if self.dice.chance(10):
            return self.dice.between(1_200, 3_600)
        return self.dice.between(70, 720)

    def _tool_result(self) -> int:
        if self.dice.chance(18):
            return self.dice.between(3_000, 8_500)
        return self.dice.between(60, 1_900)

    def _tool_time(self) -> int:
        """Mostly a file read or a search; at times a build that outlasts five minutes."""
        if self.dice.chance(2):
            return self.dice.between(5 * MINUTE_MS, 9 * MINUTE_MS)
        return self.dice.between(300, 22 * SECOND_MS)

    def _sub_agents(self, parent: Agent, now_ms: int) -> int:
        """Two or three helpers sent out at the same moment; returns when the last is back."""
        team = parent.team
        ends_ms = []
        for number in range(1, self.dice.between(2, 3) + 1):
            helper = Agent(
                team=team,
                session=parent.session,
                name=f"explore-{number}",
                project=parent.project,
                user=parent.user,
                model=team.sub_model,
                head=(
                    self.texts.same(team.tools_tokens // 2, team.name, "sub-tools"),
                    self.texts.same(team.system_tokens // 2, team.name, "sub-system"),
                    self.texts.same(1_150, team.name, "sub-notes", parent.project),
                ),
                said=[self.texts.new(self.dice.between(150, 900))],
            )
            ends_ms.append(self._tool_loop(helper, now_ms + 40 * number))
        return max(ends_ms)

    def _title(self, agent: Agent, now_ms: int) -> None:
        """A session is given a title by a small model: too short a prompt to be cached."""
        instruction = self.texts.same(310, agent.team.name, "title")
        blocks = (instruction, self.texts.new(self.dice.between(35, 600)))
        helper = replace(agent, name="title", model=HAIKU_4_5)
        self._record(helper, now_ms, blocks, ((2, FIVE_MINUTES_S),), output_tokens=18)

    def job(self, team: Team, project: str, start_ms: int, runs: int) -> None:
        """A scheduled script without a person and without any caching: one request a run."""
        agent = Agent(
            team=team,
            session=f"{team.workspace}-job",
            name="release-notes",
            project=project,
            user=None,
            model=team.models[-1],
            head=(self.texts.same(2_480, team.name, "job"),),
        )
        for run in range(runs):
            start = start_ms + JOB_EVERY_MS * run + self.dice.between(0, 40 * SECOND_MS)
            blocks = (*agent.head, self.texts.new(self.dice.between(1_500, 11_000)))
            output_tokens = self.dice.between(250, 900)
            self._record(agent, start, blocks, (), output_tokens)

    def _send(self, agent: Agent, now_ms: int, output_tokens: int) -> int:
        """One request of a conversation; returns when its answer is complete."""
        head = agent.head
        if agent.team.stamped:
            head = (head[0], self.texts.new(head[1][1]), *head[2:])
        blocks = (*head, *agent.said)
        points = self._breakpoints(agent, len(blocks))
        return self._record(agent, now_ms, blocks, points, output_tokens)

    def _breakpoints(self, agent: Agent, blocks: int) -> tuple[Breakpoint, ...]:
        """After the head and at the end. Sub-agents cache for five minutes."""
        if agent.name != "main":
            return (HEAD_BLOCKS, FIVE_MINUTES_S), (blocks, FIVE_MINUTES_S)
        return (HEAD_BLOCKS, agent.team.system_ttl_s), (blocks, agent.team.turn_ttl_s)

    def _record(
        self,
        agent: Agent,
        now_ms: int,
        blocks: tuple[Block, ...],
        points: tuple[Breakpoint, ...],
        output_tokens: int,
    ) -> int:
        """One request and its answer; returns when the answer is complete."""
        response_ms = self.dice.between(420, 3_200)
        finished_ms = response_ms + output_tokens * 1000 // TOKENS_PER_SECOND
        self.calls.append(
            Call(
                arrival_ms=now_ms,
                response_ms=response_ms,
                finished_ms=finished_ms,
                team=agent.team,
                session=agent.session,
                agent=agent.name,
                project=agent.project,
                api_key=f"key-{agent.project}",
                user=agent.user,
                model=agent.model,
                blocks=blocks,
                breakpoints=points,
                output_tokens=output_tokens,
            )
        )
        return now_ms + finished_ms


def starts_ms(dice: Dice, team: Team) -> list[int]:
    """When a team's sessions begin: two together in the morning, the rest one in each equal part
    of the working hours."""
    first_ms = team.first_hour * HOUR_MS + dice.between(3 * MINUTE_MS, 20 * MINUTE_MS)
    rest = team.sessions - 2
    part_ms = (team.last_hour * HOUR_MS - first_ms) // rest
    later = [first_ms + part_ms * number + dice.between(1, part_ms) for number in range(rest)]
    return [first_ms, first_ms + dice.between(20, 180), *later]
