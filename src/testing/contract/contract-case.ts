import { ok, strictEqual } from 'node:assert';
import type { HeldThread, OpenRefused, Owned, Revert, RolloutStore, ThreadStore } from '../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import type { Line, LineDraft } from '../../protocol/line.ts';

export interface ContractCase {
  readonly name: string;
  readonly part: keyof ThreadStore;
  run(stores: ContractStores): Promise<void>;
}

export interface ContractStores {
  /** Must be empty. */
  readonly store: ThreadStore;
  /** Shows the same threads as another process or machine would see them. */
  readonly other: ThreadStore;
  /** Lets a thread's lease expire. Absent if that cannot happen: then all take-over cases are skipped. */
  lapse?(id: ThreadId): Promise<void>;
}

export function casesOf(
  part: keyof ThreadStore,
  cases: Readonly<Record<string, ContractCase['run']>>,
): readonly ContractCase[] {
  return Object.entries(cases).map(([name, run]) => ({ part, name, run }));
}

type RolloutStores = Record<'store' | 'other', RolloutStore> & Pick<ContractStores, 'lapse'>;

/** Like `casesOf`, for cases that use only the rollouts of the stores. */
export function rolloutCasesOf(
  cases: Readonly<Record<string, (stores: RolloutStores) => Promise<void>>>,
): readonly ContractCase[] {
  return Object.entries(cases).map(([name, run]) => ({
    part: 'rollouts',
    name,
    run: ({ store, other, ...more }) => run({ store: store.rollouts, other: other.rollouts, ...more }),
  }));
}

export const numberedUuid = (digit: number): string => `01a1dcd3-eee5-7d53-9563-29880000000${digit}`;
export const [first, second, third] = [numberedUuid(1), numberedUuid(2), numberedUuid(3)] as unknown as [
  ThreadId,
  ThreadId,
  ThreadId,
];
export const placeAtStart = { from: 0 as Ordinal };
export const wordDrafts = (...texts: readonly string[]): readonly LineDraft[] =>
  texts.map((text) => ({ type: 'event_msg', payload: { type: 'word', text } }));

export function revertTo(rolloutId: string, end: number): Revert {
  return { rolloutId, to: { rolloutId: first, end: end as Ordinal }, note: {}, drafts: [] };
}

export async function appendTexts(opened: Owned | OpenRefused, ...said: readonly string[]): Promise<void> {
  const thread = expectOwned(opened);
  thread.append(wordDrafts(...said));
  await thread.close();
}

export async function openAndAppendTexts(store: RolloutStore, id: ThreadId, ...said: readonly string[]): Promise<void> {
  const opened = await store.open(id);
  await appendTexts(opened.kind === 'owned' ? opened : await store.create(id, {}), ...said);
}

export function expectOwned(opened: Owned | OpenRefused): Owned {
  ok(opened.kind === 'owned', `refused: ${JSON.stringify(opened)}`);
  return opened;
}

export function expectHeld(opened: HeldThread | OpenRefused): HeldThread {
  ok(opened.kind === 'held', `refused: ${JSON.stringify(opened)}`);
  return opened;
}

export function assertRefusal(code: OpenRefused['code'], answer: { readonly kind: string }): void {
  strictEqual('code' in answer ? answer.code : answer.kind, code);
}

export const ordinals = (lines: readonly Line[]): readonly unknown[] => lines.map(({ ordinal }) => ordinal);

export const lineTexts = async (lines: AsyncIterable<Line>): Promise<readonly unknown[]> =>
  (await Array.fromAsync(lines)).map(({ payload }) => payload['text'] ?? 'meta');

/** Texts of all lines but the first. */
export async function storedTexts(store: RolloutStore, id: ThreadId): Promise<readonly unknown[]> {
  const [meta, ...rest] = await lineTexts(store.read(id, placeAtStart));
  strictEqual(meta, 'meta');
  return rest;
}
