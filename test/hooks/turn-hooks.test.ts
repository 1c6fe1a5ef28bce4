import { expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { hook, hookedScene, prints } from './hooked-scene.ts';

const done = answer({ items: [say('Done.')] });
const runs = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });

it('hooks speak to the model at the start, with a message, after a call, and before the end', async () => {
  const { live, hookLines } = await hookedScene([runs('echo one'), done, done], {
    SessionStart: [hook('echo "The release is on."')],
    UserPromptSubmit: [hook('echo "It is late."')],
    PostToolUse: [
      hook(prints({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'One was said.' } }), {
        matcher: 'Bash',
      }),
    ],
    Stop: [hook(`grep -q '"stop_hook_active":true' && exit 0; echo "Run the tests & lint." >&2; exit 2`)],
  });
  expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
  expect(live.layout(0).map((row) => row.slice(1))).toContainEqual(expect.arrayContaining(['session-context']));
  expect(live.rows(0).flat().join('\n')).toContain('The release is on.');
  expect(live.rows(0).slice(-2)).toEqual([
    ['user', 'go'],
    ['developer', '<hook_context>\nIt is late.\n</hook_context>'],
  ]);
  expect(live.added(1).at(-1)).toEqual(['developer', '<hook_context>\nOne was said.\n</hook_context>']);
  const [prompt] = live
    .told('context')
    .filter(({ content }) => content.includes('hook_prompt') || content === 'hook-prompt');
  expect(live.added(2).at(-1)).toEqual(['user', prompt?.text]);
  expect(prompt?.text).toMatch(/^<hook_prompt hook_run_id="[^"]+">Run the tests &amp; lint\.<\/hook_prompt>$/);
  expect(live.model.requests).toHaveLength(3);
  expect(
    hookLines().map(({ payload }) => [
      (payload['run'] as { event: string }).event,
      (payload['run'] as { status: string }).status,
    ]),
  ).toEqual([
    ['SessionStart', 'completed'],
    ['UserPromptSubmit', 'completed'],
    ['PostToolUse', 'completed'],
    ['Stop', 'blocked'],
    ['Stop', 'completed'],
  ]);
  expect(live.told('hook-completed')).toHaveLength(5);
});
