import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { itemTokens } from '../../src/core/history/token-counts.ts';
import { responsesEncoder } from '../../src/adapters/model/responses/encode.ts';
import type { Ordinal } from '../../src/protocol/ids.ts';
import { asItem, hasUnreadOutput, type Item, takeItemText } from '../../src/protocol/item.ts';
import type { Json, JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { decodeLine } from '../../src/adapters/rollout/lines/line-format.ts';
import { readRolloutLines } from '../../src/adapters/rollout/lines/read-lines.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';

/** The items of a file with these lines, as a thread that is resumed gets them. */
async function itemsOf(lines: readonly string[]): Promise<readonly Item[]> {
  const read = await linesOf(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  return read.map(({ payload }) => asItem(payload)!);
}

async function linesOf(bytes: Buffer): Promise<readonly Line[]> {
  const file = await new SimulatedDisk().open('/file', { create: true, mode: 0o600 });
  await file.append(bytes);
  const lines: Line[] = [];
  for await (const line of readRolloutLines(file, { from: 0 as Ordinal })) lines.push(line);
  return lines;
}

const bodyOf = (input: readonly Item[]): string => {
  const options = { model: 'm', parallelToolCalls: true, cacheKey: 'k', labels: {} };
  return Buffer.concat(responsesEncoder().body({ options, instructions: '', tools: [], input })).toString('utf8');
};

const lineText = (payload: string, rest = ''): string =>
  `{"timestamp":"2026-11-15T00:00:00.000Z","ordinal":7,"type":"response_item","payload":${payload}${rest}}`;

const plain = ['plain text ', 'é', '🙂', '\u2028', '\\n', '\\"', '\\\\'];
/** There are several ways to write these, or they look so. */
const ambiguous = ['\\\\u0041', '\\/', '\\u001b', '\\u00e9'];
const longString = fc
  .oneof(fc.array(fc.constantFrom(...plain)), fc.array(fc.constantFrom(...plain, ...ambiguous)))
  .map((parts) => `"${parts.join('')}${'x'.repeat(3000)}"`);
const members = fc.array(
  fc.oneof(
    longString.map((text) => `"output":${text}`),
    fc.constantFrom('"call_id":"c"', '"n":12', '"é":"é"'),
    fc.constantFrom(
      '"status": "spaced"',
      '"n":1.0',
      '"0":true',
      '"hole":"\uffff"',
      '"hole":"\\uffff"',
      '"output":"\\uffff"',
      '"output":["\\uffff"]',
      '"__proto__":{"output":"of another"}',
      `"list":[${'"short",'.repeat(400)}"last"]`,
      '"type":"custom_tool_call_output"',
    ),
    fc.constantFrom('"id":"fco_1"', '"id":"no provider\'s"', '"id":null'),
    fc.constant('"internal_chat_message_metadata_passthrough":{"turn_id":"t","create_time":1794717420.5407884}'),
    fc
      .array(longString, { maxLength: 2 })
      .map((texts) => `"content":[${texts.map((text) => `{"text":${text}}`).join(',')}]`),
  ),
  { minLength: 1, maxLength: 5 },
);
/** Mostly each name once, as programs write it. */
const payloads = fc
  .tuple(fc.constantFrom('function_call_output', 'message'), members, fc.constantFrom('once', 'once', 'again'))
  .map(([type, parts, names]) => {
    const unique = parts.filter((part, i) => parts.findIndex((other) => keyOf(other) === keyOf(part)) === i);
    return `{"type":"${type}",${(names === 'once' ? unique : parts).join(',')}}`;
  });
/** Before and behind the brace that closes the line. */
const rests = fc.constantFrom(
  '',
  '',
  ',"metadata":{"capstan":{"turn":"t"}}',
  ',"metadata":{"capstan":{"turn":"t"}}',
  ',"metadata":7',
  ',"payload":{"type":"message"}',
  ',"metadata":{"output":"\\uffff"}',
  ', "metadata":{}',
  ',"metadata":{},"later":1',
  ' ',
);
const ends = fc.constantFrom('', '', '', '', '\r', ' ');

function keyOf(member: string): string {
  return member.slice(0, member.indexOf(':'));
}

it('an item that was read is sent in the bytes that its value alone would give, and weighs as much', async () => {
  let kept = 0;
  const runs = 200 * inject('runFactor');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(payloads, rests, ends), { minLength: 1, maxLength: 4 }), async (lines) => {
      const texts = lines.map(([payload, rest, end]) => lineText(payload, rest) + end);
      const values = texts.map((text) => (JSON.parse(text) as { payload: Item }).payload);
      const items = await itemsOf(texts);
      expect(items.map(itemTokens)).toEqual(values.map(itemTokens));
      expect(bodyOf(items)).toBe(bodyOf(values));
      expect(items).toEqual(values);
      expect(bodyOf(items)).toBe(bodyOf(values));
      for (const item of await itemsOf(texts)) kept += takeItemText(item) === undefined ? 0 : 1;
    }),
    { numRuns: runs },
  );
  expect(kept).toBeGreaterThan(runs / 30);
});

it('a long output that is left unread hides no line that is a bad one, and changes none', async () => {
  const output = 'a "quoted" line, naïve\n'.repeat(200);
  const item = { type: 'function_call_output', id: 'fco_1', call_id: 'c', output };
  const whole = Buffer.from(lineText(JSON.stringify(item), ',"metadata":{"capstan":{"turn":"t"}}'));
  const byte = fc.oneof(fc.constantFrom(0x22, 0x5c, 0x0d, 0x1f, 0x20, 0x7f, 0x80, 0xc3, 0xff), fc.nat(255));
  let [bad, good] = [0, 0];
  const runs = 150 * inject('runFactor');
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), byte, async (at, value) => {
      fc.pre(value !== 0x0a);
      const bytes = Buffer.from(whole);
      bytes[at] = value;
      const decoded = decodeLine(bytes);
      const lines = await linesOf(Buffer.concat([bytes, Buffer.from('\n')]));
      expect(lines).toEqual(typeof decoded === 'string' ? [] : [decoded]);
      expect(lines.map((line) => JSON.stringify(line))).toEqual(
        typeof decoded === 'string' ? [] : [JSON.stringify(decoded)],
      );
      if (typeof decoded === 'string') bad++;
      else good++;
    }),
    { numRuns: runs },
  );
  expect(Math.min(bad, good)).toBeGreaterThan(runs / 10);
});

it('leaves a long output unread until a reader looks at it', async () => {
  const item = { type: 'function_call_output', call_id: 'c', output: 'ü\n'.repeat(2000) };
  const [read] = await itemsOf([lineText(JSON.stringify(item))]);
  bodyOf([read!]);
  const before = hasUnreadOutput(read!);
  expect({ before, value: { ...read }, after: hasUnreadOutput(read!) }).toEqual({
    before: true,
    value: item,
    after: false,
  });
});

it('keeps the text of what Capstan and Codex write', async () => {
  const output = 'a "quoted" line\n'.repeat(1000);
  const ours = { type: 'function_call_output', id: 'fco_1', call_id: 'c', output };
  const theirs = { ...ours, internal_chat_message_metadata_passthrough: { turn_id: 't', create_time: 1.5 } };
  const message: JsonObject = {
    type: 'message',
    id: 'msg_1',
    role: 'user',
    content: [{ type: 'input_text', text: output }],
  };
  const text = (payload: Json, metadata: Json): string =>
    lineText(JSON.stringify(payload), `,"metadata":${JSON.stringify(metadata)}`);
  const items = await itemsOf([
    text(ours, { capstan: { turn: 't', origin: { family: 'tool' } } }),
    text(theirs, { client_authored: false }),
    text(message, { user_input_order: 1 }),
    lineText(JSON.stringify(ours)),
  ]);
  expect(items.map((item) => takeItemText(item)?.toString('utf8'))).toEqual(
    [ours, theirs, message, ours].map((item) => JSON.stringify(item)),
  );
});
