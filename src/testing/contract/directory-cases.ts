import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import type { ThreadChoice, ThreadStore } from '../../ports/thread-store.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Json } from '../../protocol/json.ts';
import type { LineDraft } from '../../protocol/line.ts';
import type { ThreadQuery } from '../../protocol/thread.ts';
import { casesOf, first, expectHeld, expectOwned, second, third, numberedUuid } from './contract-case.ts';

const all: ThreadQuery = { limit: 10, sort: 'created' };

export const directoryCases = casesOf('directory', {
  'threads are listed newest first, page by page, with what their lines say': async ({ store, other }) => {
    deepStrictEqual(await other.directory.list(all), { threads: [] });
    await talk(store, first, { cwd: '/a', said: ['Hello there', 'Good day'] });
    await talk(store, second, { cwd: '/b', said: ['Repair it'] });
    await talk(store, third, { cwd: '/a', said: ['Third'] });
    deepStrictEqual(await listed(other, {}), [third, second, first]);
    deepStrictEqual(await listed(other, { cwd: '/a' }), [third, first]);
    deepStrictEqual(await listed(other, { text: 'REPAIR' }), [second]);
    const page = await other.directory.list({ ...all, limit: 2 });
    ok('threads' in page && page.next !== undefined);
    deepStrictEqual(await listed(other, { limit: 2, cursor: page.next }), [first]);
    strictEqual(codeOf(await other.directory.list({ ...all, cursor: '?' })), 'cursor-unknown');
    const summary = await other.directory.summary(first);
    deepStrictEqual(
      [summary?.id, summary?.cwd, summary?.preview, summary?.turns, summary?.archived],
      [first, '/a', 'Hello there', 2, false],
    );
    strictEqual(await other.directory.summary(numberedUuid(9) as ThreadId), undefined);
  },
  'archived threads are listed apart, and deleted ones not at all': async ({ store, other }) => {
    await talk(store, first, { said: ['one'] });
    await talk(store, second, { said: ['two'] });
    await talk(store, third, { said: ['three'] });
    await archive(store, first);
    const deleting = expectHeld(await store.rollouts.hold(second));
    await deleting.delete();
    await deleting.release();
    await store.directory.changed?.([
      { kind: 'archived', id: first },
      { kind: 'deleted', id: second },
    ]);
    deepStrictEqual(await listed(other, {}), [third]);
    deepStrictEqual(await listed(other, { archived: true }), [first]);
    strictEqual((await other.directory.summary(first))?.archived, true);
    strictEqual(await other.directory.summary(second), undefined);
    deepStrictEqual(await found(other, 'two'), []);
  },
  'a search finds all words of one message, in any case, and quoted ones together': async ({ store, other }) => {
    await talk(store, first, { said: ['The quick brown fox', 'jumps'], answer: 'Over the dog' });
    await talk(store, second, { said: ['The brown, quick bear'] });
    deepStrictEqual(await found(other, 'QUICK brown'), [second, first]);
    deepStrictEqual(await found(other, '"quick brown"'), [first]);
    deepStrictEqual(await found(other, 'fox jumps'), []);
    const hits = await other.directory.search('over', all);
    ok('hits' in hits && hits.hits[0] !== undefined);
    const [{ turn, role, excerpt }] = [hits.hits[0]];
    deepStrictEqual([turn, role, excerpt], [2, 'assistant', 'Over the dog']);
    strictEqual(codeOf(await other.directory.search('  ', all)), 'search-empty');
  },
  'a thread is called what it was named last': async ({ store, other }) => {
    await talk(store, first, { said: ['one'] });
    const name = async (): Promise<string | undefined> => (await other.directory.summary(first))?.name;
    strictEqual(await name(), undefined);
    for (const given of ['a "name"', 'another']) {
      strictEqual(await store.directory.rename(first, given), undefined);
      strictEqual(await name(), given);
    }
    deepStrictEqual(await listed(other, { text: 'ANOTHER' }), [first]);
    strictEqual(await store.directory.rename(first, ''), undefined);
    strictEqual(await name(), undefined);
  },
  'a thread is chosen by id, by the beginning of it, by name, or as the last one': async ({ store, other }) => {
    const choose = async (choice: ThreadChoice): Promise<string> => {
      const chosen = await other.directory.choose(choice);
      return chosen.kind === 'chosen' ? chosen.id : chosen.code;
    };
    const named = (name: string, more: Partial<ThreadChoice> = {}): Promise<string> =>
      choose({ ...more, kind: 'named', name });
    strictEqual(await choose({ kind: 'last' }), 'thread-unknown');
    await talk(store, first, { cwd: '/a', said: ['one'] });
    await talk(store, numberedUuid(2).replace('01a1', '02a1') as ThreadId, { cwd: '/b', said: ['two'] });
    strictEqual(await named(first), first);
    strictEqual(await named('02A1dcd3'), numberedUuid(2).replace('01a1', '02a1'));
    strictEqual(await named('01a1'), first);
    await talk(store, third, { cwd: '/a', said: ['three'] });
    strictEqual(await named('01a1dcd3'), 'thread-ambiguous');
    strictEqual(await named('mine'), 'thread-unknown');
    await store.directory.rename(first, 'mine');
    strictEqual(await named('mine'), first);
    strictEqual(await named('mine', { cwd: '/b' }), 'thread-unknown');
    await store.directory.rename(third, 'mine');
    strictEqual(await named('mine', { unique: true }), 'thread-ambiguous');
    strictEqual(await choose({ kind: 'last', cwd: '/b' }), numberedUuid(2).replace('01a1', '02a1'));
    strictEqual(await choose({ kind: 'last', cwd: '/c' }), 'thread-unknown');
    // A thread started by another one can be chosen only by its name or id.
    await talk(store, numberedUuid(9) as ThreadId, { cwd: '/b', said: ['nine'], source: { subagent: 'review' } });
    strictEqual(await choose({ kind: 'last', cwd: '/b' }), numberedUuid(2).replace('01a1', '02a1'));
    strictEqual(await named(numberedUuid(9)), numberedUuid(9));
  },
  'an archived thread is chosen where no other fits': async ({ store, other }) => {
    await talk(store, first, { said: ['one'] });
    await talk(store, second, { said: ['two'] });
    for (const id of [first, second]) await store.directory.rename(id, 'mine');
    await archive(store, second);
    const mine = { kind: 'named', name: 'mine', unique: true } as const;
    deepStrictEqual(await other.directory.choose(mine), { kind: 'chosen', id: first });
    strictEqual(codeOf(await other.directory.choose({ ...mine, archived: true })), 'thread-ambiguous');
    await store.directory.rename(first, '');
    deepStrictEqual(await other.directory.choose(mine), { kind: 'chosen', id: second });
    deepStrictEqual(await other.directory.choose({ kind: 'last' }), { kind: 'chosen', id: first });
  },
});

interface Talk {
  readonly cwd?: string;
  readonly said: readonly string[];
  readonly answer?: string;
  readonly source?: Json;
}

/** Writes a whole thread, created some time after the previous one. */
async function talk({ rollouts }: ThreadStore, id: ThreadId, talked: Talk): Promise<void> {
  const { cwd = '/repo', said, answer, source = 'exec' } = talked;
  const timestamp = new Date(Date.UTC(2026, 0, 1) + Number.parseInt(id.slice(-1), 16) * 1000).toISOString();
  const thread = expectOwned(await rollouts.create(id, { timestamp, cwd, source }));
  thread.append(said.flatMap((text, at) => turn(`turn-${at}`, text, answer ?? 'Done.')));
  await thread.close();
}

function turn(turnId: string, text: string, answer: string): readonly LineDraft[] {
  const message = (role: string, type: string, words: string): LineDraft => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type, text: words }] },
  });
  return [
    { type: 'event_msg', payload: { type: 'task_started', turn_id: turnId } },
    message('user', 'input_text', text),
    message('assistant', 'output_text', answer),
    { type: 'event_msg', payload: { type: 'task_complete', turn_id: turnId, last_agent_message: answer } },
  ];
}

async function archive({ rollouts }: ThreadStore, id: ThreadId): Promise<void> {
  const held = expectHeld(await rollouts.hold(id));
  await held.archive();
  await held.release();
}

async function listed({ directory }: ThreadStore, query: Partial<ThreadQuery>): Promise<readonly ThreadId[]> {
  const page = await directory.list({ ...all, ...query });
  ok('threads' in page);
  return page.threads.map(({ id }) => id);
}

async function found({ directory }: ThreadStore, text: string): Promise<readonly ThreadId[]> {
  const page = await directory.search(text, all);
  ok('hits' in page);
  return page.hits.map(({ thread }) => thread.id);
}

const codeOf = (answer: object): unknown => ('code' in answer ? answer.code : answer);
