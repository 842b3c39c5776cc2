// Pictures of the documentation: what is written can be read, and differences are seen.

import assert from "node:assert/strict";
import { test } from "node:test";
import { animate, decode, difference, encode } from "../scripts/png.mjs";

const picture = (width, height, colourAt) => ({ width, height, pixels: Uint32Array.from({ length: width * height }, (_, at) => colourAt(at % width, Math.floor(at / width))) });
const names = (file) => {
  const found = [];
  for (let at = 8; at < file.length; at += file.readUInt32BE(at) + 12) found.push(file.toString("latin1", at + 4, at + 8));
  return found;
};

test("a picture is read as it was written, with its most frequent colours", () => {
  const few = picture(37, 11, (x, y) => [0xff0000, 0x00ff80, 0x1234ab][(x * y) % 3]);
  assert.deepEqual(decode(encode(few)), few);
  const many = picture(64, 64, (x, y) => (y < 62 ? 0xffffff : (x * 4) << 8));
  assert.ok(difference(decode(encode(many)), many) === 0, "rare colours are near to those that are kept");
});

test("the share of pixels that differ visibly is counted", () => {
  const white = picture(100, 10, () => 0xffffff);
  assert.equal(difference(white, picture(100, 10, (x) => (x < 3 ? 0 : 0xffffff))), 0.03);
  assert.equal(difference(white, picture(100, 10, () => 0xfafafa)), 0);
  assert.equal(difference(white, picture(10, 100, () => 0xffffff)), 1);
});

test("a frame of an animation has what differs from the one before", () => {
  const ground = picture(20, 20, () => 0xffffff);
  const dot = picture(20, 20, (x, y) => (x === 4 && y === 7 ? 0 : 0xffffff));
  const file = animate([{ picture: ground, ms: 500 }, { picture: dot, ms: 250 }, { picture: dot, ms: 250 }]);
  assert.deepEqual(names(file), ["IHDR", "acTL", "PLTE", "fcTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"]);
  assert.deepEqual(decode(file), ground);
  const second = file.indexOf("fcTL", file.indexOf("IDAT")) + 4;
  assert.deepEqual([0, 4, 8, 12, 16].map((at) => file.readUInt32BE(second + at)), [1, 1, 1, 4, 7]);
  assert.equal(file.readUInt16BE(second + 20), 250);
});
