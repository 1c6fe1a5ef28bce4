import fc from 'fast-check';
import { isBlankText } from '../../src/base/invisible-characters.ts';
import { expect, inject, it } from 'vitest';
import { createDigester } from '../../src/adapters/model/request-digester.ts';
import { responsesEncoder } from '../../src/adapters/model/responses/encode.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { type Line, lineType } from '../../src/protocol/line.ts';
import { words } from '../../src/protocol/user-input.ts';
import { createRequestComparison } from '../../src/core/replay/compare-requests.ts';
import { rebuildRequests } from '../../src/core/replay/rebuild-requests.ts';
import {
  answer,
  callTool,
  compacted,
  httpError,
  reason,
  type RecordedRequest,
  say,
  SimulatedDisk,
  startScriptedModel,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { checkpointText } from '../compaction/summariser.ts';
import { withCapabilities } from '../harness/provider-in.ts';
import { WatchedThread } from '../harness/watched-thread.ts';
import { changeTo } from '../harness/world.ts';
import { checkRebuilt } from './prefix-law.ts';

/** The tier that a caller chooses between a step and a checkpoint. */
const chosenLast = 'flex';

type Answers = 'good' | 'prose' | 'refused';

const item = fc.oneof(
  fc.string({ maxLength: 300 }).map(say),
  fc.string({ maxLength: 60 }).map(reason),
  fc.string({ maxLength: 20 }).map((command) => callTool('exec_command', { cmd: `echo ${command}` })),
);
const turn = fc.record({
  words: fc.string({ minLength: 1, maxLength: 200 }).filter((words) => !isBlankText(words)),
  picture: fc.boolean(),
  items: fc.array(item, { minLength: 1, maxLength: 3 }),
  /** Changes that a caller makes before the request. */
  change: fc.record(
    {
      model: fc.constantFrom('gpt-5.5', 'planner', 'blind'),
      effort: fc.constantFrom('low', 'high'),
      tools: fc.subarray(['update_plan', 'view_image']),
    },
    { requiredKeys: [] },
  ),
  tier: fc.option(fc.constantFrom('fast', 'flex', null), { nil: undefined }),
  compacts: fc.constantFrom('never', 'while it runs', 'afterwards', 'after a change'),
});
const thread = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
  strategy: fc.constantFrom('structured', 'plain', 'remote'),
  form: fc.constantFrom('stream', 'unary'),
  auth: fc.constantFrom('api-key', 'chatgpt'),
  answers: fc.constantFrom<Answers>('good', 'prose', 'refused'),
});
type RandomThread = typeof thread extends fc.Arbitrary<infer Value> ? Value : never;

/** Plays the thread; gives back how many requests beside the conversation held the bytes of a step. */
async function play({ turns, strategy, form, auth, answers }: RandomThread): Promise<number> {
  const signal = new AbortController().signal;
  const queue: ScriptStep[] = [];
  let meanwhile: (() => void) | undefined;
  const model = await startScriptedModel((request) => {
    if (isAuxiliary(request.body, request.path)) return checkpointAnswer(request, answers);
    meanwhile?.();
    meanwhile = undefined;
    return queue.shift() ?? answer({ items: [say('Done.')] });
  });
  const disk = new SimulatedDisk();
  const watched = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
  watched.settings = { compaction: strategy, serviceTier: 'fast' };
  watched.credentials =
    auth === 'chatgpt'
      ? { kind: 'bearer', mode: 'chatgpt', token: 'access', renew: 'Sign in.' }
      : { kind: 'bearer', mode: 'api-key', token: 'key' };
  watched.adapt = (parts) => ({ ...parts, provider: withCapabilities(parts.provider, { remoteCompaction: form }) });
  try {
    const live = await watched.open();
    for (const { words: said, picture, items, change, tier, compacts } of turns) {
      watched.world = { ...watched.world, ...change };
      const serviceTier = tier === undefined ? {} : { serviceTier: tier };
      expect(await live.overrideTurnContext({ ...changeTo(watched.world), ...serviceTier })).toMatchObject({
        kind: 'changed',
      });
      // Long enough that a checkpoint is worth it.
      queue.splice(0, queue.length, answer({ items: [say('word '.repeat(2000)), ...items] }));
      const compactions: Promise<unknown>[] = [];
      if (compacts === 'while it runs') meanwhile = () => void compactions.push(live.compact({ signal }));
      const images = picture ? [{ path: 'dot.png', dataUrl: 'data:image/png;base64,AAAA' }] : [];
      await live.run({ input: { ...words(said), images }, signal });
      await Promise.all(compactions);
      if (compacts === 'after a change') {
        watched.world = { ...watched.world, effort: 'medium', tools: ['view_image'] };
        await live.overrideTurnContext({ ...changeTo(watched.world), serviceTier: chosenLast });
      }
      if (compacts.startsWith('after')) await live.compact({ signal });
    }
    const lines = await watched.lines();
    await checkRebuilt(model, lines);
    return await checkAffinity(lines, { auth });
  } finally {
    await watched.close();
    await model.close();
  }
}

/** The tier of the step, or the one chosen since; with a key there is none. */
function tiersOfReduced(auth: string, step: JsonObject): readonly unknown[] {
  return auth === 'api-key' ? [undefined] : [step['service_tier'], chosenLast];
}

/** Law: a request beside the conversation keeps cache key, tier, instructions, tools and the bytes of the last step. */
async function checkAffinity(lines: readonly Line[], { auth }: { readonly auth: string }): Promise<number> {
  const verdictOn = createRequestComparison(createDigester());
  let step: { readonly text: string; readonly body: JsonObject } | undefined;
  let before = 0;
  let kept = 0;
  for await (const request of rebuildRequests(lines, () => responsesEncoder())) {
    if (request.kind === 'inferred') throw new Error('a request without a record');
    // Made by the one builder: the file gives back the bytes that were sent.
    expect(verdictOn(request).kind).toBe('same');
    const text = Buffer.concat(request.encoded!.body).toString('utf8');
    const body = JSON.parse(text) as JsonObject;
    const auxiliary = request.line.payload['auxiliary'] as JsonObject | undefined;
    const checkpoints = lines.filter(
      ({ type, ordinal }) => type === lineType.compacted && ordinal! < request.line.ordinal!,
    ).length;
    if (auxiliary === undefined) {
      step = { text, body };
      before = checkpoints;
      continue;
    }
    if (step === undefined || before !== checkpoints) continue;
    expect(body['prompt_cache_key']).toBe(step.body['prompt_cache_key']);
    expect(body['instructions']).toBe(step.body['instructions']);
    // A model of another name has its own tools and tiers, and nothing in its cache.
    if (body['model'] !== step.body['model']) continue;
    const isReduced = body['stream'] === undefined;
    expect(body['service_tier']).toBeOneOf(isReduced ? tiersOfReduced(auth, step.body) : [step.body['service_tier']]);
    expect(body['tools']).toEqual(step.body['tools']);
    expect(body['reasoning']).toEqual(step.body['reasoning']);
    // Short threads are sent whole: no notes before, nothing left out.
    expect(auxiliary).toMatchObject({ from: 0, head: [], stubbed: [] });
    const [one, other] = [step.text, text].map((each) => (isReduced ? withoutTier(each) : each));
    const shared = one!.slice(0, one!.lastIndexOf('],"stream":true'));
    expect(other!.startsWith(shared)).toBe(true);
    kept++;
  }
  return kept;
}

function withoutTier(text: string): string {
  return text.replace(/"service_tier":"[a-z]+",/, '');
}

function isAuxiliary(body: JsonObject, path: string): boolean {
  const input = body['input'] as readonly JsonObject[];
  return path.endsWith('/compact') || body['tool_choice'] === 'none' || input.at(-1)?.['type'] === 'compaction_trigger';
}

function checkpointAnswer({ path, body }: RecordedRequest, answers: Answers): ScriptStep {
  const sealed = { type: 'compaction', encrypted_content: 'sealed' };
  if (answers === 'refused') return httpError({ status: 400, body: { error: { message: 'no' } } });
  if (path.endsWith('/compact')) return compacted({ output: answers === 'good' ? [sealed] : [] });
  if (body['tool_choice'] !== 'none') return answer({ items: answers === 'good' ? [sealed] : [say('What?')] });
  return answer({ items: [say(answers === 'good' ? checkpointText('x', []) : 'I would rather not.')] });
}

it('every request beside the conversation keeps the affinity of the last step', async () => {
  let kept = 0;
  const runs = 12 * inject('runFactor');
  await fc.assert(
    fc.asyncProperty(thread, async (given) => {
      kept += await play(given);
    }),
    { numRuns: runs },
  );
  expect(kept).toBeGreaterThan(runs);
}, 120_000);
