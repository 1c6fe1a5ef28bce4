import { expect, test } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { withoutSandbox } from '../harness/scene.ts';
import { compacts, requestKinds, says, talk, task } from './talk.ts';

test('outputs of parallel calls share the space, so that the model reads something of each before a checkpoint', async () => {
  const commands = Array.from({ length: 8 }, (_, i) => `echo BEGIN-${i}; seq 1 6000; echo END-${i}`);
  const items = commands.map((cmd) => callTool('exec_command', { cmd, max_output_tokens: 10_000 }));
  const live = await LiveThread.in(
    talk([answer({ items: [say('Looking.'), ...items], usage: 'none' }), says('I have read all of it.')], compacts),
    `${withoutSandbox}model_auto_compact_token_limit = 30000`,
  );
  expect(await live.turn(task)).toMatchObject({ kind: 'completed' });
  expect(requestKinds(live).slice(0, 2)).toEqual(['step', 'step']);
  const outputs = (live.model.requests[1]!.body['input'] as readonly JsonObject[])
    .filter(({ type }) => type === 'function_call_output')
    .map(({ output }) => String(output));
  expect(outputs.map((text) => [/BEGIN-\d/.test(text), /END-\d/.test(text)])).toEqual(
    Array.from({ length: 8 }, () => [true, true]),
  );
});
