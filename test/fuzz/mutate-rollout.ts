import type { Random } from '../harness/random.ts';
import type { RolloutSample } from './rollout-corpus.ts';

export interface Mutant {
  readonly what: string;
  readonly bytes: Buffer;
  /** Lines at the beginning that are as they were. */
  readonly intact: readonly Buffer[];
}

/** The file with damage from some line on. The damage may be of several kinds. */
export function mutate({ lines }: RolloutSample, random: Random): Mutant {
  // A part of the thread is quicker to read, and no less odd.
  const chosen = [lines[0]!, ...lines.slice(1).filter(() => random.happens(0.15))];
  // Mostly behind the first line: without that one there is little to be kept.
  const at = random.happens(0.1) ? 0 : 1 + random.below(chosen.length);
  const intact = chosen.slice(0, at);
  let damaged: readonly Buffer[] = chosen.slice(at);
  const told: string[] = [];
  for (let count = 1 + random.below(2); count > 0; count--) {
    const [name, kind] = random.pick(Object.entries(kinds));
    told.push(name);
    damaged = kind(damaged, random);
  }
  const end = damaged.length > 0 && random.happens(0.2) ? Buffer.alloc(0) : newline;
  const body = Buffer.concat([...intact, ...damaged].flatMap((line) => [line, newline]).slice(0, -1));
  return { what: `${told.join(', ')} from line ${at}`, bytes: Buffer.concat([body, end]), intact };
}

const newline = Buffer.from('\n');

/** Mostly short ones: what matters is that some are longer than one block of a reader. */
const lengths = [500, 500, 500, 500, 500, 70_000];
/** Some are more than any stack holds. */
const depths = [50, 500, 500, 1500, 1500, 1500, 1500, 30_000];

type Mutation = (lines: readonly Buffer[], random: Random) => readonly Buffer[];

const kinds: Readonly<Record<string, Mutation>> = {
  'bits turned over': onOne((line, random) => {
    const bytes = Buffer.from(line);
    for (let count = 1 + random.below(4); count > 0; count--) {
      const place = random.below(Math.max(1, bytes.length));
      if (bytes.length > 0) bytes[place] = bytes[place]! ^ (1 << random.below(8));
    }
    return bytes;
  }),
  'a line cut off': onOne((line, random) => line.subarray(0, random.below(line.length + 1))),
  'the beginning of a line lost': onOne((line, random) => line.subarray(random.below(line.length + 1))),
  'the rest of the file lost': (lines, random) => {
    const kept = lines.slice(0, random.below(lines.length + 1));
    const last = kept.at(-1);
    return last === undefined ? [] : [...kept.slice(0, -1), last.subarray(0, random.below(last.length + 1))];
  },
  'a line twice': (lines, random) => {
    const place = random.below(lines.length + 1);
    return [...lines.slice(0, place), ...lines.slice(Math.max(0, place - 1))];
  },
  'lines in another order': (lines, random) => lines.toSorted(() => random.next() - 0.5),
  'lines removed': (lines, random) => lines.filter(() => random.happens(0.6)),
  'a huge line': onOne((line, random) => {
    const filling = Buffer.alloc(random.pick(lengths) + random.below(500), random.pick(['x', ' ', '[', '"', '\\']));
    return random.pick([filling, Buffer.concat([line.subarray(0, -1), filling])]);
  }),
  'bytes that are no text': onOne((line, random) => splice(line, random, random.bytes(1 + random.below(6)))),
  'half a character': onOne((line, random) => splice(line, random, Buffer.from('€').subarray(0, 1 + random.below(2)))),
  'zero bytes': onOne((line, random) =>
    random.pick([Buffer.alloc(line.length), splice(line, random, Buffer.alloc(9))]),
  ),
  'blank lines': onOne((_line, random) => Buffer.from(random.pick(['', '  ', '\r', '\ufeff', '\n\n']))),
  'values of other types': onOne((line, random) => changeValue(line, random, () => random.pick(oddValues))),
  'members lost': onOne((line, random) => changeValue(line, random, () => undefined)),
  'deep nesting': onOne((line, random) => {
    const marked = changeValue(line, random, () => nestingMark).toString('utf8');
    return Buffer.from(marked.replace(JSON.stringify(nestingMark), nested(random)));
  }),
  'another program’s line': onOne((_line, random) => Buffer.from(random.pick(oddLines))),
};

function onOne(change: (line: Buffer, random: Random) => Buffer): Mutation {
  return (lines, random) => {
    const place = random.below(Math.max(1, lines.length));
    return lines.length === 0 ? [change(Buffer.from('{}'), random)] : lines.with(place, change(lines[place]!, random));
  };
}

function splice(line: Buffer, random: Random, bytes: Buffer): Buffer {
  const place = random.below(line.length + 1);
  return Buffer.concat([line.subarray(0, place), bytes, line.subarray(place + random.below(3))]);
}

const nestingMark = 'nested here';

function nested(random: Random): string {
  const depth = random.pick(depths);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ] as const);
  return `${open.repeat(depth)}1${close.repeat(random.happens(0.8) ? depth : depth - 1)}`;
}

const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  0.5,
  '',
  'é',
  '\ud800',
  '../..',
  [],
  [null],
  [[]],
  {},
  { type: 3 },
  { '': null },
  { __proto__: null, constructor: 1 },
  'x'.repeat(3000),
  ['a', 1, {}],
  { type: 'message' },
  '2026-13-99T99:99:99Z',
];

const oddLines: readonly string[] = [
  '{"timestamp":1,"ordinal":"x","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1e99}}',
  '{"timestamp":"","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":-3}}',
  '{"timestamp":"","ordinal":18446744073709551615,"type":"world_state","payload":{"full":true,"state":7}}',
  '{"timestamp":"","ordinal":0,"type":"session_meta","payload":{"id":"other","history_mode":"legacy"}}',
  '{"timestamp":"","type":"compacted","payload":{"message":1,"replacement_history":[1,null,{"type":"message"}]}}',
  '{"timestamp":"","type":"compacted","payload":{"replacement_history":[],"capstan":{"usage":{},"tool_sets":{"a":1},"open_turn":{"id":7}}}}',
  '{"timestamp":"","type":"response_item","payload":{"type":"message","role":"user","content":"text"}}',
  '{"timestamp":"","type":"response_item","payload":{"type":"message","content":[null]},"metadata":{"capstan":{"origin":3}}}',
  '{"timestamp":"","type":"capstan_call","payload":{"call_id":"c","turn_id":"","process":{"pid":-1,"started_at":"","mark":1}}}',
  '{"timestamp":"","type":"capstan_tool_set","payload":{"name":"n","tools":[1,{"a":null}]}}',
  '{"timestamp":"","type":"__proto__","payload":{"__proto__":{"type":"x"}}}',
  'null',
  '[]',
  '"text"',
  '1e999',
  '{',
  '{}',
  '{"type":"x"}',
  '{"type":"x","payload":[]}',
  'NaN',
];

/** Puts something else in the place of one value, anywhere in the line. */
function changeValue(line: Buffer, random: Random, change: () => unknown): Buffer {
  let value: unknown;
  // Writing again what is nested that deep is beyond this program, too.
  if (line.length > 20_000) return line;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    return line;
  }
  const places = placesIn(value, 0);
  if (places.length === 0) return line;
  const { owner, key } = random.pick(places);
  const changed = change();
  if (changed !== undefined) owner[key] = changed;
  else delete owner[key];
  return Buffer.from(JSON.stringify(value));
}

interface ValuePlace {
  readonly owner: Record<string, unknown>;
  readonly key: string;
}

function placesIn(value: unknown, depth: number): readonly ValuePlace[] {
  if (typeof value !== 'object' || value === null || depth > 8) return [];
  const owner = value as Record<string, unknown>;
  return Object.keys(owner).flatMap((key) => [{ owner, key }, ...placesIn(owner[key], depth + 1)]);
}
