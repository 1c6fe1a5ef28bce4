import { describe, expect, it } from 'vitest';
import { httpError, type ScriptStepOf } from '../../src/testing/index.ts';
import type { ThreadEvent } from '../../src/index.ts';
import { noUsage } from '../../src/protocol/usage.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { notes } from './adversary/transcripts.ts';
import { checkpointText, saysCheckpoint, userTexts } from './summariser.ts';
import { calls, compacts, hangs, linesOf, long, requestKinds, says, saysLong, story, talk, task } from './talk.ts';

const signal = new AbortController().signal;
const handful = ['turn-started', 'checkpoint-started manual user_requested standalone_turn'] as const;

describe('with no turn', () => {
  it('a checkpoint has a turn of its own, and tells what it kept and what it cost', async () => {
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')]));
    await live.turn(task);
    const from = live.events.length;
    const result = await live.thread.compact({ signal });
    const events = live.events.slice(from) as Extract<ThreadEvent, { turnId: string }>[];
    const { turnId, id } = events[1] as Extract<ThreadEvent, { kind: 'checkpoint-started' }>;
    const usage = { input: 100, cachedInput: 20, cacheWriteInput: 0, output: 10, reasoningOutput: 3, total: 110 };
    const estimated = expect.any(Number);
    const about = { trigger: 'manual', reason: 'user_requested', phase: 'standalone_turn' };
    const made = { strategy: 'structured', model: 'gpt-5.5' };
    const report = {
      id,
      number: 1,
      ...about,
      ...made,
      tokensBefore: expect.any(Number),
      tokensAfter: expect.any(Number),
      words: { kept: 1, cut: 0, dropped: 0 },
      folded: 3,
      requests: 1,
      usage,
      cachedShare: 0.2,
      mended: [],
    };
    expect(events).toEqual([
      // No provider counted the turn before.
      { kind: 'turn-started', turnId, usage: { ...noUsage, estimated } },
      { kind: 'checkpoint-started', turnId, id, ...about, ...made, tokens: expect.any(Number) },
      { kind: 'checkpoint-installed', turnId, id, report },
      { kind: 'turn-completed', turnId, usage: { ...usage, estimated } },
    ]);
    expect(result).toEqual({ kind: 'installed', report });
    const { tokensBefore, tokensAfter } = (result as Extract<typeof result, { kind: 'installed' }>).report;
    expect([tokensBefore > 25_000, tokensAfter < 5000]).toEqual([true, true]);

    await live.turn('Go on.');
    expect(live.rows(2).map(([role, text = '']) => [role, text.slice(0, 12)])).toEqual([
      ['user', expect.any(String)],
      ['user', expect.any(String)],
      ['developer', '<permissions'],
      ['user', '<environment'],
      ['user', 'Go on.'],
    ]);
    const [first, second] = live.rows(2).map(([, text]) => text);
    expect([first?.includes(task), second?.includes('RESUME_AT: the second half')]).toEqual([true, true]);
    // The question is asked once and stands nowhere.
    expect(live.place.lines().filter(({ type }) => type === 'response_item')).toHaveLength(8);
    expect([linesOf(live, 'turn_context').length, linesOf(live, 'compacted').length]).toEqual([3, 1]);
  });

  it('what it shall keep in view reaches the model, and the question continues from the last request', async () => {
    const live = await LiveThread.in(talk([saysLong()]));
    await live.turn(task);
    await live.thread.compact({ focus: ' the failing login test\n', signal });
    const [step, compacting] = live.model.requests.map(({ body }) => body);
    const [before, after] = [step!, compacting!].map(({ input }) => input as unknown as readonly object[]);
    expect(after!.slice(0, before!.length)).toEqual(before);
    expect([compacting!['instructions'], compacting!['tools'], compacting!['prompt_cache_key']]).toEqual([
      step!['instructions'],
      step!['tools'],
      step!['prompt_cache_key'],
    ]);
    expect(userTexts(live.model.requests[1]!).at(-1)).toContain('the failing login test');
    expect(userTexts(live.model.requests[1]!).at(-1)).not.toContain('the failing login test\n\n\n');
  });

  it('in a thread in which nothing was said there is nothing to do, and nothing is written', async () => {
    const live = await LiveThread.in(talk([says('Yes.')]));
    await live.open();
    const from = live.events.length;
    expect(await live.thread.compact({ signal })).toMatchObject({
      kind: 'failed',
      outcome: { code: 'nothing-to-compact' },
    });
    expect([live.events.slice(from), live.place.rollouts(), live.model.requests]).toEqual([[], [], []]);
  });

  it('in a short thread neither: no model is asked, and nothing is written', async () => {
    const live = await LiveThread.in(talk([says('Hello.')]));
    await live.turn('Hi.');
    const [lines, from] = [live.place.lines(), live.events.length];
    const outcome = { code: 'nothing-to-compact', message: 'Nothing to compact yet.', next: expect.any(String) };
    expect(await live.thread.compact({ signal })).toEqual({ kind: 'failed', outcome });
    expect([live.place.lines(), live.events.slice(from)]).toEqual([lines, []]);
    await live.close();
    const run = await live.place.run('threads', 'compact', live.id);
    expect([run.code, run.stdout, run.stderr]).toEqual([
      1,
      '',
      'capstan: Nothing to compact yet.\n         Continue the thread as it is.\n',
    ]);
    expect(live.model.requests).toHaveLength(1);
  });

  it('nor right after a checkpoint; after more turns the newest summary takes the place of the one before', async () => {
    let number = 0;
    const compaction: ScriptStepOf = () =>
      saysCheckpoint(checkpointText(task, [task], `Summary ${++number}. ${notes(number, 600)}`));
    const live = await LiveThread.in(talk([saysLong(), saysLong(), says('Yes.')], compaction));
    await live.turn(task);
    await live.thread.compact({ signal });
    const lines = live.place.lines();
    expect(await live.thread.compact({ signal })).toMatchObject({
      kind: 'failed',
      outcome: { code: 'nothing-to-compact' },
    });
    expect(live.place.lines()).toEqual(lines);
    await live.turn('Then the lexer.');
    expect(await live.thread.compact({ signal })).toMatchObject({ kind: 'installed', report: { number: 2 } });
    await live.turn('And now?');
    const texts = live.rows(4).flat().join('\n');
    expect([task, 'Then the lexer.', 'Summary 2.', 'And now?'].filter((text) => !texts.includes(text))).toEqual([]);
    expect(texts).not.toContain('Summary 1.');
    expect(texts.split(task)).toHaveLength(2);
  });

  it('interrupted, it leaves history as it was', async () => {
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')], hangs));
    await live.turn(task);
    const from = live.events.length;
    const { history } = live.thread.state;
    const interrupt = new AbortController();
    const result = live.thread.compact({ signal: interrupt.signal });
    await live.model.request(1);
    interrupt.abort();
    expect(await result).toEqual({ kind: 'aborted' });
    expect(story(live, from)).toEqual([...handful, 'checkpoint-failed aborted', 'turn-aborted']);
    expect(live.thread.state.history).toBe(history);
    await live.open();
    await live.turn('Go on.');
    expect(live.rows(2).slice(0, -1)).toEqual([...live.rows(0), ['assistant', long]]);
    expect(live.thread.state.checkpoints).toMatchObject({ count: 0, failures: 0 });
  });

  it('interrupted before it began, it leaves no turn', async () => {
    const live = await LiveThread.in(talk([saysLong()]));
    await live.turn(task);
    const lines = live.place.lines();
    expect(await live.thread.compact({ signal: AbortSignal.abort() })).toEqual({ kind: 'aborted' });
    expect([live.place.lines(), requestKinds(live)]).toEqual([lines, ['step']]);
  });

  it('a provider that takes no schema is asked without one', async () => {
    const compaction: ScriptStepOf = (request) => {
      const { format } = (request.body['text'] ?? {}) as { format?: unknown };
      if (format === undefined) return compacts(request);
      return httpError({ status: 400, body: { error: { message: "Unsupported parameter: 'text.format'." } } });
    };
    const live = await LiveThread.in(talk([saysLong()], compaction));
    await live.turn(task);
    expect(await live.thread.compact({ signal })).toMatchObject({
      kind: 'installed',
      report: { strategy: 'structured', requests: 2 },
    });
    const [, refused, taken] = live.model.requests;
    expect(userTexts(taken!)).toEqual(userTexts(refused!));
  });

  it('a model that cannot be asked makes it fail, and by hand that counts for nothing', async () => {
    const compaction = () => httpError({ status: 400, body: { error: { message: 'No.' } } });
    const live = await LiveThread.in(talk([saysLong()], compaction));
    await live.turn(task);
    const from = live.events.length;
    for (let at = 0; at < 3; at++) {
      expect(await live.thread.compact({ signal })).toMatchObject({
        kind: 'failed',
        outcome: { message: expect.stringContaining('No.') },
      });
    }
    expect(story(live, from).slice(0, 4)).toEqual([
      ...handful,
      expect.stringMatching(/^checkpoint-failed \S+$/),
      expect.stringMatching(/^turn-failed/),
    ]);
    expect(live.thread.state.checkpoints.failures).toBe(0);
  });
});

describe('while a turn runs', () => {
  it('is done inside the turn, at the next place where it can be', async () => {
    const wishes: Promise<unknown>[] = [];
    const live = await LiveThread.in(
      talk([
        saysLong(),
        () => {
          wishes.push(
            live.thread.compact({ focus: 'the tests', signal }),
            live.thread.compact({ focus: 'the docs', signal }),
          );
          return calls('echo hello');
        },
        says('Done.'),
      ]),
    );
    await live.turn(task);
    const from = live.events.length;
    expect(await live.turn('Go on.')).toEqual({ kind: 'completed', lastMessage: 'Done.' });
    expect(await Promise.all(wishes)).toMatchObject([
      { kind: 'installed', report: { trigger: 'manual', phase: 'mid_turn' } },
      { kind: 'installed', report: { number: 1 } },
    ]);
    expect(story(live, from)).toEqual([
      'turn-started',
      'checkpoint-started manual user_requested mid_turn',
      'checkpoint-installed',
      'turn-completed',
    ]);
    expect(requestKinds(live)).toEqual(['step', 'step', 'checkpoint', 'step']);
    const question = userTexts(live.model.requests[2]!).at(-1);
    expect([question?.includes('the tests'), question?.includes('the docs')]).toEqual([true, true]);
    // The turn continues, so the model is told of the world at once; the summary comes last.
    const rows = live.rows(3);
    expect(rows.at(-1)?.[1]).toContain('RESUME_AT');
    expect(rows.flat().some((text) => text.startsWith('<environment_context>'))).toBe(true);
    const told = live.told('context').map(({ content, cause, why }) => [content, cause, why]);
    expect(told.slice(-2)).toEqual([
      ['permissions', 'reinjection', 'checkpoint'],
      ['environment_context', 'reinjection', 'checkpoint'],
    ]);
  });

  it('and after the turn when that is about to end', async () => {
    let wish: Promise<unknown> | undefined;
    const live = await LiveThread.in(
      talk([
        () => {
          wish = live.thread.compact({ signal });
          return saysLong();
        },
      ]),
      'model_auto_compact_token_limit = 20000',
    );
    await live.turn(task);
    expect(await wish).toMatchObject({ kind: 'installed', report: { phase: 'standalone_turn', trigger: 'manual' } });
    // The turn left too little space as well: one checkpoint serves for both.
    expect(story(live)).toEqual([
      'turn-started',
      'turn-completed',
      ...handful,
      'checkpoint-installed',
      'turn-completed',
    ]);
  });

  it('a caller that gives up before is answered at once; the turn does not notice', async () => {
    const interrupt = new AbortController();
    const live = await LiveThread.in(
      talk([
        async () => {
          const wish = live.thread.compact({ signal: interrupt.signal });
          interrupt.abort();
          expect(await wish).toEqual({ kind: 'aborted' });
          expect(await live.thread.compact({ signal: interrupt.signal })).toEqual({ kind: 'aborted' });
          return calls('echo hello');
        },
        says('Done.'),
      ]),
    );
    expect(await live.turn(task)).toMatchObject({ kind: 'completed' });
    expect(requestKinds(live)).toEqual(['step', 'step']);
  });

  it('a caller that gives up while it is made gets the history as it was, and the turn continues', async () => {
    const interrupt = new AbortController();
    let wish: Promise<unknown> | undefined;
    const compaction: ScriptStepOf = async (request) => {
      setImmediate(() => interrupt.abort());
      await new Promise((resolve) => interrupt.signal.addEventListener('abort', resolve));
      return compacts(request);
    };
    const live = await LiveThread.in(
      talk(
        [
          () => {
            wish = live.thread.compact({ signal: interrupt.signal });
            return saysLong(['exec_command', { cmd: 'echo hello' }]);
          },
          says('Done.'),
        ],
        compaction,
      ),
    );
    expect(await live.turn(task)).toMatchObject({ kind: 'completed' });
    expect(await wish).toEqual({ kind: 'aborted' });
    expect(live.rows(2).slice(0, live.rows(0).length)).toEqual(live.rows(0));
    expect(story(live).at(-1)).toBe('turn-completed');
  });

  it('a turn that is interrupted ends the compaction inside of it', async () => {
    const interrupt = new AbortController();
    let wish: Promise<unknown> | undefined;
    const live = await LiveThread.in(
      talk(
        [
          () => {
            wish = live.thread.compact({ signal });
            return saysLong(['exec_command', { cmd: 'echo hello' }]);
          },
          says('Done.'),
        ],
        hangs,
      ),
    );
    const turn = live.turn(task, { signal: interrupt.signal });
    await live.model.request(1);
    interrupt.abort();
    expect([await turn, await wish]).toMatchObject([{ kind: 'aborted' }, { kind: 'aborted' }]);
    expect(story(live).slice(1)).toEqual([
      'checkpoint-started manual user_requested mid_turn',
      'checkpoint-failed aborted',
      'turn-aborted',
    ]);
  });
});
