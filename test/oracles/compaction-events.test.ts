import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say, type ScriptStepOf } from '../../src/testing/index.ts';
import { checkpointText, isCompaction } from '../compaction/summariser.ts';
import { configure } from './checkpoint-files.ts';
import { runCodex } from './codex.ts';
import { comparable, type Show } from './events.ts';
import { textsOf } from './items.ts';
import { runCapstan, scene, threadOf } from './scene.ts';

const limit = 60_000;
/** Ends the request of Codex for a checkpoint; ours have it inside. */
const prompt = 'Sum it up.';
const full = { usage: { input: 2 * limit, total: 2 * limit + 10 } };

/** Its window is full after words that say so. A request for a checkpoint gets one that serves both programs. */
const model: ScriptStepOf = (request) => {
  const last = (request.body['input'] as unknown as readonly JsonObject[]).at(-1)!;
  const [said = ''] = textsOf([last]);
  if (isCompaction(request) || said === prompt) return answer({ items: [say(checkpointText('look', ['look']))] });
  if (last['role'] === 'user' && said === 'look') {
    return answer({ items: [callTool('exec_command', { cmd: 'echo looked' })], ...full });
  }
  return answer({ items: [say('Done.')], ...(said.includes('full') ? full : {}) });
};

/** The output of both turns, one after the other in one thread. */
async function shows(run: typeof runCodex, prompts: readonly [string, string]): Promise<readonly Show[]> {
  const set = await scene(model);
  configure(set.place, `compact_prompt = "${prompt}"\nmodel_auto_compact_token_limit = ${limit}`);
  const first = await run(set.place, prompts[0]);
  const second = await run(set.place, 'resume', threadOf(first), prompts[1]);
  expect(set.place.lines().filter(({ type }) => type === 'compacted')).toHaveLength(1);
  return [first, second].map(({ code, events }) => comparable({ code, events: events.map(withoutUsage), requests: 0 }));
}

/** The event without usage: the cost of a checkpoint is counted in both programs, but the requests for one differ. */
function withoutUsage({ usage: _usage, ...event }: JsonObject): JsonObject {
  return event;
}

it.each([
  ['in the middle of a turn', ['look', 'go on']],
  ['between two turns', ['go until it is full', 'go on']],
] as const)('a checkpoint %s shows nothing in either stream of events', async (_name, prompts) => {
  const [theirs, ours] = await Promise.all([shows(runCodex, prompts), shows(runCapstan, prompts)]);
  expect(ours).toEqual(theirs);
});
