import { describe, expect, it } from 'vitest';
import { firstDifference, unifiedDiff } from './difference.ts';
import { normalise, type RunRecord } from './normalise.ts';

const time = { from: Date.parse('2026-11-19T10:00:00Z'), to: Date.parse('2026-11-19T10:01:00Z') };
const first = '01a1f416-9ed6-7585-adbc-60b0762de0b3';
const second = '01a1f416-9ef7-721a-bee3-445ce10657c5';

function replaced(text: string, kind: RunRecord['kind'] = 'file', name = 'a file'): string {
  return normalise([{ kind, name, text }], time)[0]!.text;
}

/** True if two texts differ once both are replaced. */
function differs(old: string, fresh: string, kind: RunRecord['kind'] = 'file', name = 'a file'): boolean {
  const [one, other] = [old, fresh].map((text) => normalise([{ kind, name, text }], time));
  return firstDifference(one!, other!) !== undefined;
}

describe('what differs between two runs of one program is replaced', () => {
  it.each([
    [`${first} ${second} ${first}`, '<id 1> <id 2> <id 1>'],
    [`msg_${first}: ${first.replaceAll('-', '')}, ${first.slice(0, 8)}`, 'msg_<id 1>: <id 1>, <beginning of an id>'],
    ['"timestamp":"2026-11-19T10:00:45.627Z"', '"timestamp":"<time>"'],
    ['sessions/2026/11/19/rollout-2026-11-19T10-00-45-x', 'sessions/<date>/rollout-<time>-x'],
    ['at 1795082485, 1795082485652, 1,795,082,485,652 and 1795082485652.25', 'at <time>, <time>, <time> and <time>'],
    ['"total_ms":171,"durationMs":3.5,"pid":17192', '"total_ms":<measured>,"durationMs":<measured>,"pid":<measured>'],
    ['  12 s · 100 in (20 cached), 10 out      cccio', '  <duration> · 100 in (20 cached), 10 out cccio'],
    ['Wall time: 0.0180 seconds', 'Wall time: <measured> seconds'],
    ['"consumers": [\n"src/a/b.ts",\n"src/c.ts"\n]', '"consumers": [\n<source files>]'],
  ])('%s', (text, expected) => expect(replaced(text)).toBe(expected));

  it('on a screen also how long a turn took', () => {
    expect(replaced('  Worked for <1s · 10:00\n• Working (1m 2s · esc)  ', 'screen')).toBe(
      '  Worked for <duration> · <time>\n• Working (<duration> · esc)',
    );
  });

  it('ids are numbered across records', () => {
    const records = normalise(
      [first, second].map((id) => ({ kind: 'file', name: `${id}.jsonl`, text: `${second} ${id}` })),
      time,
    );
    expect(records.map(({ name, text }) => [name, text])).toEqual([
      ['<id 1>.jsonl', '<id 2> <id 1>'],
      ['<id 2>.jsonl', '<id 2> <id 2>'],
    ]);
  });
});

describe('everything else stays different', () => {
  it.each([
    ['another id in a place', `${first} ${second} ${first}`, `${first} ${second} ${second}`],
    ['a time of another year', '2020-01-01T00:00:00Z', '2020-01-01T00:00:01Z'],
    ['a number that is no time of the run', '1234567890', '1234567891'],
    ['a counted token', '"input_tokens":100', '"input_tokens":101'],
    ['a word', 'You are Capstan.', 'You are Capstone.'],
    ['a name of a key', '"total_ms":1', '"whole_ms":1'],
    ['a digest of fixed text', '"instructions":"4202132e8baa2f98"', '"instructions":"4202132e8baa2f99"'],
    ['a short hexadecimal word', '96ebf17b', '96ebf17c'],
    ['a limit in seconds', 'time-out 600 s', 'time-out 60 s'],
    ['a blank in front', ' a', 'a'],
    ['a line', 'a\nb', 'a'],
    ['an estimate that is far away', '"estimated_tokens":2000', '"estimated_tokens":2100'],
  ])('%s', (_, old, fresh) => expect([differs(old, fresh), differs(fresh, old)]).toEqual([true, true]));

  it('estimates that weigh ids may be close to each other, counts may not', () => {
    expect(differs('"estimated_tokens":2000', '"estimated_tokens":2004')).toBe(false);
    expect(differs('  about 2,000 tokens', '  about 2,004 tokens', 'screen')).toBe(false);
    expect(differs('used 2,000 tokens', 'used 2,004 tokens', 'screen')).toBe(true);
  });

  it('a record that one side lacks, or has under another name', () => {
    const record = { kind: 'file', name: 'a', text: 'x' } as const;
    expect(firstDifference([record], [])).toMatchObject({ name: 'a' });
    expect(firstDifference([], [record])).toMatchObject({ name: 'a' });
    expect(firstDifference([record], [{ ...record, name: 'b' }])).toMatchObject({ diff: '- file a\n+ file b' });
    expect(firstDifference([record], [record])).toBeUndefined();
  });
});

it('a difference is shown with the lines around it, long lines cut to what differs', () => {
  const long = (word: string): string => `${'x'.repeat(500)}${word}${'y'.repeat(500)}`;
  expect(unifiedDiff('1\n2\n3\n4\n5\n6', '1\n2\n3\n5\n6')).toBe('@@ line 4 @@\n 2\n 3\n-4\n 5\n 6');
  expect(unifiedDiff(long('old'), long('new')).split('\n')).toEqual([
    '@@ line 1 @@',
    `-…${'x'.repeat(120)}old${'y'.repeat(117)}…`,
    `+…${'x'.repeat(120)}new${'y'.repeat(117)}…`,
  ]);
});
