import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, type RecordedFrame, say, type ScriptedModel } from '../../src/testing/index.ts';
import type { Finished, Place } from '../harness/run-capstan.ts';
import { runCodex } from './codex.ts';
import { runCapstan, scene } from './scene.ts';

const overSocket = ['-c', 'model_providers.scripted.supports_websockets=true'];

/** Runs the same thread by either program: a call, an answer, and another turn in another process. */
async function frames(run: (place: Place, ...words: readonly string[]) => Promise<Finished>): Promise<ScriptedModel> {
  const { model, place } = await scene([
    answer({ items: [callTool('exec_command', { cmd: 'echo one' })] }),
    answer({ items: [say('Done.')] }),
    answer({ items: [say('Done again.')] }),
  ]);
  const first = await run(place, ...overSocket, 'Say one.');
  expect(first.code).toBe(0);
  expect((await run(place, ...overSocket, 'resume', '--last', 'Again.')).code).toBe(0);
  expect(model.requests.length).toBe(3);
  expect(model.requests.every(({ frame }) => frame !== undefined && !frame.isRefused)).toBe(true);
  return model;
}

const bodyOf = ({ bytes }: RecordedFrame): JsonObject => JSON.parse(bytes.toString('utf8')) as JsonObject;
const inputOf = (frame: RecordedFrame): readonly JsonObject[] =>
  bodyOf(frame)['input'] as unknown as readonly JsonObject[];
const headersOf = ({ requests }: ScriptedModel) => {
  const { headers, path } = requests[0]!;
  return {
    form: headers['openai-beta'],
    extensions: headers['sec-websocket-extensions'],
    version: headers['sec-websocket-version'],
    path: path.replace(/^\/\w+/, ''),
  };
};

it('Codex and Capstan send the same kinds of frames for the same thread', async () => {
  const [codex, capstan] = [await frames(runCodex), await frames(runCapstan)];
  expect(headersOf(capstan)).toEqual(headersOf(codex));
  // Codex sends instructions and tools ahead, in a frame that asks for no answer. Capstan only opens the connection.
  const kinds = ({ frames: all }: ScriptedModel): readonly string[] => all.map(({ kind }) => kind);
  expect(kinds(codex)).toEqual(['prewarm', 'incremental', 'incremental', 'prewarm', 'incremental']);
  expect(kinds(capstan)).toEqual(['full', 'incremental', 'full']);

  // After a call both send its output alone, and all that a server does not remember.
  const [theirs, ours] = [codex.frames[2]!, capstan.frames[1]!];
  expect([theirs, ours].map((frame) => inputOf(frame).map(({ type }) => type))).toEqual([
    ['function_call_output'],
    ['function_call_output'],
  ]);
  expect([theirs.previous, ours.previous]).toEqual(['resp_2', 'resp_1']);
  const keys = Object.keys(bodyOf(theirs)).filter((key) => Object.hasOwn(bodyOf(ours), key));
  for (const key of [
    'type',
    'previous_response_id',
    'model',
    'input',
    'tools',
    'stream',
    'store',
    'include',
    'prompt_cache_key',
  ]) {
    expect(keys).toContain(key);
  }
  expect(ours.wireBytes).toBeLessThanOrEqual(theirs.wireBytes);
});
