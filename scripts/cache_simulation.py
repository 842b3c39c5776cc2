#!/usr/bin/env python3
"""Simulates the prompt caches of providers by their public rules, and prices requests.

    python3 scripts/cache_simulation.py --self-test

A request is a list of blocks: a text of a message, a tool call, a tool result. A cache is asked for each
request of a conversation in order, with the time at which it is sent, and returns which tokens are read from
the cache, which are written to it, and which are neither. `scripts/agent_loop.py` uses it for its table of
costs. Rows of models are those of `GET /models`.

Best cases are assumed: a cache that can have a prefix has it, and no other conversation shares it.

Python's standard library only.
"""

import argparse
import math
import os
import typing
import unittest

# Tokens for the reply, once a request (docs/tokens.md). They come last and are never cached.
REPLY_TOKENS = 3
# https://platform.claude.com/docs/en/build-with-claude/prompt-caching: five minutes, or an hour, from the
# start of the last request that wrote or read the entry.
MARK_TTL_SECONDS = 300
LONG_MARK_TTL_SECONDS = 3_600
# https://developers.openai.com/api/docs/guides/prompt-caching: GPT-5.6 and later keep an entry for at least
# 30 minutes, or 12 hours if asked to. They mark the end of the latest message by themselves, but not where the
# request has marks of its own and says so ("explicit"): then nothing else is written or found. Models before
# have a retention of 24 hours (for GPT-5.5 the only one) and cache prefixes of 1,024 tokens and then each 128.
BREAKPOINT_TTL_SECONDS = 1_800
LONG_BREAKPOINT_TTL_SECONDS = 43_200
OPENAI_TTL_SECONDS = 86_400
OPENAI_STEP_TOKENS = 128
# https://ai.google.dev/gemini-api/docs/caching: on for all models from 2.5 on, "in a short amount of time".
# Google publishes neither a lifetime nor steps; five minutes and single tokens are our assumption.
GEMINI_TTL_SECONDS = 300
# Runs of such blocks count as one position of a lookback:
# https://github.com/anthropics/skills/blob/main/skills/claude-api/shared/prompt-caching.md
RUNS = ("call", "result")


class Block(typing.NamedTuple):
    """A part of a request. Two blocks are the same for a cache if their texts are."""

    text: str
    # Before the model's factor, framing included.
    tokens: int
    # "text", "call", "result" or "tool" (a definition).
    kind: str = "text"


class Request(typing.NamedTuple):
    blocks: list
    # Indices of the blocks that end with a cache mark, in ascending order.
    marks: tuple = ()


class Usage(typing.NamedTuple):
    """Tokens of an input by what the cache does with them."""

    read: int = 0
    written: int = 0
    uncached: int = 0

    @property
    def total(self):
        return self.read + self.written + self.uncached

    def plus(self, other):
        return Usage(*(a + b for a, b in zip(self, other)))


def prefix_sums(request, factor):
    """Tokens of each prefix that ends at a block; the last value is that of the whole request."""
    raw, sums = 0, []
    for block in request.blocks:
        raw += block.tokens
        sums.append(math.ceil(raw * factor))
    sums.append(math.ceil((raw + REPLY_TOKENS) * factor))
    return sums


def prefix_keys(request):
    """A key for each prefix that ends at a block: it depends on every block before."""
    key, keys = 0, []
    for block in request.blocks:
        key = hash((key, block.text))
        keys.append(key)
    return keys


class NoCache:
    """A model without a price for cached input, or a client that sends no marks."""

    def __init__(self, factor):
        self.factor = factor

    def charge(self, request, _now):
        return Usage(uncached=prefix_sums(request, self.factor)[-1])


class MarkedCache:
    """Entries are written at marks only, and found from a mark backwards, some positions far."""

    def __init__(self, factor, min_tokens, ttl_seconds, lookback=None):
        self.factor, self.min_tokens, self.ttl_seconds = factor, min_tokens, ttl_seconds
        # Positions that are looked at from each mark, its own included; None is no limit.
        self.lookback = lookback
        self.expires = {}

    def charge(self, request, now):
        return self.charge_at(request, request.marks, now)

    def charge_at(self, request, marks, now):
        sums, keys = prefix_sums(request, self.factor), prefix_keys(request)
        read = max((self.found(request, keys, mark, now) for mark in marks), default=0)
        written = read
        for mark in marks:
            # Shorter prefixes are not cached, and cost what input costs.
            if sums[mark] >= self.min_tokens:
                self.expires[keys[mark]] = now + self.ttl_seconds
                written = max(written, mark + 1)
        at = lambda blocks: sums[blocks - 1] if blocks else 0
        return Usage(at(read), at(written) - at(read), sums[-1] - at(written))

    def found(self, request, keys, mark, now):
        """Blocks of the longest entry that this mark finds. A read makes it live on."""
        position, kind = 0, None
        for index in range(mark, -1, -1):
            if request.blocks[index].kind not in RUNS or request.blocks[index].kind != kind:
                position += 1
            kind = request.blocks[index].kind
            if self.lookback is not None and position > self.lookback:
                return 0
            if self.expires.get(keys[index], now) > now:
                self.expires[keys[index]] = now + self.ttl_seconds
                return index + 1
        return 0


class BreakpointCache(MarkedCache):
    """A request with marks of its own is written and found at these alone, any other at its end."""

    def charge(self, request, now):
        return self.charge_at(request, request.marks or (len(request.blocks) - 1,), now)

    def found(self, request, keys, mark, now):
        if not request.marks:
            return super().found(request, keys, mark, now)
        if self.expires.get(keys[mark], now) <= now:
            return 0
        self.expires[keys[mark]] = now + self.ttl_seconds
        return mark + 1


class PrefixCache:
    """Every prefix of a request is cached without marks, in steps from a least length on."""

    def __init__(self, factor, min_tokens, ttl_seconds, step_tokens=1):
        self.factor, self.min_tokens, self.ttl_seconds = factor, min_tokens, ttl_seconds
        self.step_tokens = step_tokens
        # Texts that followed a prefix, by its key, and when each is forgotten.
        self.following = {}

    def charge(self, request, now):
        sums, keys = prefix_sums(request, self.factor), prefix_keys(request)
        same = 0.0
        for block, key, before, after in zip(request.blocks, [0, *keys], [0, *sums], sums):
            texts = [text for text, expiry in self.following.get(key, {}).items() if expiry > now]
            if block.text in texts:
                same = after
                continue
            # Of a block that begins like another, that share of its tokens is the same.
            common = max((len(os.path.commonprefix([block.text, text])) for text in texts), default=0)
            same = before + (after - before) * common / max(len(block.text), 1)
            break
        for block, key in zip(request.blocks, [0, *keys]):
            self.following.setdefault(key, {})[block.text] = now + self.ttl_seconds
        read = 0
        if same >= self.min_tokens:
            read = int(same) - (int(same) - self.min_tokens) % self.step_tokens
        return Usage(read=read, uncached=sums[-1] - read)


def cache_of(model, long_marks=False):
    """The cache that the provider of a row has for one conversation."""
    factor, least = model.get("factor", 1), model.get("min_cached_tokens", 0)
    if "cache_read" not in model["prices"]:
        return NoCache(factor)
    if model.get("cache_marks") == "blocks":
        ttl = LONG_MARK_TTL_SECONDS if long_marks else MARK_TTL_SECONDS
        return MarkedCache(factor, least, ttl, lookback=model.get("cache_lookback_blocks"))
    if model.get("cache_marks") == "breakpoints":
        # Its lookback counts marks, 50 of them, not blocks. The latest is always among those here.
        ttl = LONG_BREAKPOINT_TTL_SECONDS if long_marks else BREAKPOINT_TTL_SECONDS
        return BreakpointCache(factor, least, ttl)
    if model["family"] == "openai":
        return PrefixCache(factor, least, OPENAI_TTL_SECONDS, OPENAI_STEP_TOKENS)
    return PrefixCache(factor, least, GEMINI_TTL_SECONDS)


def dollars(prices, usage, long_marks=False):
    """What an input costs. A long one is charged by the step's prices, all of it."""
    step = prices.get("step")
    rates = step if step and usage.total > step["above_tokens"] else prices
    read = rates.get("cache_read", rates["input"])
    write = rates.get("cache_write", rates["input"])
    if long_marks:
        write = rates.get("cache_write_long", write)
    return (usage.read * read + usage.written * write + usage.uncached * rates["input"]) / 1e6


class Bill(typing.NamedTuple):
    """The input of a conversation: tokens and dollars."""

    usage: Usage
    dollars: float


def price(model, requests, pause_seconds, long_marks=False, cache=None):
    """The bill of one conversation whose requests are sent `pause_seconds` apart."""
    cache = cache or cache_of(model, long_marks)
    total, cost = Usage(), 0.0
    for number, request in enumerate(requests):
        usage = cache.charge(request, number * pause_seconds)
        total, cost = total.plus(usage), cost + dollars(model["prices"], usage, long_marks)
    return Bill(total, cost)


class SelfTest(unittest.TestCase):
    """Rules as the providers' pages give them."""

    @staticmethod
    def request(count, tokens=100, marks=(), kind="text", name="b"):
        return Request([Block(f"{name}{at}", tokens, kind) for at in range(count)], tuple(marks))

    def test_the_example_of_the_lookback_of_20_blocks(self):
        cache = MarkedCache(1, 1_000, 300, lookback=20)
        self.assertEqual(cache.charge(self.request(10, marks=[9]), 0), (0, 1_000, 3))
        self.assertEqual(cache.charge(self.request(15, marks=[14]), 1), (1_000, 500, 3))
        # The entry at block 15 is one position too far from block 35.
        far = MarkedCache(1, 1_000, 300, lookback=20)
        far.charge(self.request(15, marks=[14]), 0)
        self.assertEqual(far.charge(self.request(35, marks=[34]), 1), (0, 3_500, 3))
        near = MarkedCache(1, 1_000, 300, lookback=20)
        near.charge(self.request(15, marks=[14]), 0)
        self.assertEqual(near.charge(self.request(34, marks=[33]), 1), (1_500, 1_900, 3))
        # A second mark where the earlier request ended finds it from there.
        second = MarkedCache(1, 1_000, 300, lookback=20)
        second.charge(self.request(15, marks=[14]), 0)
        self.assertEqual(second.charge(self.request(35, marks=[14, 34]), 1), (1_500, 2_000, 3))

    def test_a_run_of_results_is_one_position(self):
        head = self.request(15).blocks
        run = [Block(f"r{at}", 100, "result") for at in range(40)]
        cache = MarkedCache(1, 0, 300, lookback=20)
        cache.charge(Request(head, (14,)), 0)
        self.assertEqual(cache.charge(Request(head + run, (54,)), 1), (1_500, 4_000, 3))

    def test_entries_are_at_marks_alone(self):
        cache = MarkedCache(1, 0, 300, lookback=20)
        cache.charge(self.request(10, marks=[9]), 0)
        self.assertEqual(cache.charge(self.request(8, marks=[7]), 1), (0, 800, 3))

    def test_a_prefix_below_the_least_is_not_cached_and_not_charged_as_written(self):
        cache = MarkedCache(1.6, 2_000, 300, lookback=20)
        for now in (0, 1):
            self.assertEqual(cache.charge(self.request(10, marks=[9]), now), (0, 0, 1_605))

    def test_a_read_makes_an_entry_live_on(self):
        cache = MarkedCache(1, 0, 300, lookback=20)
        reads = [cache.charge(self.request(2, marks=[1]), now).read for now in (0, 299, 598, 898)]
        self.assertEqual(reads, [0, 200, 200, 0])

    def test_a_change_makes_everything_behind_it_new(self):
        cache = MarkedCache(1, 0, 300, lookback=20)
        cache.charge(self.request(10, marks=[0, 9]), 0)
        changed = self.request(10, marks=[0, 9])
        changed.blocks[1] = Block("other", 100)
        self.assertEqual(cache.charge(changed, 1), (100, 900, 3))

    def test_prefixes_are_cached_in_steps(self):
        for tokens, read in ((1_023, 0), (1_024, 1_024), (1_151, 1_024), (1_152, 1_152), (2_000, 1_920)):
            cache = PrefixCache(1, 1_024, 300, 128)
            cache.charge(self.request(1, tokens), 0)
            self.assertEqual(cache.charge(self.request(1, tokens), 1).read, read)
            self.assertEqual(cache.charge(self.request(1, tokens), 400).read, 0)

    def test_a_block_that_begins_like_another_is_read_so_far(self):
        cache = PrefixCache(1, 100, 300)
        cache.charge(Request([Block("abcdefgh", 800)]), 0)
        self.assertEqual(cache.charge(Request([Block("abcdwxyz", 800)]), 1), (400, 0, 403))

    def test_breakpoints_are_found_at_breakpoints_alone(self):
        cache = BreakpointCache(1, 0, 1_800)
        self.assertEqual(cache.charge(self.request(10, marks=[1, 9]), 0), (0, 1_000, 3))
        # The end of the request before has no mark here, the head has one.
        self.assertEqual(cache.charge(self.request(14, marks=[1, 13]), 1), (200, 1_200, 3))
        self.assertEqual(cache.charge(self.request(20, marks=[13, 17]), 2), (1_400, 400, 203))
        self.assertEqual(cache.charge(self.request(20, marks=[13, 17]), 1_802), (0, 1_800, 203))

    def test_a_long_input_is_charged_by_the_step(self):
        step = {"above_tokens": 1_000, "input": 2.0, "cache_read": 0.5}
        prices = {"input": 1.0, "cache_read": 0.1, "step": step}
        self.assertAlmostEqual(dollars(prices, Usage(500, 0, 500)), 0.00055)
        self.assertAlmostEqual(dollars(prices, Usage(500, 0, 501)), 0.001252)
        marked = {"input": 1.0, "cache_read": 0.1, "cache_write": 1.25, "cache_write_long": 2.0}
        self.assertAlmostEqual(dollars(marked, Usage(1_000, 1_000, 1_000)), 0.00235)
        self.assertAlmostEqual(dollars(marked, Usage(1_000, 1_000, 1_000), long_marks=True), 0.0031)

    def test_a_sliding_window_costs_more_than_everything_at_marks(self):
        model = {"name": "m", "family": "anthropic", "cache_marks": "blocks", "cache_lookback_blocks": 20,
                 "min_cached_tokens": 512, "prices": {"input": 3.0, "cache_read": 0.3, "cache_write": 3.75}}
        blocks = self.request(100, 1_000).blocks
        everything = [Request(blocks[:end], (end - 1,)) for end in range(1, 101)]
        sliding = [Request(blocks[max(end - 40, 0):end], (min(end, 40) - 1,)) for end in range(1, 101)]
        whole, window = price(model, everything, 20), price(model, sliding, 20)
        # 1,000 tokens are written and all others read each time; in the window, 40,000 are written.
        self.assertAlmostEqual(whole.dollars, (100 * 3_750 + sum(range(100)) * 300 + 300 * 3) / 1e6)
        self.assertAlmostEqual(
            window.dollars, (40 * 3_750 + sum(range(40)) * 300 + 60 * 40 * 3_750 + 300 * 3) / 1e6)
        self.assertEqual(price(model, everything, 301).usage.read, 0)

    def test_each_family_has_its_cache(self):
        row = {"family": "gemini", "min_cached_tokens": 4_096, "prices": {"input": 1.0, "cache_read": 0.1}}
        self.assertIsInstance(cache_of(row), PrefixCache)
        self.assertEqual(cache_of({**row, "family": "openai"}).step_tokens, 128)
        implicit = cache_of({**row, "family": "openai", "cache_marks": "breakpoints"})
        implicit.charge(self.request(50), 0)
        self.assertEqual(implicit.charge(self.request(90), 1_799), (5_000, 4_000, 3))
        self.assertIsInstance(cache_of({**row, "prices": {"input": 1.0}}), NoCache)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--self-test", action="store_true", required=True, help="check the rules")
    arguments.parse_args()
    unittest.main(argv=["cache_simulation"])
