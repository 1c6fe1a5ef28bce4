// @module-tag attack
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandMarkVariable, identifyProcess } from '../../src/adapters/exec/leftover-processes.ts';
import { systemClock, systemIds } from '../../src/adapters/gather/clock-and-ids.ts';
import { liveThreads, type OpenedThread, type Outcome, words } from '../../src/index.ts';
import type { ThreadId, TurnId } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { importRollout } from '../../src/adapters/rollout/maintenance/import-rollout.ts';
import { localTime } from '../../src/adapters/rollout/files/rollout-paths.ts';
import { nodeFiles } from '../../src/adapters/rollout/files/node-files.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const yes = () => answer({ items: [say('Yes.')] });
const other = '01a1dcd3-0000-7000-8000-00000000000a' as ThreadId;

/** A user whose configuration says read-only, with a thread that ran once without a sandbox. */
async function stage(more = ''): Promise<LiveThread> {
  const live = await LiveThread.in(yes, more);
  configure(live, (text) => text.replace('"workspace-write"', '"read-only"'));
  await live.open({ config: ['sandbox_mode="danger-full-access"'] });
  await live.turn('one');
  await live.close();
  return live;
}

function configure({ place }: LiveThread, change: (text: string) => string): void {
  const path = join(place.home, 'config.toml');
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/** Opens a thread as a command does that is started in the workspace. */
async function resume(live: LiveThread, id: ThreadId): Promise<OpenedThread> {
  const opened = await (await live.engine()).resume(id, { listener: () => {} });
  if (opened.kind === 'refused') throw new Error(opened.outcome.message);
  whenTestEnds(() => opened.thread.close());
  return opened;
}

/** The permissions of a thread after it was resumed, in short. */
function granted({ settings }: OpenedThread) {
  const { sandbox: profile, cwd, provider, model } = settings;
  return { sandbox: profile.type === 'disabled' ? 'none' : profile.type, cwd, provider, model };
}

function notTakenOver({ notices }: OpenedThread): Outcome | undefined {
  return notices.find(({ code }) => code === 'settings-not-taken-over');
}

function linesIn(path: string): readonly Line[] {
  const texts = readFileSync(path, 'utf8').trimEnd().split('\n');
  return texts.map((text) => JSON.parse(text) as Line);
}

/** A file that is brought from elsewhere. */
function written(path: string, lines: readonly unknown[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

/** The only thread of the stage under another id, as it must be to stand beside the original. */
function asOther(live: LiveThread): readonly Line[] {
  return JSON.parse(JSON.stringify(live.place.lines()).replaceAll(live.id, other)) as readonly Line[];
}

/** The lines with other grants in the newest turn, and without what would come after it. */
function claiming(lines: readonly Line[], claims: JsonObject): readonly Line[] {
  return lines
    .filter(({ payload }) => payload['type'] !== 'thread_settings_applied')
    .map((line) => {
      if (line.type !== 'turn_context') return line;
      const { capstan, ...shared } = claims;
      const ours = { ...(line.payload['capstan'] as JsonObject), ...(capstan as JsonObject | undefined) };
      return { ...line, payload: { ...line.payload, ...shared, capstan: ours } };
    });
}

function sessionPath({ place }: LiveThread, id: string): string {
  return join(place.home, 'sessions/2026/11/15', `rollout-2026-11-15T00-00-00-${id}.jsonl`);
}

function elsewhere({ place }: LiveThread): string {
  return join(place.root, 'brought.jsonl');
}

async function bringIn({ place }: LiveThread, source: string): Promise<void> {
  const ids = systemIds(systemClock);
  const imported = await importRollout(source, { files: nodeFiles, home: place.home, localTime, ids });
  if ('code' in imported) throw new Error(imported.message);
}

describe('an imported thread', () => {
  it('whose questions a reviewer answered asks the user', async () => {
    const live = await stage();
    await bringIn(live, written(elsewhere(live), claiming(asOther(live), { capstan: { reviewer: 'auto_review' } })));
    const opened = await resume(live, other);
    expect(opened.settings.reviewer).toBeUndefined();
    expect(notTakenOver(opened)).toMatchObject({
      message: expect.stringContaining('reviewer auto_review (using user)'),
      next: expect.stringContaining('-c approvals_reviewer=auto_review'),
    });
  });

  it('that ran without a sandbox runs in the configured one, where the command was started', async () => {
    const live = await stage();
    const far = join(live.place.root, 'far');
    mkdirSync(far);
    await bringIn(live, written(elsewhere(live), claiming(asOther(live), { cwd: far })));
    const opened = await resume(live, other);
    const { workspace: cwd } = live.place;
    expect(granted(opened)).toEqual({ sandbox: 'managed', cwd, provider: 'scripted', model: 'gpt-5.5' });
    expect(notTakenOver(opened)).toEqual({
      code: 'settings-not-taken-over',
      message: `Thread ${other} was imported. Capstan does not apply: folder ${far} (using ${cwd}), sandbox danger-full-access (using read-only).`,
      next: `If you trust the thread and want its settings, add -C ${far} -s danger-full-access`,
    });
    // The names of restored settings are those that were really restored.
    expect(opened.restored?.names).toEqual(['model', 'provider', 'approvals']);
    await opened.thread.run({ input: words('two'), signal: new AbortController().signal });
    await opened.thread.close();
    // From here on the thread is ours, as it is now.
    const again = await resume(live, other);
    expect(granted(again)).toEqual(granted(opened));
    expect(notTakenOver(again)).toBeUndefined();
    expect(again.restored?.names).toContain('sandbox');
  });

  it(
    'brings no policies, roots, approved commands, network rules, tier or provider',
    { tags: 'representative' },
    async () => {
      const live = await stage('approval_policy = "never"');
      const root = (path: string) => ({ path: { type: 'path', path }, access: 'write' });
      const file_system = { type: 'restricted', entries: [root('/'), root('/srv')] };
      const claims = {
        approval_policy: 'on-request',
        model: 'their-model',
        capstan: {
          profile: { type: 'managed', file_system, network: 'enabled' },
          provider: 'ollama',
          approved_prefixes: [['curl']],
          network_rules: [{ host: 'evil.example', action: 'allow' }],
          service_tier: 'priority',
        },
      };
      await bringIn(live, written(elsewhere(live), claiming(asOther(live), claims)));
      const { settings, ...opened } = await resume(live, other);
      expect(settings).toMatchObject({ approvals: 'never', provider: 'scripted', model: 'gpt-5.5' });
      expect(settings.sandbox).toMatchObject({ type: 'managed', network: 'restricted' });
      expect(settings.sandbox).not.toMatchObject({ file_system });
      for (const name of ['approvedPrefixes', 'networkRules', 'serviceTier']) expect(settings).not.toHaveProperty(name);
      expect(notTakenOver({ settings, ...opened })?.message).toBe(
        `Thread ${other} was imported. Capstan does not apply: 1 approved command, 1 network rule, ` +
          'service tier priority (using default), sandbox danger-full-access (using read-only), ' +
          'approval on-request (using never), provider ollama (using scripted), model their-model (using gpt-5.5).',
      );
    },
  );

  it('cannot say that it was not imported, nor bring a name for its import', async () => {
    const live = await stage();
    for (const capstan of [undefined, {}, { imported: false }, { imported: 'their-name', seal: 'x', rollback: {} }]) {
      const [meta, ...rest] = asOther(live);
      const first = { ...meta, payload: { ...meta!.payload, cwd: '/', capstan } };
      await bringIn(live, written(elsewhere(live), [first, ...claiming(rest, { cwd: '/' })]));
      const path = live.place.rollouts().find((one) => one.includes(other))!;
      const [stands] = linesIn(path);
      expect(stands!.payload['capstan']).toEqual({ imported: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(granted(await opened(live, other))).toMatchObject({ sandbox: 'managed', cwd: live.place.workspace });
      rmSync(path);
    }
  });

  it('brings no seal from before its import, also where this home made it', async () => {
    const live = await stage();
    const [path] = live.place.rollouts();
    copyFileSync(path!, elsewhere(live));
    expect(granted(await opened(live, live.id))).toMatchObject({ sandbox: 'none' });
    rmSync(path!);
    await bringIn(live, elsewhere(live));
    expect(granted(await resume(live, live.id))).toMatchObject({ sandbox: 'managed' });
  });

  it('is foreign in its forks and after a rollback too', async () => {
    const live = await stage();
    await bringIn(live, written(elsewhere(live), claiming(asOther(live), { cwd: '/' })));
    const engine = await live.engine();
    const forked = await engine.fork(other, { kind: 'latest' }, { listener: () => {} });
    if (forked.kind === 'refused') throw new Error(forked.outcome.message);
    await forked.thread.run({ input: words('two'), signal: new AbortController().signal });
    await forked.thread.close();
    const { id } = forked.thread;
    expect(granted(await opened(live, id))).toMatchObject({ sandbox: 'managed', cwd: live.place.workspace });
    // Now the newest turn is one that was imported.
    expect(await engine.stored.rollback(id, { turns: 1 })).toMatchObject({ kind: 'rolled-back' });
    expect(granted(await opened(live, id))).toMatchObject({ sandbox: 'managed', cwd: live.place.workspace });
  });

  it('shows what it claims without control characters, as words that a shell takes for what they are', async () => {
    const live = await stage();
    const claims = { cwd: '/x\u001b[2J; rm -rf ~', model: 'm`id`', capstan: { provider: 'p\u0007$(id)' } };
    await bringIn(live, written(elsewhere(live), claiming(asOther(live), claims)));
    const said = notTakenOver(await resume(live, other))!;
    // eslint-disable-next-line no-control-regex
    expect(`${said.message}${said.next}`).not.toMatch(/[\u0000-\u001f]/);
    expect(said.next).toContain(`-C '/x\uFFFD[2J; rm -rf ~'`);
    expect(said.next).toContain("-c 'model_provider=p\uFFFD$(id)' -m 'm`id`'");
  });
});

/** The same, closed at once. */
async function opened(live: LiveThread, id: ThreadId): Promise<OpenedThread> {
  const thread = await resume(live, id);
  await thread.thread.close();
  return thread;
}

describe('a rollout that was placed into the sessions folder', () => {
  it('keeps its folder and model, and gets no more than is configured', async () => {
    const live = await stage();
    const far = join(live.place.root, 'far');
    mkdirSync(far);
    written(sessionPath(live, other), claiming(asOther(live), { cwd: far, model: 'gpt-5.4' }));
    const found = await resume(live, other);
    expect(granted(found)).toEqual({ sandbox: 'managed', cwd: far, provider: 'scripted', model: 'gpt-5.4' });
    expect(notTakenOver(found)?.message).toBe(
      `Thread ${other} has settings that Capstan did not write in this home folder. Capstan does not apply: sandbox danger-full-access (using read-only).`,
    );
  });

  it('by Codex keeps what is narrower than the configuration', async () => {
    const live = await stage();
    configure(live, (text) => text.replace('"read-only"', '"workspace-write"'));
    const byCodex = claiming(asOther(live), {}).map((line) => {
      const { capstan: _ours, permission_profile: _profile, ...payload } = line.payload;
      const sandbox_policy = { type: 'read-only' };
      return line.type === 'turn_context' ? { ...line, payload: { ...payload, sandbox_policy } } : line;
    });
    written(sessionPath(live, other), byCodex);
    const found = await resume(live, other);
    expect(notTakenOver(found)).toBeUndefined();
    expect(found.settings.origins).toMatchObject({ sandbox: 'thread', model: 'thread', cwd: 'thread' });
    expect(JSON.stringify(found.settings.sandbox)).not.toContain('write');
  });

  it.each(['turn_context', 'thread_settings_applied'])(
    'gets nothing by a seal of another thread on its %s',
    async (kind) => {
      const live = await stage();
      // Everything about it is another thread's, its seals as well.
      const lines = asOther(live).filter(
        (line) => kind === 'thread_settings_applied' || line.payload['type'] !== 'thread_settings_applied',
      );
      expect(JSON.stringify(lines)).toContain('"seal":"');
      written(sessionPath(live, other), lines);
      expect(granted(await resume(live, other))).toMatchObject({ sandbox: 'managed' });
    },
  );

  it('gets nothing by a seal once a word of what it grants is another', { tags: 'representative' }, async () => {
    const live = await stage();
    configure(live, (text) => text.replace('"read-only"', '"workspace-write"'));
    await live.open({ config: ['sandbox_mode="workspace-write"'] });
    await live.turn('two');
    await live.rewrite((lines) => claiming(lines, { capstan: { profile: { type: 'disabled' } } }));
    expect(granted(await resume(live, live.id))).toMatchObject({ sandbox: 'managed' });
  });

  it('gets nothing by calling itself a fork of a thread that may do everything', async () => {
    const live = await stage();
    const [path] = live.place.rollouts();
    const [meta, ...rest] = live.place.lines();
    const end = { end_ordinal_exclusive: rest.length + 1, end_byte_offset: readFileSync(path!).length };
    const payload = {
      ...meta!.payload,
      id: other,
      session_id: other,
      forked_from_id: live.id,
      history_base: { thread_id: live.id, ...end },
    };
    written(sessionPath(live, other), [{ ...meta, ordinal: rest.length + 1, payload }]);
    expect(granted(await resume(live, other))).toMatchObject({ sandbox: 'managed' });
  });

  it('ends no process that it names', async () => {
    const live = await stage();
    const sleeper = spawn('sleep', ['60'], { env: { ...process.env, [commandMarkVariable]: 'their-mark' } });
    whenTestEnds(() => void sleeper.kill());
    const startedAt = await identifyProcess(sleeper.pid!);
    const turn_id = '01a1dcd3-0000-7000-8000-00000000000b';
    const event = (payload: JsonObject) => ({ timestamp: '2026-11-15T00:00:00.000Z', type: 'event_msg', payload });
    const call = { thread_id: live.id, turn_id, call_id: 'c1', tool: 'exec_command', started_at_ms: 1, item: {} };
    const known = { pid: sleeper.pid!, started_at: startedAt!, mark: 'their-mark' };
    await live.rewrite((lines) => [
      ...lines,
      event({ type: 'task_started', turn_id }),
      { type: 'capstan_call', payload: call },
      { type: 'capstan_call', payload: { turn_id, call_id: 'c1', process: known, seal: 'AAAAAAAAAAAAAAAAAAAAAA' } },
    ]);
    await live.turn('two');
    expect(live.told('warning').map(({ outcome }) => outcome.code)).not.toContain('command-survived');
    expect([sleeper.exitCode, sleeper.signalCode]).toEqual([null, null]);
    expect(await identifyProcess(sleeper.pid!)).toBe(startedAt);
  });

  it('brings no file back in a folder that it names', async () => {
    const { live, turn, kept } = await changed();
    // Its snapshots are real ones of this home: only what says that the thread made them is missing.
    written(sessionPath(live, other), claiming(asOther(live), {}));
    const engine = await live.engine();
    for (const dryRun of [true, false]) {
      expect(await engine.restoreFiles(other, { beforeTurn: turn }, { dryRun, force: true })).toEqual({
        kind: 'refused',
        outcome: {
          code: 'snapshots-foreign',
          message: `The snapshots of thread ${other} were not recorded by Capstan in this home folder.`,
          next: 'Nothing was changed. Use your version control to restore files.',
        },
      });
    }
    expect(readFileSync(kept, 'utf8')).toBe('after\n');
    expect((await engine.stored.fileChanges(other)).changes).toEqual([]);
    // The thread that did it still can.
    expect((await engine.stored.fileChanges(live.id)).changes).toHaveLength(1);
    expect(await engine.restoreFiles(live.id, { beforeTurn: turn }, { dryRun: false, force: false })).toMatchObject({
      kind: 'restored',
      restored: ['kept.txt'],
    });
    expect(readFileSync(kept, 'utf8')).toBe('before\n');
  });

  it('opens no file by the name of a blob', async () => {
    const live = await stage();
    // A reader that opened it would wait for ever.
    execFileSync('mkfifo', [join(live.place.root, 'pipe.zst')]);
    const sha256 = '../../../pipe';
    const tools = { blob: { sha256, bytes: 1 } };
    await live.rewrite((lines) => [...lines, { type: 'capstan_tool_set', payload: { name: 'theirs', tools } }]);
    const found = await resume(live, live.id);
    expect(found.notices.map(({ code }) => code)).toContain('blobs-missing');
    expect(await (await live.engine()).stored.blob(sha256)).toMatchObject({ code: 'blob-missing' });
  });

  it('takes no tools from a blob that holds something else', async () => {
    const live = await LiveThread.in([
      answer({ items: [callTool('exec_command', { cmd: 'seq 1 30000' })] }),
      answer({ items: [say('Yes.')] }),
      answer({ items: [say('Yes.')] }),
    ]);
    await live.turn('one');
    const [, sha256] = /"full_output":\{"sha256":"([0-9a-f]{64})"/.exec(JSON.stringify(live.place.lines())) ?? [];
    const tools = { blob: { sha256: sha256!, bytes: 1 } };
    await live.rewrite((lines) => [...lines, { type: 'capstan_tool_set', payload: { name: 'theirs', tools } }]);
    const found = await resume(live, live.id);
    expect(found.notices.map(({ code }) => code)).toContain('blobs-missing');
  });

  it('undoes no rollback into another thread', async () => {
    const live = await stage();
    const [meta, ...rest] = asOther(live);
    const rollback = { rollout_id: live.id, end_ordinal_exclusive: rest.length + 1, turns: 1, kept: 1 };
    written(sessionPath(live, other), [{ ...meta, payload: { ...meta!.payload, capstan: { rollback } } }, ...rest]);
    expect(await (await live.engine()).stored.undoRollback(other)).toMatchObject({ kind: 'refused' });
  });

  it.each(['../../../etc/passwd', '', 'zzzzzzzz-zzzz-7zzz-zzzz-zzzzzzzzzzzz', '*'])(
    'continues from no file that it calls %j',
    async (thread_id) => {
      const live = await stage();
      const [meta, ...rest] = asOther(live);
      const history_base = { thread_id, end_ordinal_exclusive: 5, end_byte_offset: 100 };
      written(sessionPath(live, other), [{ ...meta, payload: { ...meta!.payload, history_base } }, ...rest]);
      await expect(resume(live, other)).rejects.toMatchObject({
        message: expect.stringContaining(`it continues from rollout ${thread_id}, which is missing`),
      });
    },
  );
});

/** A thread whose turn changed a file, and that file. */
async function changed(): Promise<{ readonly live: LiveThread; readonly turn: TurnId; readonly kept: string }> {
  const patch = '*** Begin Patch\n*** Update File: kept.txt\n@@\n-before\n+after\n*** End Patch';
  const live = await LiveThread.in([
    answer({ items: [callTool('exec_command', { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` })] }),
    answer({ items: [say('Done.')] }),
  ]);
  const kept = join(live.place.workspace, 'kept.txt');
  writeFileSync(kept, 'before\n');
  await live.turn('one');
  await live.close();
  expect(readFileSync(kept, 'utf8')).toBe('after\n');
  const turn = live.place.lines().find(({ type }) => type === 'turn_context')!.payload['turn_id'] as TurnId;
  return { live, turn, kept };
}

describe('a thread of this home', () => {
  it('keeps all of its settings, through forks, rollbacks and checkpoints', async () => {
    const live = await stage();
    const engine = await live.engine();
    const grants = { sandbox: 'none', provider: 'scripted', model: 'gpt-5.5' };
    expect(granted(await opened(live, live.id))).toMatchObject(grants);
    const forked = await engine.fork(live.id, { kind: 'latest' }, { listener: () => {} });
    if (forked.kind === 'refused') throw new Error(forked.outcome.message);
    await forked.thread.run({ input: words('two'), signal: new AbortController().signal });
    await forked.thread.close();
    const { id } = forked.thread;
    const again = await engine.fork(id, { kind: 'latest' }, { listener: () => {} });
    if (again.kind === 'refused') throw new Error(again.outcome.message);
    await again.thread.close();
    // To a place before the fork: what stands there was sealed for the thread that it was forked from.
    for (const fork of [id, again.thread.id]) {
      expect(await engine.stored.rollback(fork, { turns: 1 })).toMatchObject({ kind: 'rolled-back' });
      const found = await opened(live, fork);
      expect(granted(found)).toMatchObject(grants);
      expect(found.notices).toEqual([]);
    }
    const threads = liveThreads(engine);
    const loaded = await threads.load(live.id);
    if (loaded.kind === 'refused') throw new Error(loaded.outcome.message);
    await loaded.compact({});
    await threads.close();
    expect(granted(await opened(live, live.id))).toMatchObject(grants);
  });

  it('is foreign where the key is lost, and says why where it cannot be used', async () => {
    const live = await stage();
    const key = join(live.place.home, 'capstan', 'key');
    const bytes = readFileSync(key);
    writeFileSync(key, Buffer.alloc(3));
    const found = await opened(live, live.id);
    expect(granted(found)).toMatchObject({ sandbox: 'managed' });
    expect(found.notices.map(({ code }) => code)).toEqual(['seal-key-unusable', 'settings-not-taken-over']);
    rmSync(key);
    expect(granted(await opened(live, live.id))).toMatchObject({ sandbox: 'managed' });
    writeFileSync(key, bytes, { mode: 0o600 });
    expect(granted(await opened(live, live.id))).toMatchObject({ sandbox: 'none' });
  });
});
