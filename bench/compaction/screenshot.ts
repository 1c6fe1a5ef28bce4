import { crc32, deflateSync } from 'node:zlib';
import type { Item } from '../../src/protocol/item.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';

/** The item with pictures that every program can read, of the size of a screenshot, one colour each. */
export function withScreenshots(item: Item): Item {
  const { content } = item;
  if (!Array.isArray(content)) return item;
  return { ...item, content: content.map((part) => (isJsonObject(part) ? withScreenshot(part) : part)) };
}

function withScreenshot(part: JsonObject): JsonObject {
  const { image_url: url } = part;
  return typeof url === 'string' ? { ...part, image_url: screenshot(crc32(url) % 256) } : part;
}

const [width, height] = [1024, 768];

/** A grey PNG as a data URL. */
export function screenshot(shade: number): string {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  const rows = Buffer.alloc((width + 1) * height, shade);
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  const chunks = [
    chunk('IHDR', Buffer.concat([size, Buffer.from([8, 0, 0, 0, 0])])),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ];
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return `data:image/png;base64,${Buffer.concat([signature, ...chunks]).toString('base64')}`;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
