import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, reason, say } from '../../src/testing/index.ts';
import { runCodex } from './codex.ts';
import { codexInput, withoutNullContent } from './items.ts';
import { runCapstan, scene, threadOf } from './scene.ts';

it('a thread of Codex gives back what its model was sent, as far as its lines tell', async () => {
  const { model, place } = await scene([
    answer({
      items: [
        reason('Look first.'),
        say('I look around.'),
        callTool('exec_command', { cmd: 'echo one' }),
        callTool('exec_command', { cmd: 'echo two' }),
      ],
    }),
    answer({ items: [say('One.')] }),
    answer({ items: [say('Two.')] }),
    answer({ items: [say('Three.')] }),
  ]);
  const id = threadOf(await runCodex(place, 'first words'));
  await runCodex(place, 'resume', id, 'second words');
  await runCapstan(place, 'resume', id, 'third words');
  expect(model.requests).toHaveLength(4);

  const { code, stdout } = await place.run('replay', id, '--json');
  const report = JSON.parse(stdout) as { readonly counts: JsonObject; readonly requests: readonly JsonObject[] };
  expect([code, report.counts]).toEqual([
    0,
    { same: 1, different: 0, other_encoder: 0, tools_missing: 0, not_recorded: 0, inferred: 3 },
  ]);
  expect(report.requests.map(({ turn, result, model: name }) => [turn, result, name])).toEqual([
    [1, 'inferred', 'gpt-5.5'],
    [1, 'inferred', 'gpt-5.5'],
    [2, 'inferred', 'gpt-5.5'],
    [3, 'same', 'gpt-5.5'],
  ]);
  for (const request of [0, 1, 2]) {
    const printed = await place.run('replay', id, '--request', String(request + 1), '--print');
    const input = JSON.parse(printed.stdout) as readonly JsonObject[];
    expect(input.map(withoutNullContent)).toEqual(codexInput(model, request).history.map(withoutNullContent));
  }
});
