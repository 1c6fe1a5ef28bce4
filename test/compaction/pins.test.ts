import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { pinAddedLine } from '../../src/core/state/fold/pinned-notes.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';
import { answer, say } from '../../src/testing/index.ts';
import { checkpointLine } from '../harness/checkpoint-line.ts';
import { LiveThread } from '../harness/live-thread.ts';

const yes = () => answer({ items: [say('Yes.')] });
const note = 'Never touch the lock file.';
const told = (text: string): string => `<pinned_notes>\n${text}</pinned_notes>`;
const heading = 'I pinned these notes to this conversation. They hold until I take them away.\n\n';

/** The texts of a request that are about pinned notes. */
function pinned(live: LiveThread, request: number): readonly string[] {
  return live.rows(request).flatMap((row) => row.filter((text) => text.startsWith('<pinned_notes>')));
}

async function threads(live: LiveThread, ...words: readonly string[]): Promise<JsonObject> {
  await live.close();
  const run = await live.place.run('threads', ...words, '--json');
  return { exit: run.code, ...(JSON.parse(run.stdout) as JsonObject) };
}

function linesIn(path: unknown): readonly Line[] {
  const texts = readFileSync(String(path), 'utf8').trimEnd().split('\n');
  return texts.map((text) => JSON.parse(text) as Line);
}

/** The file as if the thread had been begun in the old form. */
async function asOldForm(live: LiveThread): Promise<void> {
  await live.close();
  const [path] = live.place.rollouts();
  const lines = linesIn(path).map(({ ordinal: _ordinal, ...line }) =>
    line.type === 'session_meta' ? { ...line, payload: { ...line.payload, history_mode: 'legacy' } } : line,
  );
  writeFileSync(path!, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

it('a pinned note is told in the next turn, again after a checkpoint, and taken back', async () => {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const { id } = live.thread;
  expect(await threads(live, 'pin', id, `  ${note}\n`)).toEqual({
    exit: 0,
    kind: 'pinned',
    id,
    pin: { id: expect.any(String), text: note },
    pins: [{ id: expect.any(String), text: note }],
    notices: [],
  });
  const whole = told(`${heading}<note>\n${note}\n</note>\n`);
  await live.turn('two');
  await live.turn('three');
  expect([0, 1, 2].map((request) => pinned(live, request))).toEqual([[], [whole], [whole]]);

  // The checkpoint keeps the user's words alone.
  const isUsers = ({ origin }: { origin: { family: string } }): boolean => origin.family === 'user';
  await live.rewrite((lines) => [...lines, checkpointLine(lines.reduce(reduce, emptyThreadState), { keeps: isUsers })]);
  await live.open();
  expect(live.thread.state.pins).toMatchObject([{ id: expect.any(String), text: note }]);
  await live.turn('four');
  expect(pinned(live, 3)).toEqual([whole]);
  expect(live.rows(3).flat()).not.toContain('Yes.');

  const second = await threads(live, 'pin', id, 'Ask before you push.');
  const [, other] = second['pins'] as readonly JsonObject[];
  expect((await threads(live, 'pins', id))['pins']).toEqual(second['pins']);
  await threads(live, 'unpin', id, '1');
  await live.turn('five');
  const changed = `These take the place of all pinned notes given before.\n\n${heading}`;
  expect(pinned(live, 4)).toEqual([whole, told(`${changed}<note>\nAsk before you push.\n</note>\n`)]);

  expect(await threads(live, 'unpin', id, String(other!['id']).slice(0, 18))).toMatchObject({ exit: 0, pins: [] });
  await live.turn('six');
  expect(pinned(live, 5).at(-1)).toBe(told('The pinned notes given before no longer hold; there are none now.\n'));
});

it('a rollback and its undo leave notes as they are, and the next turn tells them', async () => {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const { id } = live.thread;
  await threads(live, 'pin', id, 'Soon gone.');
  await live.turn('two');
  await threads(live, 'unpin', id, '1');
  const { pins } = await threads(live, 'pin', id, note);
  await live.turn('three');
  expect(pinned(live, 2)).toHaveLength(2);

  expect(await threads(live, 'rollback', id, '-n', '2')).toMatchObject({ exit: 0 });
  expect((await threads(live, 'pins', id))['pins']).toEqual(pins);
  await live.turn('four');
  expect(pinned(live, 3)).toEqual([told(`${heading}<note>\n${note}\n</note>\n`)]);

  // Changes that the user makes to notes afterwards still hold when the turns are back.
  const now = (await threads(live, 'pin', id, 'Ask before you push.'))['pins'] as readonly JsonObject[];
  await threads(live, 'unpin', id, '1');
  await threads(live, 'undo-rollback', id, '--force');
  expect((await threads(live, 'pins', id))['pins']).toEqual(now.slice(1));
  await live.turn('five');
  const changed = `These take the place of all pinned notes given before.\n\n${heading}`;
  expect(live.rows(4).flat()).toContain('three');
  expect(pinned(live, 4).at(-1)).toBe(told(`${changed}<note>\nAsk before you push.\n</note>\n`));
});

it('a rollback to before a checkpoint leaves them as well, and one that changes none adds no line', async () => {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const { id } = live.thread;
  await threads(live, 'pin', id, note);
  await live.rewrite((lines) => [
    ...lines,
    checkpointLine(lines.reduce(reduce, emptyThreadState), { keeps: () => true }),
    live.sealed(pinAddedLine({ id: 'pin-2', text: 'Ask before you push.' })),
  ]);
  const { pins } = await threads(live, 'pins', id);
  expect(pins).toHaveLength(2);
  const { path } = await threads(live, 'rollback', id, '--before-checkpoint');
  expect(linesIn(path).map(({ type }) => type)).toEqual(['session_meta', 'capstan_pin']);
  expect((await threads(live, 'pins', id))['pins']).toEqual(pins);
  await live.turn('two');
  const again = await threads(live, 'rollback', id);
  // The cost of the turn stays counted.
  expect(linesIn(again['path']).map(({ type, payload }) => [type, payload['type']])).toEqual([
    ['session_meta', undefined],
    ['event_msg', 'token_count'],
  ]);
  expect((await threads(live, 'pins', id))['pins']).toEqual(pins);
});

it('so do they in a file of the old form, where the undo says again what was taken back', async () => {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const { id } = live.thread;
  await threads(live, 'pin', id, 'Soon gone.');
  await live.turn('two');
  await asOldForm(live);
  await threads(live, 'unpin', id, '1');
  const { pins } = await threads(live, 'pin', id, note);
  expect(await threads(live, 'rollback', id)).toMatchObject({ exit: 0, path: live.place.rollouts()[0] });
  expect((await threads(live, 'pins', id))['pins']).toEqual(pins);
  const now = (await threads(live, 'pin', id, 'Ask before you push.'))['pins'] as readonly JsonObject[];
  await threads(live, 'unpin', id, '1');
  expect(await threads(live, 'undo-rollback', id)).toMatchObject({ exit: 0 });
  expect((await threads(live, 'pins', id))['pins']).toEqual(now.slice(1));
  await live.turn('three');
  expect(live.rows(2).flat()).toContain('two');
  expect(pinned(live, 2).at(-1)).toContain('<note>\nAsk before you push.\n</note>');
});

it('what cannot be pinned is refused in words, and nothing changes', async () => {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const { id } = live.thread;
  const before = live.place.lines();
  const refusals = [
    await threads(live, 'pin', id, 'x'.repeat(8001)),
    await threads(live, 'pin', id, ' '),
    await threads(live, 'unpin', id, '1'),
  ];
  expect(refusals.map(({ exit, code, message }) => [exit, code, message])).toEqual([
    [1, 'note-not-pinned', 'The note has about 2,001 tokens; the limit is 2,000.'],
    [1, 'note-not-pinned', 'The note is empty.'],
    [1, 'pin-unknown', `Thread ${id} has no pinned note "1": it has 0 pinned notes.`],
  ]);
  expect(live.place.lines()).toEqual(before);

  const run = await live.place.run('threads', 'pin', id);
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('which note?')]);
  const none = await live.place.run('threads', 'pins', id);
  expect([none.code, none.stdout]).toEqual([0, `Thread ${id} has no pinned notes.\n`]);
});

it('there are bounds for all notes of a thread together', async () => {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const { id } = live.thread;
  const pins = (count: number, length: number) =>
    Array.from({ length: count }, (_, at) => live.sealed(pinAddedLine({ id: `pin-${at}`, text: 'x'.repeat(length) })));
  await live.rewrite((lines) => [...lines, ...pins(2, 7000)]);
  expect(await threads(live, 'pin', id, 'x'.repeat(2001))).toMatchObject({
    exit: 1,
    message: 'The notes of the thread have about 3,500 tokens, and this one has 501; the limit for all notes is 4,000.',
    next: `Remove a note first, for example the oldest: \`capstan threads unpin ${id} 1\`.`,
  });
  await live.rewrite((lines) => [...lines, ...pins(20, 4)]);
  expect(await threads(live, 'pin', id, 'x')).toMatchObject({
    exit: 1,
    message: 'The thread has 20 notes; the limit is 20.',
  });
  // Even the most of them is told whole.
  await live.turn('two');
  expect(pinned(live, 1)[0]?.match(/<note>/g)).toHaveLength(20);
});
