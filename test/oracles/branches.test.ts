import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { AppServer } from './app-server.ts';
import { runCodex } from './codex.ts';
import { asSent, codexInput, inputOf, textsOf, withoutNullContent } from './items.ts';
import { runCapstan, scene, threadOf } from './scene.ts';

const echo = () => answer({ items: [say('Yes.')] });

async function threads(place: Place, ...words: readonly string[]): Promise<JsonObject> {
  const run = await place.run('threads', ...words, '--json');
  expect(run.code, run.stderr + run.stdout).toBe(0);
  return JSON.parse(run.stdout) as JsonObject;
}

async function listed(place: Place): Promise<readonly JsonObject[]> {
  const server = await AppServer.start(place);
  try {
    return (await server.call('thread/list', { sourceKinds: ['exec', 'cli'] }))['data'] as unknown as JsonObject[];
  } finally {
    await server.close();
  }
}

/** The history that Codex would send next, up to the words of the user. */
async function codexHistory(
  place: Place,
  model: Parameters<typeof inputOf>[0],
  id: string,
): Promise<readonly JsonObject[]> {
  const run = await runCodex(place, 'resume', id, 'go on');
  expect([run.code, threadOf(run)], run.stderr).toEqual([0, id]);
  return codexInput(model, model.requests.length - 1)
    .history.map(withoutNullContent)
    .map(asSent);
}

describe('Codex continues with', () => {
  it('a fork that Capstan made, and lists it', async () => {
    const { model, place } = await scene(echo);
    const id = threadOf(await runCapstan(place, 'first words'));
    await runCapstan(place, 'resume', id, 'second words');
    const whole = inputOf(model, 1).map(withoutNullContent);
    await runCapstan(place, 'resume', id, 'third words');
    const fork = await threads(place, 'fork', id, '--through', '2');
    expect(fork).toMatchObject({ kind: 'forked', from: id });
    const history = await codexHistory(place, model, String(fork['id']));
    expect(history.slice(0, whole.length)).toEqual(whole);
    expect(textsOf(history)).not.toContain('third words');
    const rows = await listed(place);
    expect(rows.map((row) => row['id'])).toContain(fork['id']);
    // And it comes back.
    const again = await runCapstan(place, 'resume', String(fork['id']), 'fourth words');
    expect(again.code, again.stderr).toBe(0);
    const texts = textsOf(inputOf(model, model.requests.length - 1));
    expect(texts.filter((text) => text.endsWith(' words') || text === 'go on')).toEqual([
      'first words',
      'second words',
      'go on',
      'fourth words',
    ]);
  });

  it.each([false, true])('a thread that Capstan rolled back, known to it before: %s', async (known) => {
    const { model, place } = await scene(echo);
    const id = threadOf(await runCapstan(place, 'first words'));
    if (known) await runCodex(place, 'resume', id, 'words for Codex');
    await runCapstan(place, 'resume', id, 'second words');
    await runCapstan(place, 'resume', id, 'third words');
    const kept = inputOf(model, known ? 2 : 1)
      .map(withoutNullContent)
      .map(asSent);
    expect(await threads(place, 'rollback', id)).toMatchObject({ kind: 'rolled-back', notices: [] });
    const history = await codexHistory(place, model, id);
    const from = (items: readonly JsonObject[]) =>
      items.filter((item) => textsOf([item]).some((text) => / words| Yes/.test(text)));
    expect(from(history)).toEqual(from(kept));
    expect(textsOf(history)).not.toContain('third words');
    // Codex lists a thread once for each of its files that has a message of a user.
    expect(new Set((await listed(place)).map((row) => row['id']))).toEqual(new Set([id]));

    // Back to the third turn, with the turn of Codex taken back in exchange.
    expect(await threads(place, 'undo-rollback', id, '--force')).toMatchObject({ kind: 'rollback-undone' });
    const undone = await codexHistory(place, model, id);
    expect(textsOf(undone).filter((text) => text === 'third words' || text === 'go on')).toEqual([
      'third words',
      'go on',
    ]);
  });

  it('an archived thread only when it is back', async () => {
    const { place } = await scene(echo);
    const id = threadOf(await runCapstan(place, 'first words'));
    await runCodex(place, 'resume', id, 'second words');
    await threads(place, 'archive', id);
    expect(await listed(place)).toEqual([]);
    expect((await runCodex(place, 'resume', id, 'x')).code).toBe(1);
    await threads(place, 'unarchive', id);
    expect((await listed(place)).map((row) => row['id'])).toEqual([id]);
    expect((await runCodex(place, 'resume', id, 'third words')).code).toBe(0);
    await threads(place, 'name', id, 'the one');
    expect((await listed(place)).map((row) => row['name'])).toEqual(['the one']);
    await threads(place, 'delete', id);
    expect(await listed(place)).toEqual([]);
  });
});

describe('a thread in the old form', () => {
  const id = '01a1dcd3-eee5-7d53-9563-298808fb6396';

  function writeOld(place: Place): string {
    const time = '2026-11-14T10:00:00.000Z';
    const event = (payload: JsonObject) => ({ timestamp: time, type: 'event_msg', payload });
    const says = (role: string, type: string, text: string) => ({
      timestamp: time,
      type: 'response_item',
      payload: { type: 'message', role, content: [{ type, text }] },
    });
    const lines = [
      {
        timestamp: time,
        type: 'session_meta',
        payload: {
          id,
          timestamp: time,
          cwd: place.workspace,
          originator: 'x',
          cli_version: '0.1',
          source: 'exec',
          model_provider: 'scripted',
        },
      },
      event({ type: 'task_started', turn_id: 't1' }),
      says('user', 'input_text', 'hello'),
      event({ type: 'user_message', message: 'hello' }),
      says('assistant', 'output_text', 'hi'),
      event({ type: 'agent_message', message: 'hi' }),
      event({ type: 'task_complete', turn_id: 't1', last_agent_message: 'hi' }),
    ];
    const path = join(place.home, `sessions/2026/11/14/rollout-2026-11-14T10-00-00-${id}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return path;
  }

  it('continues in Capstan and comes back to Codex, with what was said shown', async () => {
    const { model, place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'echo ours' })] }),
      answer({ items: [say('One.')] }),
      answer({ items: [say('Two.')] }),
      answer({ items: [say('Three.')] }),
      answer({ items: [say('Four.')] }),
    ]);
    const path = writeOld(place);
    const ours = await runCapstan(place, 'resume', id, 'second words');
    expect(ours.code, ours.stderr).toBe(0);
    expect(textsOf(inputOf(model, 0)).slice(0, 2)).toEqual(['hello', 'hi']);
    const lines = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
    expect(lines.filter((line) => 'ordinal' in line)).toEqual([]);
    const known = inputOf(model, 1).map(withoutNullContent);
    const history = await codexHistory(place, model, id);
    expect(history.slice(0, known.length)).toEqual(known);

    const server = await AppServer.start(place);
    const read = await server.call('thread/read', { threadId: id, includeTurns: true });
    await server.close();
    const turns = (read['thread'] as JsonObject)['turns'] as unknown as { items: JsonObject[]; status: string }[];
    const shown = turns.map(({ status, items }) => [
      status,
      ...items.map(({ type, text }) => [type, text ?? ''].join(' ').trim()),
    ]);
    expect(shown).toEqual([
      ['completed', 'userMessage', 'agentMessage hi'],
      ['completed', 'userMessage', 'agentMessage One.'],
      ['completed', 'userMessage', 'agentMessage Two.'],
    ]);
    // A rollback there is a marker, which Codex reads.
    await threads(place, 'rollback', id, '--turns', '2');
    const after = await codexHistory(place, model, id);
    expect(
      textsOf(after).filter((text) => ['hello', 'hi', 'second words', 'One.', 'go on', 'Two.'].includes(text)),
    ).toEqual(['hello', 'hi', 'go on']);
    // A fork of it is a copy, and goes on, too.
    const fork = await threads(place, 'fork', id, '--through', '1');
    const [, ...copied] = readFileSync(String(fork['path']), 'utf8').split('\n');
    expect(copied.slice(0, 7)).toEqual(readFileSync(path, 'utf8').split('\n').slice(0, 7));
    const forked = await codexHistory(place, model, String(fork['id']));
    expect(textsOf(forked).filter((text) => ['hello', 'hi', 'go on'].includes(text))).toEqual(['hello', 'hi', 'go on']);
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });
});
