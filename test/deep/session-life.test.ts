import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { checkpointText, saysCheckpoint } from '../compaction/summariser.ts';
import { ownSeconds, processesWith } from '../harness/process-table.ts';
import { inputOf, scene, textsOf, threadId } from '../harness/scene.ts';
import { toldScene } from '../harness/told-scene.ts';

type Scene = Awaited<ReturnType<typeof toldScene>>;

const waiting = { timeout: 20_000, interval: 10 };
const start = (cmd: string, more: object = {}) => callTool('exec_command', { cmd, yield_time_ms: 250, ...more });
const look = (id: number, more: object = {}) => callTool('write_stdin', { session_id: id, ...more });

function idIn(answered: string | undefined): number {
  const id = /^Process running with session ID (\d+)$/m.exec(answered ?? '')?.[1];
  if (id === undefined) throw new Error(answered);
  return Number(id);
}

async function sessionOf(told: Scene, cmd: string, more: object = {}): Promise<number> {
  return idIn((await told.calls(start(cmd, more)))[0]);
}

const sleep = (seconds: number): string => `sleep ${ownSeconds(seconds)}`;
/** Processes that sleep for so many seconds. */
const sleepers = (seconds: number): readonly number[] => processesWith(`sleep\0${ownSeconds(seconds)}`);

const ended = (told: Scene): readonly string[] => told.texts().filter((text) => text.startsWith('<sessions_ended>'));

describe('a session', () => {
  test('ends with its thread, and the resumed thread says once that it is gone', async () => {
    const told = await toldScene({});
    const id = await sessionOf(told, sleep(73001));
    expect(told.live.thread.state.sessions).toMatchObject([{ id, threadId: told.live.id }]);
    const [folder] = readdirSync(join(told.live.place.home, 'command-logs'));
    await told.live.close();
    expect(sleepers(73001)).toEqual([]);
    expect(existsSync(join(told.live.place.home, 'command-logs', folder!))).toBe(false);
    const ends = told.live.told('item-completed').filter(({ item }) => item.kind === 'command');
    expect(ends).toMatchObject([{ item: { status: 'failed', unfinished: 'interrupted' } }]);

    await told.live.open();
    const [refused] = await told.calls(look(id));
    expect(refused).toContain(`Session ${id} ended, at the latest with the program that ran this conversation before.`);
    await told.calls();
    expect(ended(told)).toEqual([
      `<sessions_ended>\nThese command sessions have ended, at the latest with the program that ran this conversation; what they had not told you is lost:\n${id}: "${sleep(73001)}"\n</sessions_ended>`,
    ]);
    expect(told.live.thread.state.sessions).toEqual([]);
  });

  test('cannot be reached from a fork, and runs on', async () => {
    const told = await toldScene({});
    const id = await sessionOf(told, sleep(73002));
    const engine = await told.live.engine();
    const forked = await engine.fork(told.live.id, { kind: 'latest' }, { listener: () => {} });
    if (forked.kind === 'refused') throw new Error(forked.outcome.message);
    told.live.model.push(answer({ items: [say('Yes.')] }));
    await forked.thread.run({
      input: { author: 'user', text: 'go', images: [] },
      signal: new AbortController().signal,
    });
    expect(ended(told)).toEqual([
      expect.stringContaining('belong to the conversation that this one was branched from'),
    ]);
    await forked.thread.close();
    const [still] = await told.calls(look(id, { yield_time_ms: 250 }));
    expect(still).toContain(`Process running with session ID ${id}`);
  });

  test('is ended by a turn that may do less, and not by one that may do the same or more', async () => {
    const told = await toldScene({});
    const id = await sessionOf(told, sleep(73003));
    await told.live.thread.overrideTurnContext({ sandbox: 'danger-full-access' });
    const [wider] = await told.calls(look(id, { yield_time_ms: 250 }));
    expect(wider).toContain(`Process running with session ID ${id}`);
    await told.live.thread.overrideTurnContext({ sandbox: 'read-only' });
    const [narrower] = await told.calls(look(id, { yield_time_ms: 250 }));
    expect(narrower).toContain(`Session ${id} was ended, because it had more permissions than you have now.`);
    expect(ended(told)).toEqual([
      `<sessions_ended>\nThese command sessions had more permissions than you have now, and were ended:\n${id}: "${sleep(73003)}"\n</sessions_ended>`,
    ]);
    expect(sleepers(73003)).toEqual([]);
  });

  test('is named after a checkpoint, once', async () => {
    const told = await toldScene({});
    const id = await sessionOf(told, sleep(73004));
    const named = (): readonly string[] => told.texts().filter((text) => text.startsWith('<command_sessions>'));
    await told.calls(start('seq 1 9000'));
    expect(named()).toEqual([]);
    told.live.model.push(saysCheckpoint(checkpointText('go', ['go'])));
    const compacted = await told.live.thread.compact({ signal: new AbortController().signal });
    expect(compacted).toMatchObject({ kind: 'installed' });
    const [running, stopped] = await told.calls(look(id, { yield_time_ms: 250 }), look(id, { chars: '\u{3}' }));
    expect(running).toContain(`Process running with session ID ${id}`);
    expect(stopped).toContain('Process exited with code 130');
    await told.calls();
    expect(named()).toEqual([expect.stringMatching(new RegExp(`^${id}: "${sleep(73004)}", since 20\\d\\d-.*Z$`, 'm'))]);
  });

  test('survives an interrupt of the turn that looks at it', async () => {
    const told = await toldScene({});
    const id = await sessionOf(told, sleep(73005));
    told.live.model.push(answer({ items: [look(id, { yield_time_ms: 60_000 })] }));
    const stopping = new AbortController();
    told.live.onEvent = ({ kind }) => void (kind === 'item-started' && setTimeout(() => stopping.abort(), 200));
    expect(await told.live.turn('look', { signal: stopping.signal })).toMatchObject({ kind: 'aborted' });
    told.live.onEvent = () => {};
    const [still] = await told.calls(look(id, { yield_time_ms: 250 }));
    expect(still).toContain(`Process running with session ID ${id}`);
  });

  test('what it changes in a turn is undone with that turn', async () => {
    const told = await toldScene({});
    const script = `echo one > one; until [ -e go ]; do sleep 0.05; done; echo two > two; ${sleep(73006)}`;
    const id = await sessionOf(told, script);
    const [looked] = await told.calls(
      start('touch go; until [ -e two ]; do sleep 0.05; done', { yield_time_ms: 20_000 }),
    );
    expect(looked).toContain('exited with code 0');
    await told.calls(look(id, { chars: '\u{3}' }));
    await told.live.close();
    const restored = await told.live.place.run('threads', 'restore', told.live.id, '--before-turn', '2');
    expect(restored.stderr).toBe('');
    const at = (name: string): boolean => existsSync(join(told.live.place.workspace, name));
    expect(['one', 'go', 'two'].map(at)).toEqual([true, false, false]);
  });

  test('ten commands that wait for each other in one response all end', async () => {
    const all = Array.from({ length: 10 }, (_, i) => i);
    const script = (own: number): string =>
      `touch m${own}; for i in ${all.join(' ')}; do until [ -e m$i ]; do sleep 0.05; done; done; echo all`;
    const told = await toldScene({});
    const items = all.map((own) => callTool('exec_command', { cmd: script(own), yield_time_ms: 30_000 }));
    told.live.model.push(answer({ items }));
    await told.calls();
    const outputs = told.texts().filter((text) => text.endsWith('Output:\nall\n'));
    expect(outputs).toHaveLength(10);
  });
});

describe('capstan exec', () => {
  test('--json says of a session that it runs when its turn ends, and ends it once', async () => {
    const { place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: `echo up; ${sleep(73007)}`, yield_time_ms: 250 }, 'call_x')] }),
      answer({ items: [say('It runs.')] }),
    ]);
    const run = await place.run('exec', '--json', 'go');
    expect(run.code).toBe(0);
    const events = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; item?: object });
    const commands = events.filter(({ item }) => (item as { type?: string })?.type === 'command_execution');
    expect(commands.map(({ type, item }) => [type, (item as { status: string }).status])).toEqual([
      ['item.started', 'in_progress'],
      ['item.updated', 'in_progress'],
      ['item.completed', 'failed'],
    ]);
    expect(commands.at(-1)!.item).toMatchObject({ aggregated_output: 'up\n', exit_code: null });
    expect(sleepers(73007)).toEqual([]);
  });

  test('says the same in plain words', async () => {
    const { place } = await scene([
      answer({ items: [start(`echo up; ${sleep(73010)}`)] }),
      answer({ items: [say('It runs.')] }),
    ]);
    const run = await place.run('exec', 'go');
    expect([run.code, run.stdout]).toEqual([0, 'It runs.\n']);
    const cmd = sleep(73010);
    expect(run.stderr).toMatch(
      new RegExp(`${cmd}\\n {2}\\[still running\\]\\n[^]*${cmd}\\n {2}up\\n {2}\\[interrupted`),
    );
    expect(run.stderr.match(/\[still running\]|\[interrupted/g)).toHaveLength(2);
  });

  test.runIf(process.platform === 'linux').each(['workspace-write', 'danger-full-access'])(
    '%s: a kill leaves no session running, and resume says that they are gone',
    async (mode) => {
      const seconds = ownSeconds(mode === 'workspace-write' ? 73008 : 73011);
      const cmd = `sleep ${seconds} & sleep ${seconds}`;
      const calls = [{ cmd }, { cmd: `bash -i -c '${cmd}'`, tty: true }, { cmd, stdin: true }];
      const { model, place } = await scene([
        answer({ items: calls.map((call) => callTool('exec_command', { ...call, yield_time_ms: 2000 })) }),
        answer({ items: [callTool('exec_command', { cmd: sleep(73009) })] }),
        answer({ items: [say('I see.')] }),
      ]);
      const victim = place.start(['exec', '--json', '-s', mode, 'go']);
      await vi.waitUntil(() => model.requests.length === 2, waiting);
      await vi.waitUntil(() => processesWith(`sleep\0${seconds}`).length === 6, waiting);
      victim.child.kill('SIGKILL');
      const id = threadId(await victim.finished);
      await vi.waitUntil(() => processesWith(seconds).length === 0, waiting);
      const resumed = await place.run('exec', 'resume', id, 'what runs?');
      expect(resumed.code).toBe(0);
      const texts = textsOf(inputOf(model, 2)).map(String);
      const [gone = ''] = texts.filter((text) => text.startsWith('<sessions_ended>'));
      expect(gone.match(/^\d+: /gm)).toHaveLength(3);
      expect(readFileSync(place.rollouts()[0]!, 'utf8')).toContain('"dropped":"gone"');
    },
  );
});
