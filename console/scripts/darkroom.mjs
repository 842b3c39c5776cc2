// Pictures in a page of the browser: PNG to WebP without loss, several to an animation, and the difference of two. No
// other program is needed.

const DIFFERENT = 24;

/** Opens the page that works on pictures. All pictures are buffers. */
export async function openDarkroom(browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addScriptTag({ content: `(${tools.toString()})()` });
  const text = (buffer) => buffer.toString("base64");
  const buffer = (found) => Buffer.from(found, "base64");
  return {
    /** A WebP of the same pixels, apart from the lowest bits of colours. */
    encode: async (png) => buffer(await page.evaluate((picture) => globalThis.darkroom.encode(picture), text(png))),
    /** The share of pixels that differ visibly; 1 if the sizes differ. */
    difference: (one, other) => page.evaluate(([first, second, most]) => globalThis.darkroom.difference(first, second, most), [text(one), text(other), DIFFERENT]),
    /** An endless animation of frames: `{ png, ms }`. Each frame has what differs from the one before. */
    animate: async (frames) => {
      const parts = await page.evaluate((pictures) => globalThis.darkroom.changes(pictures), frames.map(({ png }) => text(png)));
      return animation(parts.map((part, at) => ({ ...part, data: buffer(part.webp), ms: frames[at].ms })));
    },
    close: () => context.close(),
  };
}

/** What runs in the page. */
function tools() {
  const STEP = 5;
  const read = async (picture) => {
    const response = await fetch(`data:image/*;base64,${picture}`);
    const bitmap = await createImageBitmap(await response.blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0);
    return { canvas, context, pixels: context.getImageData(0, 0, canvas.width, canvas.height) };
  };
  // Fewer colours at the edges of letters are a fifth fewer bytes, and nobody sees it.
  const rounded = (shot) => {
    const { data } = shot.pixels;
    for (let at = 0; at < data.length; at += 1) data[at] = Math.round(data[at] / STEP) * STEP;
    shot.context.putImageData(shot.pixels, 0, 0);
    return shot;
  };
  const write = async (canvas) => {
    // A quality of 1 is without loss.
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 1 });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = "";
    for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return btoa(text);
  };
  globalThis.darkroom = {
    encode: async (picture) => write(rounded(await read(picture)).canvas),
    difference: async (one, other, most) => {
      const [first, second] = [(await read(one)).pixels, (await read(other)).pixels];
      if (first.width !== second.width || first.height !== second.height) return 1;
      let many = 0;
      for (let at = 0; at < first.data.length; at += 4) {
        if ([0, 1, 2].some((channel) => Math.abs(first.data[at + channel] - second.data[at + channel]) > most)) many += 1;
      }
      return many / (first.width * first.height);
    },
    changes: async (pictures) => {
      const parts = [];
      let last = null;
      for (const picture of pictures) {
        const { canvas, pixels } = rounded(await read(picture));
        let [left, top, right, bottom] = last ? [canvas.width, canvas.height, 0, 0] : [0, 0, canvas.width, canvas.height];
        for (let at = 0; last && at < pixels.data.length; at += 4) {
          if (pixels.data[at] === last.data[at] && pixels.data[at + 1] === last.data[at + 1] && pixels.data[at + 2] === last.data[at + 2]) continue;
          const [x, y] = [(at / 4) % canvas.width, Math.floor(at / 4 / canvas.width)];
          [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
        }
        if (right <= left) [left, top, right, bottom] = [0, 0, 2, 2];
        // Places of frames are even.
        [left, top] = [left - (left % 2), top - (top % 2)];
        const part = new OffscreenCanvas(right - left, bottom - top);
        part.getContext("2d").drawImage(canvas, -left, -top);
        parts.push({ left, top, width: part.width, height: part.height, webp: await write(part) });
        last = pixels;
      }
      return parts;
    },
  };
}

const number = (value, bytes) => Buffer.from(Array.from({ length: bytes }, (_, at) => (value >> (8 * at)) & 255));

function chunk(name, data) {
  return Buffer.concat([Buffer.from(name), number(data.length, 4), data, Buffer.alloc(data.length % 2)]);
}

/** The chunks of a WebP that have its pixels. */
function pixelsOf(webp) {
  const found = [];
  for (let at = 12; at + 8 <= webp.length; ) {
    const size = webp.readUInt32LE(at + 4);
    const name = webp.toString("latin1", at, at + 4);
    if (["VP8L", "VP8 ", "ALPH"].includes(name)) found.push(chunk(name, webp.subarray(at + 8, at + 8 + size)));
    at += 8 + size + (size % 2);
  }
  return Buffer.concat(found);
}

/** The container of animations, by the WebP container specification. */
function animation(parts) {
  const [first] = parts;
  const size = Buffer.concat([number(first.width - 1, 3), number(first.height - 1, 3)]);
  const frames = parts.map(({ left, top, width, height, ms, data }) =>
    // The frame replaces what is there, and stays.
    chunk("ANMF", Buffer.concat([number(left / 2, 3), number(top / 2, 3), number(width - 1, 3), number(height - 1, 3), number(ms, 3), number(2, 1), pixelsOf(data)])));
  const content = Buffer.concat([Buffer.from("WEBP"), chunk("VP8X", Buffer.concat([number(2, 4), size])), chunk("ANIM", Buffer.concat([number(0xffffffff, 4), number(0, 2)])), ...frames]);
  return Buffer.concat([Buffer.from("RIFF"), number(content.length, 4), content]);
}
