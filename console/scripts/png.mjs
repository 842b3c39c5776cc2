// PNG files: reads those of the browser and of this module, writes small ones with a palette, still or animated, and
// tells how much two pictures differ.

import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const RGB = 2;
const INDEXED = 3;
const CHANNELS = { [RGB]: 3, [INDEXED]: 1, 6: 4 };
const MAX_COLOURS = 200;
/** Colours whose distance, squared, is less are one: mostly the edges of letters. */
const LIKE = 48;
/** Channels of one pixel that are this far apart can be seen. */
const VISIBLE = 24;

const number = (value, bytes = 4) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

function chunk(name, data) {
  const named = Buffer.concat([Buffer.from(name), data]);
  return Buffer.concat([number(data.length), named, number(crc32(named) >>> 0)]);
}

function* chunksOf(file) {
  for (let at = SIGNATURE.length; at < file.length; ) {
    const size = file.readUInt32BE(at);
    yield { name: file.toString("latin1", at + 4, at + 8), data: file.subarray(at + 8, at + 8 + size) };
    at += size + 12;
  }
}

/** Undoes the filters of lines, in place. */
function unfilter(lines, stride, step) {
  for (let top = 0, above = -1; top < lines.length; above = top, top += stride) {
    const kind = lines[top];
    for (let at = top + 1; at < top + stride; at += 1) {
      const left = at - top > step ? lines[at - step] : 0;
      const up = above < 0 ? 0 : lines[above + (at - top)];
      const corner = above < 0 || at - top <= step ? 0 : lines[above + (at - top) - step];
      if (kind === 1) lines[at] += left;
      else if (kind === 2) lines[at] += up;
      else if (kind === 3) lines[at] += (left + up) >> 1;
      else if (kind === 4) {
        const guess = left + up - corner;
        const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
        lines[at] += a <= b && a <= c ? left : b <= c ? up : corner;
      }
    }
  }
}

/** Reads a picture of eight bits a channel, not interlaced. `pixels` has a colour, `0xrrggbb`, for each. */
export function decode(file) {
  let [head, palette] = [null, null];
  const data = [];
  for (const { name, data: content } of chunksOf(file)) {
    if (name === "IHDR") head = content;
    else if (name === "PLTE") palette = content;
    else if (name === "IDAT") data.push(content);
  }
  const [width, height, kind] = [head.readUInt32BE(0), head.readUInt32BE(4), head[9]];
  const step = CHANNELS[kind];
  const stride = width * step + 1;
  const lines = inflateSync(Buffer.concat(data));
  unfilter(lines, stride, step);
  const pixels = new Uint32Array(width * height);
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let from = y * stride + 1, x = 0; x < width; x += 1, from += step, to += 1) {
      const at = kind === INDEXED ? lines[from] * 3 : from;
      const source = kind === INDEXED ? palette : lines;
      pixels[to] = (source[at] << 16) | (source[at + 1] << 8) | source[at + 2];
    }
  }
  return { width, height, pixels };
}

const apart = (one, other) => [16, 8, 0].map((bit) => ((one >> bit) & 255) - ((other >> bit) & 255));

const distance = (one, other) => apart(one, other).reduce((sum, channel) => sum + channel * channel, 0);

/** The share of pixels that differ visibly; 1 if the sizes differ. */
export function difference(one, other) {
  if (one.width !== other.width || one.height !== other.height) return 1;
  let many = 0;
  for (let at = 0; at < one.pixels.length; at += 1) {
    if (one.pixels[at] !== other.pixels[at] && apart(one.pixels[at], other.pixels[at]).some((by) => Math.abs(by) > VISIBLE)) many += 1;
  }
  return many / one.pixels.length;
}

/** The colours that pictures have most often, none like another, and for each colour the place of the nearest of them. */
function paletteOf(pictures) {
  const counts = new Map();
  for (const { pixels } of pictures) for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const kept = [];
  for (const [colour] of [...counts].sort((one, other) => other[1] - one[1])) {
    if (kept.length === MAX_COLOURS) break;
    if (kept.every((other) => distance(colour, other) >= LIKE)) kept.push(colour);
  }
  const places = new Map([...counts.keys()].map((colour) => {
    let best = { place: 0, by: Infinity };
    kept.forEach((other, place) => {
      const by = distance(colour, other);
      if (by < best.by) best = { place, by };
    });
    return [colour, best.place];
  }));
  return { colours: chunk("PLTE", Buffer.from(kept.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))), places };
}

/** The compressed lines of a part of a picture. */
function linesOf({ width, pixels }, places, { left, top, right, bottom }) {
  const stride = right - left + 1;
  const lines = Buffer.alloc(stride * (bottom - top));
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) lines[(y - top) * stride + 1 + x - left] = places.get(pixels[y * width + x]);
  }
  return deflateSync(lines, { level: 9, memLevel: 9 });
}

const headOf = ({ width, height }) => chunk("IHDR", Buffer.concat([number(width), number(height), Buffer.from([8, INDEXED, 0, 0, 0])]));
const wholeOf = ({ width, height }) => ({ left: 0, top: 0, right: width, bottom: height });
const END = chunk("IEND", Buffer.alloc(0));

/** Writes a picture with a palette. */
export function encode(picture) {
  const { colours, places } = paletteOf([picture]);
  return Buffer.concat([SIGNATURE, headOf(picture), colours, chunk("IDAT", linesOf(picture, places, wholeOf(picture))), END]);
}

/** Where two pictures differ; a pixel if nowhere. */
function changed(one, other) {
  const box = { left: one.width, top: one.height, right: 0, bottom: 0 };
  for (let at = 0; at < one.pixels.length; at += 1) {
    if (one.pixels[at] === other.pixels[at]) continue;
    const [x, y] = [at % one.width, Math.floor(at / one.width)];
    box.left = Math.min(box.left, x);
    box.top = Math.min(box.top, y);
    box.right = Math.max(box.right, x + 1);
    box.bottom = Math.max(box.bottom, y + 1);
  }
  return box.right === 0 ? { left: 0, top: 0, right: 1, bottom: 1 } : box;
}

/** Writes an endless animation of frames: `{ picture, ms }`. Each has what differs from the one before. */
export function animate(frames) {
  const [first] = frames;
  const { colours, places } = paletteOf(frames.map(({ picture }) => picture));
  let sequence = 0;
  const next = () => number((sequence += 1) - 1);
  const parts = frames.flatMap(({ picture, ms }, at) => {
    const box = at === 0 ? wholeOf(picture) : changed(frames[at - 1].picture, picture);
    const control = Buffer.concat([next(), number(box.right - box.left), number(box.bottom - box.top), number(box.left), number(box.top), number(ms, 2), number(1000, 2), Buffer.from([0, 0])]);
    const lines = linesOf(picture, places, box);
    return [chunk("fcTL", control), at === 0 ? chunk("IDAT", lines) : chunk("fdAT", Buffer.concat([next(), lines]))];
  });
  return Buffer.concat([SIGNATURE, headOf(first.picture), chunk("acTL", Buffer.concat([number(frames.length), number(0)])), colours, ...parts, END]);
}
