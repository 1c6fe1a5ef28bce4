import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Thread, type ThreadId, words } from '../../src/index.ts';
import { answer, callTool, rolloutStoreContract, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { createTableStore, Table } from '../harness/table-store.ts';

const day = 24 * 60 * 60 * 1000;

function clockFrom(start: number) {
  let now = start;
  return { now: () => (now += 1), sleep: () => Promise.resolve(), pass: (ms: number) => void (now += ms) };
}

describe('a store of one’s own', () => {
  it.each(rolloutStoreContract)('$name', async ({ run }) => {
    expect.hasAssertions();
    const [table, clock] = [new Table(), clockFrom(Date.UTC(2026, 10, 15))];
    const make = () => createTableStore({ table, clock, leaseMs: day });
    const lapse = async (): Promise<void> => clock.pass(day);
    await expect(run({ store: make(), other: make(), lapse })).resolves.toBeUndefined();
  });

  it('keeps everything that threads keep: turns, names, checkpoints of files, and lists', async () => {
    const live = await LiveThread.in([
      answer({ items: [callTool('exec_command', { cmd: 'echo two > f; seq 100000' })] }),
      answer({ items: [say('Done.')] }),
      answer({ items: [say('It was two.')] }),
    ]);
    const { workspace, home } = live.place;
    writeFileSync(join(workspace, 'f'), 'one\n');
    const store = createTableStore({ table: new Table(), clock: clockFrom(Date.now()), leaseMs: day });
    await live.open({ store, config: ['sandbox_mode=danger-full-access'] });
    expect(await live.turn('Write two.')).toEqual({ kind: 'completed', lastMessage: 'Done.' });
    // As another process, with another engine.
    await live.open({ store });
    expect(live.thread.location).toBe(`row thread/${live.id}`);
    expect(await live.turn('What was it?')).toEqual({ kind: 'completed', lastMessage: 'It was two.' });
    await live.close();

    const engine = await live.engine({ store });
    await engine.stored.rename(live.id, 'mine');
    expect(await engine.stored.choose({ kind: 'named', name: 'mine' })).toEqual({ kind: 'chosen', id: live.id });
    expect(await engine.stored.list({ limit: 5, sort: 'updated' })).toMatchObject({
      threads: [{ id: live.id, name: 'mine', preview: 'Write two.', turns: 2, cwd: workspace }],
    });
    expect(await engine.stored.search('was two', { limit: 5, sort: 'updated' })).toMatchObject({ hits: [{ turn: 2 }] });
    const [first] = await engine.stored.turns(live.id);
    const report = await engine.restoreFiles(live.id, { beforeTurn: first!.id }, { dryRun: false, force: false });
    expect(report).toMatchObject({ kind: 'restored', restored: ['f'], failed: [] });
    expect(readFileSync(join(workspace, 'f'), 'utf8')).toBe('one\n');
    expect(await engine.stored.rollback(live.id, { turns: 1 })).toMatchObject({ kind: 'rolled-back', notices: [] });
    expect(await engine.stored.archive(live.id)).toMatchObject({ kind: 'archived', location: `row thread/${live.id}` });
    // A message about files of the home does not concern this store.
    expect(await engine.stored.collect({ dryRun: true, reverted: false })).toMatchObject({
      outcome: { code: 'not-the-home' },
    });
    expect(
      ['sessions', 'archived_sessions', 'capstan/blobs', 'capstan/snapshots'].filter((name) =>
        existsSync(join(home, name)),
      ),
    ).toEqual([]);
  });

  it('ends the turn of a writer that another machine has taken over', async () => {
    const live = await LiveThread.in([answer({ items: [say('One.')] }), answer({ items: [say('Two.')] })]);
    const clock = clockFrom(Date.now());
    const store = createTableStore({ table: new Table(), clock, leaseMs: day });
    const open = async (id?: ThreadId): Promise<Thread> => {
      const engine = await live.engine({ store });
      const request = { listener: () => {}, cwd: live.place.workspace };
      const opened = await (id === undefined ? engine.start(request) : engine.resume(id, request));
      if (opened.kind === 'refused') throw new Error(opened.outcome.message);
      return opened.thread;
    };
    const older = await open();
    const turn = (text: string) => ({ input: words(text), signal: new AbortController().signal });
    await older.run(turn('one'));
    clock.pass(day);
    const newer = await open(older.id);
    await expect(older.run(turn('two'))).rejects.toMatchObject({ code: 'lease-lost' });
    await expect(older.close()).rejects.toMatchObject({ code: 'lease-lost' });
    expect(await newer.run(turn('three'))).toEqual({ kind: 'completed', lastMessage: 'Two.' });
    await newer.close();
    const turns = await (await live.engine({ store })).stored.turns(older.id);
    expect(turns.map(({ firstWords }) => firstWords)).toEqual(['one', 'three']);
  });

  it('lets go of a thread whose writer was taken over, and closes the others before it says so', async () => {
    const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
    const clock = clockFrom(Date.now());
    const store = createTableStore({ table: new Table(), clock, leaseMs: day });
    const [engine, elsewhere] = [await live.engine({ store }), await live.engine({ store })];
    const turn = (text: string) => ({ input: words(text), signal: new AbortController().signal });
    const start = async (): Promise<Thread> => {
      const opened = await engine.start({ cwd: live.place.workspace });
      if (opened.kind === 'refused') throw new Error(opened.outcome.message);
      await opened.thread.run(turn('one'));
      return opened.thread;
    };
    const lost = await start();
    const ended: string[] = [];
    lost.subscribe({ ended: () => void ended.push('lost') });
    const read = (async () => {
      const seen: string[] = [];
      for await (const news of lost.events()) seen.push(news.kind);
      return seen;
    })();
    clock.pass(day);
    const newer = await elsewhere.resume(lost.id, {});
    const healthy = await start();
    healthy.subscribe({ ended: () => void ended.push('healthy') });

    await expect(lost.run(turn('two'))).rejects.toMatchObject({ code: 'lease-lost' });
    await expect(engine.close()).rejects.toMatchObject({ code: 'lease-lost' });
    expect([ended.toSorted(), engine.threads, await read]).toEqual([['healthy', 'lost'], [], []]);
    // The lease of the healthy one was given back.
    const again = await elsewhere.resume(healthy.id, {});
    expect([newer.kind, again.kind]).toEqual(['opened', 'opened']);
    await elsewhere.close();
  });
});
