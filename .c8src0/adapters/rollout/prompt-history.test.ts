import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemPrograms } from '../exec/find-programs.ts';
import { systemClock } from '../gather/clock-and-ids.ts';
import { createPromptHistory, type PromptHistory, type PromptPlace } from './prompt-history.ts';

let path = '';
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'prompts-')), 'history.jsonl');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true, force: true }));

function open(options: { readonly maxBytes?: number; readonly isOff?: boolean } = {}): PromptHistory {
  const clock = { ...systemClock, now: () => 1_700_000_000_999 };
  return createPromptHistory({ path, clock, programs: systemPrograms, isOff: false, maxBytes: 0, ...options });
}

function all(history: PromptHistory): readonly string[] {
  const texts: string[] = [];
  for (let place: PromptPlace | undefined, first = true; first || place !== undefined; first = false) {
    const read = history.before(place);
    if ('code' in read) throw new Error(read.message);
    texts.push(...read.prompts.map(({ text }) => text));
    place = read.rest;
  }
  return texts;
}

it('appends a line that both programs know, for its owner alone', async () => {
  const history = open();
  writeFileSync(path, '{"session_id":"a","ts":1,"text":"one"}\n{"session_id":"a","ts":1,"te');
  chmodSync(path, 0o644);
  expect(await history.append({ threadId: 'b', text: 'two\nlines' })).toBeUndefined();
  expect(readFileSync(path, 'utf8').split('\n').slice(2)).toEqual([
    String.raw`{"session_id":"b","ts":1700000000,"text":"two\nlines"}`,
    '',
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(all(history)).toEqual(['two\nlines', 'one']);
});

it('knows commands of the shell from messages: a line that does not say so is a message', async () => {
  const history = open();
  writeFileSync(path, '{"session_id":"a","ts":1,"text":"!old"}\n{"text":"!odd","capstan":{"command":"yes"}}\n');
  await history.append({ threadId: 'b', text: '!ls', isCommand: true });
  expect(readFileSync(path, 'utf8')).toContain('"text":"!ls","capstan":{"command":true}}\n');
  expect(history.before()).toEqual({
    prompts: [{ text: '!ls', isCommand: true }, { text: '!odd' }, { text: '!old' }],
    rest: undefined,
  });
});

it('of two writers no line is lost', async () => {
  const [one, other] = [open(), open()];
  const texts = Array.from({ length: 20 }, (_, at) => `message ${at}`);
  await Promise.all(texts.map((text, at) => (at % 2 === 0 ? one : other).append({ threadId: 't', text })));
  expect(all(one).toSorted()).toEqual(texts.toSorted());
});

it('reads in batches, the newest first; a long line is read whole', () => {
  const lines = Array.from({ length: 3000 }, (_, at) => ({ session_id: 't', ts: at, text: `${at} ${'x'.repeat(50)}` }));
  lines[1500] = { session_id: 't', ts: 0, text: 'é'.repeat(200_000) };
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const history = open();
  const first = history.before();
  expect('prompts' in first && first.prompts.length).toBeLessThan(1500);
  expect(all(history)).toEqual(lines.map(({ text }) => text).toReversed());
});

it('what was written meanwhile is not read twice, and a file that was trimmed has no older ones', async () => {
  const history = open();
  for (let at = 0; at < 3; at++) appendFileSync(path, `${JSON.stringify({ text: `${at}${'y'.repeat(60_000)}` })}\n`);
  const first = history.before();
  if ('code' in first || first.rest === undefined) throw new Error('there is more');
  await history.append({ threadId: 't', text: 'new' });
  expect(history.before(first.rest)).toMatchObject({ prompts: [{ text: expect.stringMatching(/^1y/) }] });
  writeFileSync(path, '');
  expect(history.before(first.rest)).toEqual({ prompts: [], rest: undefined });
});

it('drops the oldest lines above the limit, never the newest', async () => {
  const history = open({ maxBytes: 1000 });
  for (let at = 0; at < 40; at++) await history.append({ threadId: 't', text: `message ${at}` });
  expect(statSync(path).size).toBeLessThanOrEqual(1000);
  const texts = all(history);
  expect(texts.length).toBeGreaterThan(10);
  expect(texts).toEqual(texts.map((_, at) => `message ${39 - at}`));
  await history.append({ threadId: 't', text: 'z'.repeat(2000) });
  expect(all(history)).toEqual(['z'.repeat(2000)]);
});

it('writes nothing if that is wanted, and says why it could not', async () => {
  await open({ isOff: true }).append({ threadId: 't', text: 'x' });
  expect(all(open())).toEqual([]);
  symlinkSync('/etc/passwd', path);
  expect(await open().append({ threadId: 't', text: 'x' })).toMatchObject({ code: 'history-unwritten' });
  expect(open().before()).toMatchObject({ code: 'history-unreadable' });
});
