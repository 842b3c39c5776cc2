"""Prices recorded conversations by what an agent does with their history, for `scripts/agent_loop.py`.

Python's standard library only.
"""

import collections
import concurrent.futures
import math
import typing

import agent_requests
import cache_simulation

# A model of each of three providers: marks of five minutes, automatic prefixes in steps, implicit caching.
DEFAULT_MODELS = "claude-sonnet-5-5,gpt-5.5,gemini-4-argon"
TARGETS = {"anthropic": "anthropic", "gemini": "gemini"}
# Between two requests of an agent whose tools are quick, and of one that waits for a person.
DEFAULT_PAUSE_SECONDS = 20
DEFAULT_LONG_PAUSE_SECONDS = 900
# Turns that remain where old ones are merely left out.
LAST_TURNS = 20
# Anthropic's clearing: its defaults, and the example of its page for a smaller prompt.
# https://platform.claude.com/docs/en/build-with-claude/context-editing
CLEARINGS = [
    {"trigger": 100_000, "keep": 3, "clear_at_least": 0},
    {"trigger": 30_000, "keep": 3, "clear_at_least": 5_000},
]
# What our sum of the blocks of a payload may differ from the server's count of it: a share, and tokens.
MAX_COUNT_ERROR = 0.02
MAX_COUNT_ERROR_TOKENS = 20
EVERYTHING = "everything"


def add_arguments(arguments):
    arguments.add_argument("--models", default=DEFAULT_MODELS, help="names of GET /models; empty: no prices")
    arguments.add_argument("--pause", type=int, default=DEFAULT_PAUSE_SECONDS,
                           help="seconds between the requests of a session")
    arguments.add_argument("--long-pause", type=int, default=DEFAULT_LONG_PAUSE_SECONDS,
                           help="seconds between them in the tables of cold caches; 0 for none")
    arguments.add_argument("--rows", default="",
                           help="of the rows that the server is asked for, only those with this in their name")
    arguments.add_argument("--jobs", type=int, default=2, help="sessions that are played at once")


class Servers(typing.NamedTuple):
    plain: typing.Any
    # Has a hook that provides another text in each turn.
    hooked: typing.Any


class PriceList:
    """The sessions at the prices of one model."""

    def __init__(self, servers, model, window, pauses, rows=""):
        self.servers, self.model, self.window, self.pauses = servers, model, window, pauses
        self.rows = rows
        self.target = TARGETS.get(model["family"], "openai")
        self.has_marks = model.get("cache_marks") is not None
        self.long_marks = "marks of 12 hours" if model.get("cache_marks") == "breakpoints" else "marks of an hour"
        self.blocks = agent_requests.Blocks(servers.plain, self.target)
        # Bills by pause, strategy and session.
        self.bills = collections.defaultdict(dict)
        self.figures = collections.Counter()
        # Tokens of the longest request of each session if everything is sent.
        self.longest_requests = {}
        self.count_errors = []
        self.faults = []

    def session(self, name, messages):
        conversation = agent_requests.Conversation(messages, self.blocks, self.model)
        everything = conversation.everything()
        head = len(conversation.head)
        self.figures["requests"] += len(everything)
        self.figures["too long for the model"] += conversation.too_long
        self.figures["tokens of answers"] += math.ceil(conversation.answers * conversation.factor)
        self.longest_requests[name] = max(conversation.tokens(request.blocks) for request in everything)
        self.add(name, EVERYTHING, everything)
        last = conversation.last_turns(LAST_TURNS)
        self.add(name, f"the last {LAST_TURNS} turns", last)
        if self.has_marks:
            self.add(name, f"{EVERYTHING}, without marks", agent_requests.without_marks(everything))
            self.add(name, f"the last {LAST_TURNS} turns, marks at the system text only",
                     agent_requests.with_system_marks(last, head))
            self.add(name, f"{EVERYTHING}, {self.long_marks}", everything, long_marks=True)
        for settings in CLEARINGS:
            requests, cleared = conversation.cleared_results(**settings)
            self.figures[f"cleared at {settings['trigger']:,}"] += cleared
            self.add(name, f"results cleared at {settings['trigger']:,}", requests)
        whole = "Contexture, the model's window"
        if self.rows in whole:
            self.add(name, whole, self.ours(name, messages, None))
        ours = f"Contexture, window {self.window:,}"
        if self.rows in ours:
            requests = self.ours(name, messages, self.window)
            self.add(name, ours, requests)
            if self.has_marks:
                self.add(name, f"{ours}, {self.long_marks}", requests, long_marks=True)
        # Where blocks move by themselves, they can stay, and the other way round.
        other = "move" if self.model.get("preserved_thinking") else "stay"
        for end, placement in (("", None), (f" that {other}", other)):
            row = f"{ours}, with memory and a hook's text{end}"
            if self.rows in row:
                self.add(name, row, self.ours(name, messages, self.window, True, placement))

    def ours(self, name, messages, window, with_hook=False, placement=None):
        """The payloads of a server that is given each turn."""
        server = self.servers.hooked if with_hook else self.servers.plain
        options = {"target": self.target, "model": self.model["name"]}
        if with_hook:
            options["memory"] = True
        if placement:
            options["tail_placement"] = placement
        if window:
            options["budget"] = {"context_window": window}
        if self.has_marks:
            options["cache"] = {"ttl": "5m"}
        requests = []
        session = f"{self.model['name']}-{window}-{name}{'-hook' if with_hook else ''}{placement or ''}"
        for turn, step in enumerate(agent_requests.steps(messages)):
            append = agent_requests.with_memory(step, turn, name) if with_hook else step
            answer = server.call("POST", f"/sessions/{session}/turns", {**options, "append": append})
            if agent_requests.is_sent(step):
                request = self.blocks.of_payload(answer["payload"])
                requests.append(request)
                self.check(session, request, answer["report"])
                change = answer["report"]["cache"]["first_change"]
                what = f"window {window or 'of the model'}{', with a hook' if with_hook else ''}"
                what += f", text that is to {placement}" if placement else ""
                self.figures[f"compactions, {what}"] += change is not None and change["why"] == "compaction"
        return requests

    def check(self, session, request, report):
        """Compares the sum of the blocks with the server's count."""
        counted = cache_simulation.prefix_sums(request, self.model.get("factor", 1))[-1]
        error = counted - report["tokens_after"]
        self.count_errors.append(error / report["tokens_after"])
        if abs(error) > max(MAX_COUNT_ERROR * counted, MAX_COUNT_ERROR_TOKENS):
            self.faults.append(f"{session}: {counted} tokens, the report has {report['tokens_after']}")

    def add(self, name, strategy, requests, long_marks=False):
        for pause in self.pauses:
            bill = cache_simulation.price(self.model, requests, pause, long_marks)
            self.bills[pause, strategy][name] = bill

    def table(self, pause):
        rows = {strategy: bills for (at, strategy), bills in self.bills.items() if at == pause}
        names = set(rows[EVERYTHING])
        longest = {max(names, key=self.longest_requests.get)}
        above = {name for name in names if self.longest_requests[name] > self.window}
        # One session may outweigh all others, so it stands for itself.
        groups = [names, longest, above - longest, names - above - longest]
        total = lambda bills, group: sum(bill.dollars for name, bill in bills.items() if name in group)
        bases = [total(rows[EVERYTHING], group) for group in groups]
        print(f"\n{self.model['name']}, {pause} s between requests:\n")
        print("| | Input tokens | Read from the cache | Dollars | A session | Of everything | In the longest | "
              f"In {len(groups[2])} more above {self.window:,} | In the other {len(groups[3])} |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
        for strategy, bills in rows.items():
            tokens = sum(bill.usage.total for bill in bills.values())
            read = sum(bill.usage.read for bill in bills.values())
            cost = total(bills, names)
            shares = [f"{100 * total(bills, group) / base:.0f} %" if base else "–"
                      for group, base in zip(groups, bases)]
            print(f"| {strategy} | {tokens:,} | {100 * read / max(tokens, 1):.0f} % | {cost:.2f} | "
                  f"{cost / len(names):.4f} | {' | '.join(shares)} |")

    def notes(self):
        output = self.figures["tokens of answers"] * self.model["prices"]["output"] / 1e6
        errors = self.count_errors or [0]
        print(f"\n{self.model['name']}: {self.figures['requests']:,} requests. The answers cost "
              f"{output:.2f} dollars more in every row. Sums of blocks differ from reports by "
              f"{100 * sum(errors) / len(errors):+.2f} % on average, "
              f"at most {100 * max(map(abs, errors)):.2f} %.")
        print(", ".join(f"{name}: {figure}" for name, figure in self.figures.items()
                        if name not in ("requests", "tokens of answers")))


def run(servers, sessions, given):
    """Prints the tables; returns the number of faults."""
    rows = {row["name"]: row for row in servers.plain.call("GET", "/models")["items"]}
    pauses = [pause for pause in (given.pause, given.long_pause) if pause]
    lists = []
    for name in given.models.split(","):
        prices = PriceList(servers, rows[name], given.window, pauses, given.rows)
        lists.append(prices)
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for _ in pool.map(lambda item: prices.session(*item), sessions.items()):
                pass
    for pause in pauses:
        for prices in lists:
            prices.table(pause)
    for prices in lists:
        prices.notes()
    faults = [fault for prices in lists for fault in prices.faults]
    print(f"\nfaults of counting: {len(faults)}")
    for fault in faults[:20]:
        print("  " + fault)
    return len(faults)
