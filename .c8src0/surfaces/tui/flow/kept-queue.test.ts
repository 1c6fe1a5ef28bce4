import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ThreadId } from '../../../protocol/ids.ts';
import { QueuedMessages } from '../../../engine/store/home-store.ts';
import { type Draft, draftFromText } from '../draft/draft.ts';
import { KeptQueue } from './message-queue.ts';

const [one, other] = ['one' as ThreadId, 'other' as ThreadId];
let home: string;
let notices: string[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'capstan-queue-'));
  notices = [];
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const queue = (): KeptQueue =>
  new KeptQueue({ files: new QueuedMessages(home), notice: (text) => void notices.push(text) });
const folder = (): string => join(home, 'capstan', 'queued');

it('gives drafts back as they were, with what stands for something else', () => {
  const drafts: readonly Draft[] = [
    draftFromText('/status'),
    {
      text: '[Image #1] @a [Pasted]',
      cursor: 22,
      elements: [
        { start: 0, end: 10, payload: { kind: 'image', source: '/tmp/a.png' } },
        { start: 11, end: 13, payload: { kind: 'mention', text: 'a.ts', path: 'a.ts' } },
        { start: 14, end: 22, payload: { kind: 'paste', text: 'long' } },
      ],
    },
  ];
  const first = queue();
  first.open(one);
  first.save(drafts);
  // Turns that still run end with the terminal, and would remove the drafts.
  first.close();
  first.save([]);
  expect(first.count).toBe(2);
  const second = queue();
  expect(second.open(one)).toEqual(drafts);
  expect(second.open(one)).toEqual([]);
});

it('follows the user to another thread, which may have messages of its own', () => {
  const first = queue();
  first.open(other);
  first.save([draftFromText('Older.')]);
  first.close();
  const second = queue();
  second.open(one);
  second.save([draftFromText('Newer.')]);
  expect(second.open(other)).toEqual([draftFromText('Older.')]);
  expect(readdirSync(folder())).toEqual(['other.json']);
});

it.each([
  ['torn', '{"messages":[{"text":"a","elem'],
  ['empty', ''],
  ['of another form', '{"messages":[7,{"text":9},{"text":"  "}]}'],
])('a file that is %s gives nothing, and is written anew', (_, text) => {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder(), 'one.json'), text, { mode: 0o600 });
  const kept = queue();
  expect(kept.open(one)).toEqual([]);
  kept.save([draftFromText('New.')]);
  expect(queue().open(one)).toEqual([draftFromText('New.')]);
});

it('a draft with odd elements is its text, without signs that a screen must not get', () => {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const element = { start: 0, end: 99, payload: { kind: 'paste', text: 'x' } };
  const messages = [{ text: 'far', elements: [element] }, { text: 'a\u001B[31mb' }, { text: 'ok', elements: [7] }];
  writeFileSync(join(folder(), 'one.json'), JSON.stringify({ messages }), { mode: 0o600 });
  expect(queue().open(one)).toEqual([draftFromText('far'), draftFromText('ab'), draftFromText('ok')]);
});

it('says once that the home takes nothing', () => {
  writeFileSync(join(home, 'capstan'), '');
  const kept = queue();
  kept.open(one);
  kept.save([draftFromText('a')]);
  kept.save([draftFromText('b')]);
  expect(notices).toEqual([expect.stringContaining('Queued messages cannot be kept in the home')]);
  expect(kept.count).toBe(0);
});

it('refuses messages whose file would be too large to be read again', () => {
  const kept = queue();
  kept.open(one);
  kept.save([draftFromText('small')]);
  // Fewer characters than the limit, and more bytes.
  kept.save([{ text: 'あ'.repeat(23_000_000), cursor: 0, elements: [] }]);
  expect(notices).toEqual([expect.stringContaining('They are larger than 64 MB.')]);
  expect(queue().open(one)).toEqual([draftFromText('small')]);
});
