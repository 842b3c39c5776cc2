#!/usr/bin/env python3
"""Checks signatures with the Python library of Standard Webhooks.

    CONTEXTURE_SIGNATURES_OUT=signatures.jsonl cargo test --test it signatures
    pip install standardwebhooks
    python3 scripts/check_signatures.py signatures.jsonl

Each row has a secret, the headers and the body of a call, and whether they belong together.
The library refuses messages that are older than five minutes.
"""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def verifies(row):
    try:
        Webhook(row["secret"]).verify(row["body"], row["headers"])
        return True
    except WebhookVerificationError:
        return False


def main():
    rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    wrong = [row for row in rows if verifies(row) != row["valid"]]
    print(f"{len(rows) - len(wrong)} of {len(rows)} rows as they should be")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
