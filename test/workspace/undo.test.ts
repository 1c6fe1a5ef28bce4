import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { lineType } from '../../src/protocol/line.ts';
import { answer, callTool, type ItemDraft, say } from '../../src/testing/index.ts';
import { contentStoreOf } from '../../src/engine/undo/content-store.ts';
import { LiveThread } from '../harness/live-thread.ts';
import type { Place } from '../harness/run-capstan.ts';
import { scene, threadId, withoutSandbox } from '../harness/scene.ts';
import { nextTick } from './lab.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const command = (cmd: string): ItemDraft => callTool('exec_command', { cmd });
const patch = (...lines: readonly string[]): ItemDraft => ({
  type: 'custom_tool_call',
  name: 'apply_patch',
  input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
});
const turn = (...calls: readonly ItemDraft[]) => [answer({ items: calls }), answer({ items: [say('done')] })];
const at = (place: Place, name: string): string => join(place.workspace, name);
const text = (place: Place, name: string): string => readFileSync(at(place, name), 'utf8');
const snapshotsIn = (place: Place): readonly JsonObject[] =>
  place.lines().flatMap(({ type, payload }) => (type === lineType.snapshot ? [payload] : []));

/** Two turns that change files, and what the user does in between and after. */
async function twoTurns() {
  const { place } = await scene(
    [
      ...turn(command('echo two > f; echo made > made; rm gone')),
      ...turn(patch('*** Update File: f', '-two', '+three', '*** Add File: sub/new', '+new')),
    ],
    withoutSandbox,
  );
  writeFileSync(at(place, 'f'), 'one\n');
  writeFileSync(at(place, 'gone'), 'gone\n');
  const run = await place.run('exec', '--json', 'first');
  const id = threadId(run);
  writeFileSync(at(place, 'mine'), 'mine\n');
  await place.run('exec', 'resume', id, 'second');
  return { place, id };
}

describe('undo', () => {
  it('records the workspace before the first effect and after the last', async () => {
    const { place } = await twoTurns();
    const root = place.workspace;
    const any = { bytes: expect.any(Number), seal: expect.any(String) };
    const shared = { root, tree: expect.stringMatching(/^[0-9a-f]{64}$/), skipped: [], ...any };
    const turnId = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const snapshots = snapshotsIn(place);
    // Without changes by others, the tree of the others is the one from before the turn.
    const others = [snapshots[0]?.['tree'], snapshots[2]?.['tree']];
    expect(snapshots).toEqual([
      { turn_id: turnId, when: 'before', ...shared, files: 2 },
      { turn_id: turnId, when: 'after', ...shared, others: others[0], files: 2 },
      { turn_id: turnId, when: 'before', ...shared, files: 3 },
      { turn_id: turnId, when: 'after', ...shared, others: others[1], files: 4 },
    ]);
    const types = place.lines().map(({ type, payload }) => `${type} ${String(payload['when'] ?? '')}`.trim());
    // No line names a process that had ended by the time it was looked at.
    const began = place
      .lines()
      .findIndex(({ payload }) => payload['process'] !== undefined || payload['type'] === 'function_call_output');
    expect(types.indexOf(`${lineType.snapshot} before`)).toBeLessThan(began);
  });

  it('looks again when the model speaks and then continues', async () => {
    const { place } = await scene(
      [
        answer({ items: [command('echo a > a')] }),
        answer({ items: [say('One more.'), command('sleep 0.2; echo b > b')], deltas: true }),
        answer({ items: [say('done')] }),
      ],
      withoutSandbox,
    );
    const id = threadId(await place.run('exec', '--json', 'go'));
    const { events } = await place.run('threads', 'files', id, '--json');
    const files = ['a', 'b'].map((path) => ({ path, kind: 'added', sizeAfter: 2 }));
    expect(events).toMatchObject([{ changes: [{ files }] }]);
    expect(snapshotsIn(place)).toHaveLength(2);
  });

  it('looks again after a call during which the model spoke', async () => {
    const live = await LiveThread.in(
      [
        answer({ items: [command('sleep 0.3; echo b > b'), say('It runs.')], deltas: true }),
        answer({ items: [say('done')], deltas: true }),
      ],
      withoutSandbox,
    );
    await live.turn('go');
    const { changes } = await (await live.engine()).stored.fileChanges(live.thread.id);
    expect(changes).toMatchObject([{ files: [{ path: 'b', kind: 'added' }], meanwhile: [] }]);
  });

  it('tells its own work from what others do while the model thinks', async () => {
    const live = await LiveThread.in(
      [
        answer({ items: [command('echo made > made; rm gone; mkdir sub; echo x > sub/x')] }),
        () => {
          nextTick(live.place.workspace);
          writeFileSync(at(live.place, 'mine'), 'mine\n');
          writeFileSync(at(live.place, 'sub/mine'), 'mine\n');
          nextTick(live.place.workspace);
          return answer({ items: [patch('*** Add File: new/file', '+new'), command('echo more >> made')] });
        },
        answer({ items: [say('done')] }),
      ],
      withoutSandbox,
    );
    const { place } = live;
    writeFileSync(at(place, 'gone'), 'gone\n');
    const { id } = await live.open();
    await live.turn('go');
    await live.close();
    const shown = (await place.run('threads', 'files', id)).stdout;
    expect(shown.replaceAll(/[0-9a-f-]{36}/g, 'ID').replaceAll(place.workspace, 'ROOT')).toBe(
      [
        'Turn 1, ID, in ROOT',
        '  deleted  5 B   gone',
        '  added    10 B  made',
        '  added    4 B   new/file',
        '  added    2 B   sub/x',
        '  Meanwhile, but not by the turn:',
        '  added  5 B  mine',
        '  added  5 B  sub/mine',
        '',
      ].join('\n'),
    );
    const told = (change: string) =>
      [
        `${change} ${place.workspace}: 1 restored, 4 deleted, 2 kept.`,
        '  restored  gone',
        '  deleted   made',
        '  deleted   new',
        '  deleted   new/file',
        '  deleted   sub/x',
        '  kept      mine  (it changed while a turn ran, but not by the turn)',
        '  kept      sub/mine  (it changed while a turn ran, but not by the turn)',
        'To restore the kept files as well, add --meanwhile. You can undo that, too.',
        '',
      ].join('\n');
    const foreseen = await place.run('threads', 'rollback', id, '--both', '--dry-run');
    expect(foreseen.stdout).toBe(told('Would change'));
    expect((await place.run('threads', 'restore', id, '--before-turn', '1')).stdout).toBe(
      `${told('Changed')}To undo this: capstan threads restore ${id} --undo\n`,
    );
    expect([text(place, 'mine'), text(place, 'sub/mine'), existsSync(at(place, 'made'))]).toEqual([
      'mine\n',
      'mine\n',
      false,
    ]);
    await place.run('threads', 'restore', id, '--before-turn', '1', '--meanwhile');
    expect(existsSync(at(place, 'mine'))).toBe(false);
  });

  it('keeps what the user changed while the model thought and a patch then found, not what a command had left', async () => {
    const live = await LiveThread.in(
      [
        answer({ items: [command('echo ours >> ours; rm gone; echo made > made')] }),
        () => {
          nextTick(live.place.workspace);
          for (const name of ['updated', 'moved', 'deleted']) writeFileSync(at(live.place, name), 'mine\n');
          nextTick(live.place.workspace);
          const mine = ['*** Update File: updated', '@@', ' mine', '+new', '*** Delete File: deleted'];
          const moved = ['*** Update File: moved', '*** Move to: there', '@@', ' mine', '+new'];
          const ours = [
            '*** Update File: ours',
            '@@',
            ' ours',
            '+new',
            '*** Add File: gone',
            '+new',
            '*** Delete File: made',
          ];
          return answer({ items: [patch(...mine, ...moved, ...ours)] });
        },
        answer({ items: [say('done')] }),
      ],
      withoutSandbox,
    );
    const { place } = live;
    for (const name of ['updated', 'moved', 'deleted', 'ours', 'gone']) writeFileSync(at(place, name), 'old\n');
    const { id } = await live.open();
    await live.turn('go');
    await live.close();
    const { events } = await place.run('threads', 'rollback', id, '--files', '--json');
    const kept = ['deleted', 'moved', 'there', 'updated'].map((path) => ({ path, why: 'meanwhile' }));
    expect(events).toMatchObject([{ files: { restored: ['gone', 'ours'], deleted: [], kept } }]);
    expect(['updated', 'there', 'ours', 'gone'].map((name) => text(place, name))).toEqual([
      'mine\nnew\n',
      'mine\nnew\n',
      'old\n',
      'old\n',
    ]);
  });

  it('shows what each turn changed', async () => {
    const { place, id } = await twoTurns();
    const { stdout } = await place.run('threads', 'files', id);
    expect(stdout.replaceAll(/[0-9a-f-]{36}/g, 'ID').replaceAll(place.workspace, 'ROOT')).toBe(
      [
        'Turn 1, ID, in ROOT',
        '  changed  4 → 4 B  f',
        '  deleted  5 B      gone',
        '  added    5 B      made',
        '',
        'Turn 2, ID, in ROOT',
        '  changed  4 → 6 B  f',
        '  added    4 B      sub/new',
        '',
      ].join('\n'),
    );
    const asJson = await place.run('threads', 'files', id, '--json');
    expect(asJson.events).toMatchObject([
      {
        id,
        changes: [
          { turn: 1, state: 'known' },
          { turn: 2, state: 'known' },
        ],
      },
    ]);
  });

  it('brings files back, leaves the user’s own alone, and can be undone', async () => {
    const { place, id } = await twoTurns();
    const dry = await place.run('threads', 'restore', id, '--before-turn', '1', '--dry-run');
    expect([dry.code, dry.stdout, text(place, 'f')]).toEqual([
      0,
      `Would change ${place.workspace}: 2 restored, 3 deleted.\n  restored  f\n  restored  gone\n  deleted   made\n  deleted   sub\n  deleted   sub/new\n`,
      'three\n',
    ]);
    const done = await place.run('threads', 'restore', '--last', '--before-turn', '1', '--json');
    expect(done.events).toEqual([
      {
        kind: 'restored',
        root: place.workspace,
        withoutSnapshot: [],
        otherRoots: [],
        restored: ['f', 'gone'],
        deleted: ['made', 'sub', 'sub/new'],
        kept: [],
        failed: [],
        dryRun: false,
      },
    ]);
    expect([text(place, 'f'), text(place, 'gone'), text(place, 'mine')]).toEqual(['one\n', 'gone\n', 'mine\n']);
    expect(['made', 'sub'].map((name) => existsSync(at(place, name)))).toEqual([false, false]);
    expect((await place.run('threads', 'restore', id, '--undo')).code).toBe(0);
    expect([text(place, 'f'), text(place, 'sub/new'), existsSync(at(place, 'gone'))]).toEqual([
      'three\n',
      'new\n',
      false,
    ]);
  });

  it('never overwrites what the user changed since without being asked to', async () => {
    const { place, id } = await twoTurns();
    writeFileSync(at(place, 'f'), 'my own\n');
    const kept = await place.run('threads', 'restore', id, '--before-turn', '2');
    expect([kept.code, kept.stdout]).toEqual([
      0,
      [
        `Changed ${place.workspace}: 2 deleted, 1 kept.`,
        '  deleted   sub',
        '  deleted   sub/new',
        '  kept      f  (changed again after the turn)',
        'To restore the kept files as well, add --force. You can undo that, too.',
        `To undo this: capstan threads restore ${id} --undo`,
        '',
      ].join('\n'),
    ]);
    expect(text(place, 'f')).toBe('my own\n');
    await place.run('threads', 'restore', id, '--before-turn', '2', '--force');
    expect(text(place, 'f')).toBe('two\n');
    await place.run('threads', 'restore', id, '--undo');
    expect(text(place, 'f')).toBe('my own\n');
  });

  it('goes with the conversation, or without it, and comes back', async () => {
    const { place, id } = await twoTurns();
    const files = { restored: ['f'], deleted: ['sub', 'sub/new'], kept: [] };
    const only = await place.run('threads', 'rollback', id, '--files', '--json');
    expect([only.events, text(place, 'f')]).toEqual([
      [expect.objectContaining({ kind: 'files-restored', id })],
      'two\n',
    ]);
    expect(only.events).toMatchObject([{ files }]);
    await place.run('threads', 'restore', id, '--undo');
    const both = await place.run('threads', 'rollback', id, '--both', '--json');
    expect(both.events).toMatchObject([{ kind: 'rolled-back', turns: [expect.any(String)], files }]);
    expect(text(place, 'f')).toBe('two\n');
    expect(await place.run('threads', 'restore', id, '--undo')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`capstan threads undo-rollback ${id}`),
    });
    expect((await place.run('threads', 'undo-rollback', id)).code).toBe(0);
    expect((await place.run('threads', 'restore', id, '--undo')).code).toBe(0);
    expect([text(place, 'f'), text(place, 'sub/new')]).toEqual(['three\n', 'new\n']);
  });

  it('says what to do where a rollback with the conversation left something', async () => {
    const { place, id } = await twoTurns();
    const tell = async (...words: readonly string[]) => (await place.run('threads', ...words)).stdout.split('\n');
    const [back, files] = [`undo-rollback ${id}`, `restore ${id} --undo`].map((words) => `capstan threads ${words}`);
    writeFileSync(at(place, 'f'), 'my own\n');
    writeFileSync(at(place, 'sub/new'), 'mine too\n');
    expect(await tell('rollback', id, '--both')).toEqual([
      `Changed nothing in ${place.workspace}: 3 kept.`,
      '  kept      f  (changed again after the turn)',
      '  kept      sub/new  (changed again after the turn)',
      '  kept      sub  (something else is in the way)',
      `To restore the kept files as well: ${back}, then repeat this command with --force.`,
      `One turn of thread ${id} rolled back.`,
      `To undo this: ${back}`,
      '',
    ]);
    await place.run('threads', 'undo-rollback', id);
    expect(await tell('rollback', id, '--both', '--force')).toEqual([
      `Changed ${place.workspace}: 1 restored, 2 deleted.`,
      '  restored  f',
      '  deleted   sub',
      '  deleted   sub/new',
      `One turn of thread ${id} rolled back.`,
      `To undo this: ${back}`,
      `Then undo the files: ${files}`,
      '',
    ]);
    await place.run('threads', 'undo-rollback', id);
    await place.run('threads', 'restore', id, '--undo');
    expect([text(place, 'f'), text(place, 'sub/new')]).toEqual(['my own\n', 'mine too\n']);
  });

  it.skipIf(noNamespaces)('neither copies nor deletes what the policy forbids to read', async () => {
    const live = await LiveThread.in(turn(command('echo two > f')), withoutSandbox);
    const { place } = live;
    const systemFolders = [join(place.root, 'etc')];
    mkdirSync(systemFolders[0]!);
    const toml = `[permissions.filesystem]\ndeny_read = [${JSON.stringify(at(place, 'secret'))}]\n`;
    writeFileSync(join(systemFolders[0]!, 'requirements.toml'), toml);
    writeFileSync(at(place, 'secret'), 'mine');
    writeFileSync(at(place, 'f'), 'one\n');
    const { id } = await live.open({ systemFolders });
    await live.turn('go');
    expect(text(place, 'f')).toBe('two\n');
    // As if the process had died before it looked again.
    await live.rewrite((lines) => lines.filter(({ payload }) => payload['when'] !== 'after'));
    const engine = await live.engine({ systemFolders });
    const [first] = await engine.stored.turns(id);
    const report = await engine.restoreFiles(id, { beforeTurn: first!.id }, { dryRun: false, force: true });
    expect(report).toMatchObject({ restored: ['f'], deleted: [], kept: [], failed: [] });
    expect([text(place, 'f'), text(place, 'secret')]).toEqual(['one\n', 'mine']);
    const trees = snapshotsIn(place).map(({ tree }) =>
      contentStoreOf(place.home, place.workspace).readTree(String(tree)),
    );
    expect(trees.map((tree) => tree.map(([name]) => name))).toEqual([['f'], ['f'], ['f']]);
  });

  it('says what is wrong', async () => {
    const { place } = await scene([answer({ items: [say('hello')] })], withoutSandbox);
    const id = threadId(await place.run('exec', '--json', 'only talk'));
    const say1 = async (...words: readonly string[]) => {
      const { code, stderr } = await place.run('threads', ...words);
      return [code, stderr.split('\n')[0]];
    };
    expect(await say1('restore', id)).toEqual([
      2,
      'capstan: threads restore: to when? Use --before-turn TURN, or --undo.',
    ]);
    expect(await say1('restore', id, '--before-turn', '1')).toEqual([
      1,
      'capstan: No turn since then can have changed a file.',
    ]);
    expect(await say1('restore', id, '--before-turn', '7')).toEqual([
      1,
      `capstan: Thread ${id} has no turn "7": it has one turn, not counting rolled-back ones.`,
    ]);
    expect(await say1('restore', id, '--undo')).toEqual([1, 'capstan: This thread has no restore to undo.']);
    expect((await place.run('threads', 'files', id)).stdout).toBe('No file changes are recorded for this thread.\n');
  });
});

describe('no snapshot is taken', () => {
  const quiet = async (place: Place, ...words: readonly string[]) => {
    const run = await place.run('exec', '--json', ...words, 'go');
    return [run.code, snapshotsIn(place), existsSync(join(place.home, 'capstan/snapshots'))];
  };

  it('when undo is off', async () => {
    const { place } = await scene(turn(command('echo a > a')), '[undo]\nenabled = false\n');
    expect(await quiet(place)).toEqual([0, [], false]);
  });

  it('when nothing may be written', async () => {
    const { place } = await scene(turn(command('cat /dev/null')), withoutSandbox);
    expect(await quiet(place, '-s', 'read-only')).toEqual([0, [], false]);
  });

  it('when nothing is to be kept', async () => {
    const { place } = await scene(turn(command('echo a > a')), withoutSandbox);
    expect(await quiet(place, '--ephemeral')).toEqual([0, [], false]);
  });
});

describe('a turn continues', () => {
  it('when the disk has no space for a snapshot, and says so', async () => {
    const { place } = await scene(turn(command('echo after > f')), withoutSandbox);
    writeFileSync(at(place, 'f'), 'x'.repeat(200_000));
    const limit = { prefix: ['bash', '-c', 'ulimit -f 100; exec "$@"', '_'] };
    const run = await place.start(['exec', '--json', 'go'], limit).finished;
    expect([run.code, text(place, 'f')]).toEqual([0, 'after\n']);
    expect(snapshotsIn(place)).toMatchObject([{ when: 'before', missing: 'undo-unavailable' }]);
    expect(JSON.stringify(run.events) + run.stderr).toMatch(/cannot be undone: .*file too large/);
    const id = threadId(run);
    const restored = await place.run('threads', 'restore', id, '--before-turn', '1');
    expect([restored.code, restored.stderr.split('\n')[0]]).toEqual([
      1,
      'capstan: There is no snapshot from before the turns that may have changed files.',
    ]);
  });
});
