import { expect, test } from 'vitest';
import type { Seals } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../../../protocol/ids.ts';
import { type Line, type LineDraft, lineType } from '../../../protocol/line.ts';
import { callProcessLine } from '../../../core/state/fold/running-calls.ts';
import { words } from '../../../protocol/user-input.ts';
import { pinAddedLine, pinChangeLines, pinRemovedLine } from '../../../core/state/fold/pinned-notes.ts';
import { sealedClaimIn, repeatedDraft, sealText, withoutSeal } from '../../../core/state/line-seals.ts';
import { messageDroppedLine, waitingMessageLine } from '../../../core/state/fold/waiting-messages.ts';
import { createMemoryStore } from '../../../testing/memory-store.ts';
import { withSeals } from './store-with-seals-and-blobs.ts';

const id = '01a1dcd3-0000-7000-8000-000000000001' as ThreadId;
const fork = '01a1dcd3-0000-7000-8000-000000000002' as ThreadId;
const clock = { now: () => 0, sleep: () => Promise.resolve() };

/** A seal that can be read. */
const plain: Seals = {
  seal: (claim) => `sealed ${claim}`,
  holds: (claim, seal) => seal === `sealed ${claim}`,
  problem: () => undefined,
};

const settings = { cwd: '/repo', approval_policy: 'never', model: 'one', capstan: { provider: 'p', chosen: {} } };
const drafts: readonly LineDraft[] = [
  {
    type: lineType.turnContext,
    payload: { turn_id: 't', ...settings, capstan: { ...settings.capstan, envelope: {} } },
  },
  { type: lineType.event, payload: { type: 'thread_settings_applied', thread_id: id, thread_settings: settings } },
  callProcessLine('t' as TurnId, 'c', { pid: 2, startedAt: 'then', mark: 'm' }),
  { type: lineType.snapshot, payload: { turn_id: 't', when: 'before', root: '/repo', tree: 'x' } },
  pinAddedLine({ id: 'p', text: 'a note' }),
  waitingMessageLine({ id: 'w', kind: 'words', input: words('a message') }),
  waitingMessageLine({ id: 'i', kind: 'item', item: { type: 'message', role: 'user', content: [] } }),
];
const others: readonly LineDraft[] = [
  { type: lineType.turnContext, payload: { turn_id: 't', cwd: '/repo' } },
  { type: lineType.event, payload: { type: 'task_started', turn_id: 't' } },
  { type: lineType.call, payload: { turn_id: 't', call_id: 'c' } },
  pinRemovedLine('p'),
  messageDroppedLine('w', 'forked'),
];

test('seals each line that the engine acts upon for its thread, and no other', async () => {
  const store = withSeals(createMemoryStore(clock).rollouts, plain);
  const owned = await store.create(id, { id });
  if (owned.kind === 'refused') throw new Error(owned.message);
  const [, ...lines] = owned.append([...drafts, ...others]);
  for (const line of lines.slice(0, drafts.length)) {
    const { claim, seal } = sealedClaimIn(line)!;
    expect(seal).toBe(`sealed ${sealText(id, claim)}`);
  }
  expect(lines.slice(drafts.length).map(({ type, payload }) => ({ type, payload }))).toEqual(others);
  // A turn and a change of settings that grant the same have the same seal: it is made once.
  const [context, event] = lines.map((line) => sealedClaimIn(line)?.seal);
  expect(context).toBe(event);
  const { thread_settings: stored } = lines[1]!.payload;
  expect(withoutSeal(stored as typeof settings)).toEqual(settings);
  await owned.close();
});

test('leaves a line that is said again as proven as it was', async () => {
  const store = withSeals(createMemoryStore(clock).rollouts, plain);
  const owned = await store.create(id, { id });
  if (owned.kind === 'refused') throw new Error(owned.message);
  // Among them lines that no home has sealed, as a file from elsewhere has them.
  const forged = drafts.map((draft) => repeatedDraft({ timestamp: '', ...draft }));
  const [, ...lines] = owned.append([...forged, ...drafts]);
  expect(lines.slice(0, drafts.length).map(({ type, payload }) => ({ type, payload }))).toEqual(forged);
  const proven = lines.slice(drafts.length);
  expect(owned.append(proven.map(repeatedDraft)).map(({ payload }) => payload)).toEqual(
    proven.map(({ payload }) => payload),
  );
  await owned.close();
});

test('seals what a revert adds', async () => {
  const store = withSeals(createMemoryStore(clock).rollouts, plain);
  const owned = await store.create(id, { id });
  if (owned.kind === 'refused') throw new Error(owned.message);
  owned.append(others);
  await owned.close();
  const held = await store.hold(id);
  if (held.kind === 'refused') throw new Error(held.message);
  const added = pinAddedLine({ id: 'p', text: 'new' });
  const drafts = [added, ...pinChangeLines([], [{ id: 'q', text: 'old' }])];
  const to = { rolloutId: held.current.rolloutId, end: 1 as Ordinal };
  await held.revert({ rolloutId: 'second', to, note: {}, drafts });
  await held.release();
  const lines: Line[] = [];
  for await (const line of store.read(id, { from: 0 as Ordinal })) lines.push(line);
  const pins = lines.filter(({ type }) => type === lineType.pin).map(({ payload }) => payload['seal']);
  expect(pins).toEqual([`sealed ${sealText(id, sealedClaimIn(added)!.claim)}`, '']);
});

test('seals that a fork is one, under the import of what it was forked from', async () => {
  const store = withSeals(createMemoryStore(clock).rollouts, plain);
  const owned = await store.create(id, { id });
  if (owned.kind === 'refused') throw new Error(owned.message);
  const [first] = owned.append(others);
  const place = { rolloutId: id, end: first!.ordinal! + 1 };
  const meta = { id: fork, forked_from_id: id, capstan: { imported: 'then' } };
  const forked = await store.fork(fork, meta, place as never);
  if (forked.kind === 'refused') throw new Error(forked.message);
  const [described, settled] = forked.append([drafts[1]!]);
  const subject = `${fork} then`;
  expect(described!.payload['capstan']).toEqual({
    imported: 'then',
    seal: `sealed ${sealText(subject, ['fork', id])}`,
  });
  expect(sealedClaimIn(settled!)?.seal).toBe(`sealed ${sealText(subject, sealedClaimIn(settled!)!.claim)}`);
  await forked.close();
});

test('goes without where there is no key', async () => {
  const store = withSeals(createMemoryStore(clock).rollouts, { ...plain, seal: () => undefined });
  const owned = await store.create(id, { id });
  if (owned.kind === 'refused') throw new Error(owned.message);
  const [, ...lines] = owned.append(drafts);
  expect(lines.map(({ type, payload }) => ({ type, payload }))).toEqual(drafts);
  await owned.close();
});
