import { expect, it } from 'vitest';
import type { ThreadId, TurnId } from '../../src/protocol/ids.ts';
import { noUsage } from '../../src/protocol/usage.ts';
import type { CheckpointEvent } from '../../src/protocol/thread-event.ts';
import {
  checkpointLine,
  checkpointText,
  failedCheckpointLine,
} from '../../src/surfaces/views/wording/checkpoint-words.ts';
import { contextLine } from '../../src/surfaces/exec/context-and-question-events.ts';
import { execEvents } from '../../src/surfaces/exec/json-output.ts';
import { answer, say } from '../../src/testing/index.ts';
import { someReport } from '../harness/checkpoint-line.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';

const threadId = 'thread-1' as ThreadId;
const turnId = 'turn' as TurnId;
const started: CheckpointEvent = {
  kind: 'checkpoint-started',
  turnId,
  id: 'c',
  trigger: 'auto',
  reason: 'context_limit',
  phase: 'pre_turn',
  strategy: 'structured',
  model: 'gpt-5.5',
  tokens: 61_200,
};
const installed: CheckpointEvent = { kind: 'checkpoint-installed', turnId, id: 'c', report: someReport };
const outcome = { code: 'provider-refused', message: 'The provider answered with status 400', next: 'Try again.' };
const failed: CheckpointEvent = { kind: 'checkpoint-failed', threadId, turnId, id: 'c', outcome, paused: true };

it('programs that did not ask for more are sent failures alone', () => {
  const events = execEvents();
  const message =
    'No checkpoint was made: The provider answered with status 400. Try again. It failed twice in a row, so Capstan stopped compacting this thread automatically. Run `capstan threads compact thread-1`, choose a model with a larger window, or start a new thread.';
  expect([started, installed, failed].map(events)).toEqual([
    [],
    [],
    [{ type: 'item.completed', item: { id: 'item_0', type: 'error', message } }],
  ]);
});

it('with events about context they get all of it', () => {
  const events = execEvents({ context: true });
  const type = 'context.checkpoint';
  const about = { trigger: 'auto', reason: 'context_limit' };
  expect([...events(started), ...events(installed), events(failed)[0]]).toEqual([
    {
      type,
      state: 'started',
      turn_id: 'turn',
      id: 'c',
      ...about,
      phase: 'pre_turn',
      strategy: 'structured',
      model: 'gpt-5.5',
      tokens: 61_200,
    },
    {
      type,
      state: 'installed',
      turn_id: 'turn',
      id: 'c',
      report: {
        id: 'checkpoint-1',
        number: 1,
        ...about,
        phase: 'mid_turn',
        strategy: 'structured',
        model: 'gpt-5.5',
        tokens_before: 61_200,
        tokens_after: 9400,
        words: { kept: 12, cut: 0, dropped: 0 },
        folded: 30,
        requests: 2,
        usage: {
          input_tokens: 60_000,
          cached_input_tokens: 54_000,
          cache_write_input_tokens: 0,
          output_tokens: 900,
          reasoning_output_tokens: 0,
          total_tokens: 60_900,
        },
        cached_share: 0.9,
        mended: ['A message was paraphrased and has been put in as it was.'],
      },
    },
    { type, state: 'failed', turn_id: 'turn', id: 'c', outcome, paused: true },
  ]);
});

it('users are shown plain words', () => {
  expect(contextLine(started)).toBe(
    'checkpoint: gpt-5.5 compacts about 61,200 tokens (structured; the thread reached its limit, before a turn)',
  );
  expect(failedCheckpointLine({ ...failed, paused: false })).toBe(
    'No checkpoint was made: The provider answered with status 400. Try again.',
  );
  expect(checkpointLine(someReport)).toBe(
    'Checkpoint 1: about 61,200 → 9,400 tokens by gpt-5.5 (structured), 12 of 12 user messages kept',
  );
  const { cachedShare: _cachedShare, ...report } = someReport;
  const alone = {
    ...report,
    trigger: 'manual',
    reason: 'user_requested',
    strategy: 'mechanical',
    why: outcome,
  } as const;
  expect(checkpointLine({ ...alone, words: { kept: 1, cut: 1, dropped: 2 } })).toBe(
    'Checkpoint 1: about 61,200 → 9,400 tokens without a model (gpt-5.5 failed: The provider answered with status 400), 1 of 4 user messages kept, 1 in part, 2 not',
  );
  expect(checkpointLine({ ...alone, why: { ...outcome, code: 'server-error' } })).toContain(
    ' without a model (gpt-5.5 failed: the provider reported an error), ',
  );
  expect(checkpointText({ ...alone, requests: 0, usage: noUsage })).toContain('\n  cost       no model was asked\n');
  expect(checkpointText({ ...alone, usage: noUsage })).toContain(
    '\n  cost       2 requests, which the provider did not count\n',
  );
  expect(checkpointText({ ...alone, uncounted: 1 })).toContain(
    '\n  cost       2 requests: the provider counted 60,000 tokens sent, 900 answered, one without a count\n',
  );
  expect(`\n${checkpointText({ ...alone, requests: 1, folded: 1 })}\n`).toBe(`
Checkpoint 1 without a model (gpt-5.5 failed: The provider answered with status 400).
  why        you asked for it, during a turn
  tokens     the next request has about 9,400 instead of 61,200, 85 % less (estimated)
  kept       12 of 12 user messages
  compacted  1 item
  cost       1 request: the provider counted 60,000 tokens sent, 900 answered
  repaired   A message was paraphrased and has been put in as it was.
  warning    The provider answered with status 400. Try again.
`);
});

it('exec sends the text of a command of interactive surfaces to the model', async () => {
  const { model, place } = await scene([answer({ items: [say('Yes.')] })]);
  const run = await place.run('exec', '--json', '/compact x');
  expect([run.code, model.requests.length, textsOf(inputOf(model, 0)).at(-1)]).toEqual([0, 1, '/compact x']);
});
