import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { Finished, Place, Running } from '../harness/run-capstan.ts';
import { AppServer } from './app-server.ts';
import { runCodex, startCodex } from './codex.ts';
import { asSent, codexInput, inputOf, storedItems, textsOf, unpaired } from './items.ts';
import { runCapstan, scene, startCapstan, threadOf } from './scene.ts';

/** Two commands that are still running when the signal comes, then answers for the program that resumes. */
const script = [
  answer({
    items: ['a', 'b'].map((name) => callTool('exec_command', { cmd: `touch began-${name}; sleep 20` }, `call_${name}`)),
  }),
  ...['One.', 'Two.', 'Three.'].map((text) => answer({ items: [say(text)] })),
];

/** Ends a program in the middle of its commands. */
async function cutOff(place: Place, running: Running, signal: NodeJS.Signals): Promise<Finished> {
  const began = () => ['a', 'b'].every((name) => existsSync(join(place.workspace, `began-${name}`)));
  await vi.waitUntil(began, { timeout: 30_000, interval: 20 });
  running.child.kill(signal);
  return running.finished;
}

describe('a turn of Capstan that was cut off', () => {
  it('by an interrupt continues in Codex', async () => {
    const { model, place } = await scene(script);
    const id = threadOf(await cutOff(place, startCapstan(place, 'first words'), 'SIGINT'));
    const ours = storedItems(place);
    expect(unpaired(ours)).toEqual([]);
    const codex = await runCodex(place, 'resume', id, 'second words');
    expect([codex.code, codex.events.at(-1)?.['type']], codex.stderr).toEqual([0, 'turn.completed']);
    const { history } = codexInput(model, 1);
    expect(history.slice(0, ours.length)).toEqual(ours);
    expect(textsOf(ours).slice(-3)).toEqual([
      expect.stringContaining('aborted by user'),
      expect.stringContaining('aborted by user'),
      expect.stringMatching(/^<turn_aborted>/),
    ]);
  });

  it('by a kill continues in Codex with an answer to every call, and comes back the same', async () => {
    const { model, place } = await scene(script);
    const id = threadOf(await cutOff(place, startCapstan(place, 'first words'), 'SIGKILL'));
    const ours = storedItems(place);
    expect(unpaired(ours).map(({ call_id: call }) => call)).toEqual(['call_a', 'call_b']);
    const codex = await runCodex(place, 'resume', id, 'second words');
    expect([codex.code, codex.events.at(-1)?.['type']], codex.stderr).toEqual([0, 'turn.completed']);
    const { history } = codexInput(model, 1);
    expect(unpaired(history)).toEqual([]);
    const known = new Set(ours.map(({ id: item }) => item));
    expect(history.filter(({ id: item }) => known.has(item))).toEqual(ours);

    // Codex writes no answers into the file: both programs make the same ones, with the same ids, for each request.
    const seen = [...history, storedItems(place).at(-1)!].map(asSent);
    const capstan = await runCapstan(place, 'resume', id, 'third words');
    expect(capstan.code, capstan.stderr).toBe(0);
    expect(inputOf(model, 2).slice(0, seen.length)).toEqual(seen);
    expect(unpaired(inputOf(model, 2))).toEqual([]);
  });

  it('by a kill and taken up by Capstan continues in Codex with what Capstan said about it', async () => {
    const { model, place } = await scene(script);
    const id = threadOf(await cutOff(place, startCapstan(place, 'first words'), 'SIGKILL'));
    await runCapstan(place, 'resume', id, 'second words');
    const ours = storedItems(place);
    expect(unpaired(ours)).toEqual([]);
    expect(textsOf(ours).filter((text) => text.startsWith('Outcome unknown'))).toHaveLength(2);
    const codex = await runCodex(place, 'resume', id, 'third words');
    expect(codex.code, codex.stderr).toBe(0);
    expect(codexInput(model, 2).history.slice(0, ours.length)).toEqual(ours);
  });

  it('by a kill and taken up by Capstan is in the lists of Codex, with the commands whose end was not seen', async () => {
    const { place } = await scene(script);
    const id = threadOf(await cutOff(place, startCapstan(place, 'first words'), 'SIGKILL'));
    await runCapstan(place, 'resume', id, 'second words');
    const server = await AppServer.start(place);
    try {
      await server.call('thread/resume', { threadId: id, excludeTurns: true });
      const listed = await server.call('thread/turns/list', { threadId: id, sortDirection: 'asc', itemsView: 'full' });
      const turns = listed['data'] as readonly { status: string; items: readonly JsonObject[] }[];
      expect(turns.map(({ status }) => status)).toEqual(['interrupted', 'completed']);
      const commands = turns[0]!.items.filter(({ type }) => type === 'commandExecution');
      expect(commands.map((item) => [item['id'], item['status'], item['exitCode']])).toEqual([
        ['call_a', 'failed', null],
        ['call_b', 'failed', null],
      ]);
    } finally {
      await server.close();
    }
  });
});

describe('a turn of Codex that was cut off', () => {
  it('by an interrupt continues in Capstan', async () => {
    const { model, place } = await scene(script);
    const id = threadOf(await cutOff(place, startCodex(place, 'first words'), 'SIGINT'));
    const theirs = storedItems(place).map(asSent);
    const capstan = await runCapstan(place, 'resume', id, 'second words');
    expect(capstan.code, capstan.stderr).toBe(0);
    expect(inputOf(model, 1).slice(0, theirs.length)).toEqual(theirs);
    expect(unpaired(inputOf(model, 1))).toEqual([]);
  });

  it('by a kill continues in Capstan, which says that the outcome is unknown, and back in Codex', async () => {
    const { model, place } = await scene(script);
    const id = threadOf(await cutOff(place, startCodex(place, 'first words'), 'SIGKILL'));
    const theirs = storedItems(place).map(asSent);
    expect(unpaired(theirs).map(({ call_id: call }) => call)).toEqual(['call_a', 'call_b']);
    const capstan = await runCapstan(place, 'resume', id, 'second words');
    expect(capstan.code, capstan.stderr).toBe(0);
    expect(inputOf(model, 1).slice(0, theirs.length)).toEqual(theirs);
    expect(unpaired(inputOf(model, 1))).toEqual([]);
    expect(textsOf(inputOf(model, 1).slice(theirs.length, theirs.length + 3))).toEqual([
      expect.stringMatching(/^Outcome unknown/),
      expect.stringMatching(/^Outcome unknown/),
      expect.stringMatching(/^<turn_aborted>/),
    ]);

    const ours = storedItems(place).map(asSent);
    const codex = await runCodex(place, 'resume', id, 'third words');
    expect(codex.code, codex.stderr).toBe(0);
    expect(codexInput(model, 2).history.slice(0, ours.length)).toEqual(ours);
  });
});
