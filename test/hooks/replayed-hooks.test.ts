import { expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { hook, hookedScene, type HookTable, prints } from './hooked-scene.ts';

const done = answer({ items: [say('Done.')] });
const runs = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });

const specific = (hookEventName: string, more: JsonObject): string =>
  prints({ hookSpecificOutput: { hookEventName, ...more } });

/** Hooks that say something at every moment. */
const talkative: HookTable = {
  SessionStart: [hook('echo "The release is on."')],
  UserPromptSubmit: [hook('echo "It is late."')],
  PreToolUse: [
    hook(specific('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'echo hook' } })),
    hook(specific('PreToolUse', { additionalContext: 'Before.' })),
  ],
  PostToolUse: [hook(specific('PostToolUse', { additionalContext: 'After.', updatedToolOutput: 'two' }))],
  Stop: [hook(`grep -q '"stop_hook_active":true' && exit 0; echo "Look again." >&2; exit 2`)],
};

async function replayed(live: Awaited<ReturnType<typeof hookedScene>>['live']): Promise<readonly unknown[]> {
  const { stdout } = await live.place.run('replay', live.id, '--json');
  const { requests } = JSON.parse(stdout) as { requests: readonly JsonObject[] };
  return requests.map(({ result }) => result);
}

it('all that hooks did stands in the lines: every request is rebuilt without them, also by a thread that is resumed', async () => {
  const { live, write } = await hookedScene([runs('echo model'), done, done, done], talkative);
  await live.turn('one');
  expect(live.model.requests).toHaveLength(3);
  expect(live.rows(1).find(([kind]) => kind === 'output')?.[1]).toBe(
    'A hook of the user changed this call before it ran. What ran: echo hook\ntwo',
  );
  write({});
  expect(await replayed(live)).toEqual(['same', 'same', 'same']);
  await live.open();
  await live.turn('two');
  // Nothing of what was sent is other than it was.
  expect(live.rows(3).slice(0, live.rows(2).length)).toEqual(live.rows(2));
  expect(await replayed(live)).toEqual(['same', 'same', 'same', 'same']);
});

it('a turn in which hooks say nothing new adds no context', async () => {
  const quiet: HookTable = {
    SessionStart: [hook('echo "The release is on."')],
    UserPromptSubmit: [hook('cat >/dev/null')],
    PreToolUse: [hook('cat >/dev/null')],
    PostToolUse: [hook('cat >/dev/null')],
    Stop: [hook('cat >/dev/null')],
  };
  const { live } = await hookedScene(() => done, quiet);
  for (const text of ['one', 'two']) await live.turn(text);
  await live.open();
  await live.turn('three');
  expect([live.added(1), live.added(2)]).toEqual([
    [
      ['assistant', 'Done.'],
      ['user', 'two'],
    ],
    [
      ['assistant', 'Done.'],
      ['user', 'three'],
    ],
  ]);
});

it('without hooks nothing is added to a request or a file', async () => {
  const [plain, hooked] = await Promise.all([hookedScene([done], {}), hookedScene([done], { Stop: [hook('exit 0')] })]);
  for (const { live } of [plain, hooked]) await live.turn('one');
  const strange = (text: string): string => text.replaceAll(/[0-9a-f-]{36}|capstan-test-\w+/g, 'X');
  expect(strange(JSON.stringify(plain.live.rows(0)))).toBe(strange(JSON.stringify(hooked.live.rows(0))));
  expect([plain.hookLines().length, hooked.hookLines().length]).toEqual([0, 1]);
});
