/** The cases that all clients run, and what compares with them; clients/conformance has the matchers. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/** The cases of a file. */
export function cases(name) {
  const { cases: rows } = JSON.parse(readFileSync(new URL(`../../conformance/${name}.json`, import.meta.url), "utf8"));
  assert.ok(rows.length > 0, `there are no cases in ${name}`);
  return rows;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const MATCHERS = {
  $any: () => true,
  $type: (type, value) =>
    ({ string: typeof value === "string", integer: Number.isInteger(value), boolean: typeof value === "boolean",
       array: Array.isArray(value), object: isObject(value) })[type],
  $match: (pattern, value) => typeof value === "string" && new RegExp(pattern).test(value),
  $min: (limit, value) => Number(value) >= limit,
  $max: (limit, value) => Number(value) <= limit,
  $bind: (name, value, bound) => {
    bound[name] = value;
    return value !== undefined && value !== null;
  },
  $same: (name, value, bound) => bound[name] === value,
};

/** Compares a value with what a case says of it. */
export function check(expected, actual, where, bound = {}, { subset = false } = {}) {
  if (isObject(expected) && Object.keys(expected).some((name) => name.startsWith("$"))) {
    for (const [name, value] of Object.entries(expected)) {
      assert.ok(name in MATCHERS, `${where}: there is no matcher ${name}`);
      assert.ok(MATCHERS[name](value, actual, bound), `${where}: ${JSON.stringify(actual)} is not ${name} ${value}`);
    }
  } else if (isObject(expected) && isObject(actual)) {
    if (!subset) assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort(), `${where}: members`);
    for (const [name, value] of Object.entries(expected)) {
      assert.ok(name in actual, `${where}/${name}: is missing`);
      check(value, actual[name], `${where}/${name}`, bound, { subset });
    }
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    assert.equal(actual.length, expected.length, `${where}: rows`);
    expected.forEach((row, at) => check(row, actual[at], `${where}/${at}`, bound, { subset }));
  } else {
    assert.deepEqual(actual ?? null, expected ?? null, where);
  }
}
