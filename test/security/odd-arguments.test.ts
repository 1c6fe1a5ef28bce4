// @module-tag attack
import type { SettingsChange } from '../../src/index.ts';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Outcome, words } from '../../src/index.ts';
import { findUnstorableText } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const zero = 'a\0b';
const half = 'a\ud800b';
const odd = [
  ['a zero byte', zero],
  ['half of a character', half],
] as const;
const signal = new AbortController().signal;

describe.each(odd)('%s', (what, text) => {
  test('in an argument of a tool is refused, and the turn continues', async () => {
    const calls = [
      callTool('exec_command', { cmd: `echo ${text}` }),
      callTool('exec_command', { cmd: 'echo', workdir: text }),
      callTool('view_image', { path: text }),
      callTool('update_plan', { plan: [{ step: text, status: 'pending' }] }),
    ];
    const live = await LiveThread.in([answer({ items: calls }), answer({ items: [say('done')] })]);
    expect(await live.turn('go')).toEqual({ kind: 'completed', lastMessage: 'done' });
    const outputs = live.rows(1).filter(([kind]) => kind === 'output');
    expect(outputs).toHaveLength(4);
    for (const [, output] of outputs) {
      expect(output).toMatch(/^The arguments were not accepted and nothing was done: /);
      expect(output).toContain(what);
    }
  });

  test('in a path of a patch is refused, and the turn continues', async () => {
    const patch = `*** Begin Patch\n*** Add File: ${text}\n+x\n*** End Patch`;
    const call = { type: 'custom_tool_call', name: 'apply_patch', call_id: 'call_p', input: patch } as const;
    const live = await LiveThread.in([answer({ items: [call] }), answer({ items: [say('done')] })]);
    expect(await live.turn('go')).toEqual({ kind: 'completed', lastMessage: 'done' });
    const [, output] = live.rows(1).at(-1)!;
    expect(output).toMatch(/it is not a path|must not hold half/);
  });

  test('in the folder of a thread, its name or a change of its settings is refused', async () => {
    const live = await LiveThread.in([answer({ items: [say('ok')] })]);
    const engine = await live.engine();
    const started = await engine.start({ cwd: join(live.place.workspace, text), listener: () => {} });
    expect(started).toMatchObject({ kind: 'refused', outcome: { message: expect.stringContaining(what) } });
    const thread = await live.open();
    await live.turn('go');
    const changes: readonly SettingsChange[] = [
      { cwd: `/${text}` },
      { model: text },
      { collaboration: { mode: 'plan', instructions: text } },
    ];
    for (const change of changes) {
      const changed = await thread.overrideTurnContext(change);
      expect(changed).toMatchObject({ kind: 'refused', outcome: { message: expect.stringContaining(what) } });
    }
    expect(await engine.stored.rename(thread.id, text)).toMatchObject({
      kind: 'refused',
      outcome: { message: expect.stringContaining(what) },
    });
  });

  test('in a configuration key is refused', { tags: 'representative' }, async () => {
    const live = await LiveThread.in([]);
    const written = text === zero ? 'a\\u0000b' : undefined;
    if (written === undefined) return;
    const overrides = [
      `model="${written}"`,
      `shell_environment_policy.set={A="${written}"}`,
      `sandbox_workspace_write.writable_roots=["/${written}"]`,
      `model_instructions_file="${written}"`,
    ];
    for (const override of overrides) {
      await expect(live.engine({ config: [override] })).rejects.toThrow(`must not contain ${what}`);
    }
  });

  test('in words to look for finds nothing and breaks nothing', async () => {
    const live = await LiveThread.in([answer({ items: [say('ok')] })]);
    await live.turn('go');
    const engine = await live.engine();
    expect(await engine.stored.search(text, { limit: 10, sort: 'updated' })).toMatchObject({ hits: [] });
    expect(await engine.stored.choose({ kind: 'named', name: text })).toMatchObject({ kind: 'none' });
  });
});

describe('half of a character in what a user says', () => {
  test('is refused before anything is written or sent', async () => {
    const live = await LiveThread.in([answer({ items: [say('ok')] })]);
    const thread = await live.open();
    const refusal: Partial<Outcome> = { code: 'odd-input', message: expect.stringContaining('half of a character') };
    expect(await thread.run({ input: words(half), signal })).toMatchObject({ kind: 'failed', outcome: refusal });
    expect(await thread.steer({ input: words(half) })).toMatchObject({ kind: 'refused', outcome: refusal });
    const outputSchema = { type: 'object', description: half };
    expect(await thread.run({ input: words('x'), outputSchema, signal })).toMatchObject({ kind: 'failed' });
    expect(live.model.requests).toHaveLength(0);
    expect(await live.turn('fine')).toMatchObject({ kind: 'completed' });
    expect(await (await live.engine()).stored.pin(thread.id, half)).toMatchObject({ kind: 'refused' });
  });
});

test('arguments that nest without end are refused', { tags: 'representative' }, async () => {
  let nested = '1';
  for (let level = 0; level < 20_000; level++) nested = `[${nested}]`;
  const call = {
    type: 'function_call',
    name: 'update_plan',
    call_id: 'c',
    arguments: `{"a\\u0000":${nested}}`,
  } as const;
  const live = await LiveThread.in([answer({ items: [call] }), answer({ items: [say('done')] })]);
  expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
  expect(findUnstorableText(JSON.parse(nested))).toEqual({ at: expect.any(String), what: 'more than 100 levels' });
});
