// The request that the playground begins with: an agent that looks for the cause of a flaky test.

const log = Array.from({ length: 90 }, (_, at) => {
  const second = String(at % 60).padStart(2, "0");
  const minute = String(12 + Math.floor(at / 60)).padStart(2, "0");
  if (at === 57) return `2026-03-04T09:${minute}:${second}.118Z ERROR pool timeout after 5000 ms waiting for a connection (in use 10 of 10) test=checkout_retries`;
  return `2026-03-04T09:${minute}:${second}.${String((at * 37) % 1000).padStart(3, "0")}Z INFO  request done path=/api/cart status=200 duration_ms=${18 + ((at * 7) % 23)} worker=${at % 4}`;
}).join("\n");

const tests = JSON.stringify(
  Array.from({ length: 26 }, (_, at) => ({
    name: ["checkout_retries", "cart_totals", "login_redirects", "search_ranks"][at % 4] + (at > 3 ? `_${at}` : ""),
    file: `tests/${["checkout", "cart", "login", "search"][at % 4]}.test.ts`,
    status: at === 0 ? "failed" : "passed",
    duration_ms: 40 + ((at * 53) % 400),
    retries: at === 0 ? 2 : 0,
  })),
);

const source = `import { pool } from "../db";

/** Retries a checkout until it is accepted, at most three times. */
export async function checkout(cart: Cart): Promise<Receipt> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      const receipt = await place(client, cart);
      await client.query("COMMIT");
      client.release();
      return receipt;
    } catch (error) {
      await client.query("ROLLBACK");
      if (!isRetryable(error)) throw error;
    }
  }
  throw new CheckoutError("not accepted after three attempts");
}

function isRetryable(error: unknown): boolean {
  return error instanceof DatabaseError && ["40001", "40P01"].includes(error.code ?? "");
}
`;

function call(id: string, name: string, input: Record<string, unknown>, text = "") {
  return { role: "assistant", content: text, tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }] };
}

function result(id: string, content: string) {
  return { role: "tool", tool_call_id: id, content };
}

export const EXAMPLE = JSON.stringify(
  {
    messages: [
      { role: "system", content: "You are a careful engineer. Find the cause before you change anything." },
      { role: "user", content: "The test checkout_retries fails about once in five runs. Please find out why." },
      call("call_1", "run_tests", { pattern: "*" }, "I run the suite first."),
      result("call_1", tests),
      call("call_2", "read_log", { service: "api", minutes: 2 }, "One failure, in checkout_retries. The log of that run:"),
      result("call_2", log),
      call("call_3", "read_file", { path: "src/checkout.ts" }, "A connection was not available for five seconds. Who holds them?"),
      result("call_3", source),
      { role: "assistant", content: "The client is released after a commit and not after a rollback, so each retry leaves a connection behind. With ten connections and four workers the pool is empty after a few conflicts." },
      { role: "user", content: "Good. Look at the log once more: are there other errors?" },
      call("call_4", "read_log", { service: "api", minutes: 2 }),
      result("call_4", log),
      { role: "user", content: "Then mend it." },
    ],
  },
  null,
  2,
);
