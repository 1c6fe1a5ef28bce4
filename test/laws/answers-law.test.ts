import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import type { Ordinal } from '../../src/protocol/ids.ts';
import type { Answer, Question } from '../../src/protocol/question.ts';
import { words } from '../../src/protocol/user-input.ts';
import { answer, callTool, say, SimulatedDisk, startScriptedModel } from '../../src/testing/index.ts';
import type { Thread } from '../../src/engine/thread/thread.ts';
import { createToolRouter } from '../../src/adapters/tools/router.ts';
import { escalating, stoppable } from '../harness/needy-tools.ts';
import { WatchedThread } from '../harness/watched-thread.ts';
import { describeState } from '../harness/describe-state.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';
import { checkAnswers } from './answers-law.ts';
import { checkCalls } from './calls-law.ts';
import { checkRebuilt } from './prefix-law.ts';

const kind = fc.constantFrom('allowed' as const, 'allowed' as const, 'declined' as const, 'never' as const);
const story = fc.record({
  /** The calls of each step, and whether they ask, or do so when the sandbox has stopped them. */
  steps: fc.array(fc.array(fc.constantFrom('asks', 'asks', 'plain', 'stopped'), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  }),
  /**
   * Given by the port, or by a caller who names the question, and then again and otherwise. `last`: the caller answers all
   * questions that wait, and the one whose turn it is last.
   */
  answers: fc.array(
    fc.record({ kind, delay: fc.nat(4), by: fc.constantFrom('port' as const, 'id' as const, 'last' as const) }),
    { minLength: 1, maxLength: 6 },
  ),
  /** One process after the other dies: after so many syncs, or by giving the thread up. */
  deaths: fc.array(
    fc.record({
      at: fc.integer({ min: 1, max: 14 }),
      how: fc.constantFrom('kill' as const, 'crash' as const, 'close' as const),
      luck: fc.nat(100),
      next: fc.constantFrom('continue' as const, 'continue' as const, 'prompt' as const),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

const placed = (files: SimulatedDisk) => ({ home: '/home', files, locks: files.locks });
const never = new Promise<Answer>(() => {});

async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Plays the turn through all deaths. What was met. */
async function dieAndGoOn({ steps, answers, deaths }: Story): Promise<{ suspended: number; unused: number }> {
  const seen = { suspended: 0, unused: 0 };
  let asked = 0;
  const commands = steps.map((step) => step.map((how) => ({ how, cmd: `${how} ${asked++}` })));
  let requests = 0;
  const model = await startScriptedModel(() => {
    const step = commands[requests++];
    if (step === undefined) return answer({ items: [say('Done.')] });
    return answer({
      items: step.map(({ how, cmd }) => callTool('reach', { cmd, ...(how !== 'asks' && { plain: true }) })),
    });
  });
  let disk = new SimulatedDisk();
  const thread = new WatchedThread(model.url, placed(disk));
  thread.settings = { approvals: 'on-request' };
  /** Effects of all processes, and answers that they acknowledged while they lived. */
  const [effects, acknowledged]: [string[], Map<string, string>] = [[], new Map()];
  const askedAgain: string[] = [];
  let given = 0;
  let isAlive = true;
  const tool = stoppable(escalating(effects));
  const refused: Promise<unknown>[] = [];
  /** Answers that come too late count for nothing: they change no acknowledged answer, and answer no other question. */
  const answerAgain = (live: Thread): void => {
    for (const [id, how] of acknowledged) {
      const otherwise = how === 'allowed' ? ('declined' as const) : ('allowed' as const);
      refused.push(live.answer(id, { kind: otherwise }).then((late) => expect(late.kind).toBe('refused')));
    }
  };
  const ask = async ({ id }: Question): Promise<Answer> => {
    const { kind: said, delay, by } = answers[given++ % answers.length]!;
    await ticks(delay);
    if (said === 'never' || !isAlive) return never;
    if (by === 'port') return { kind: said };
    const live = thread.live!;
    const ids = by === 'last' ? live.questions.map((each) => each.id).toReversed() : [id];
    for (const each of ids) void live.answer(each, { kind: said }).catch(() => {});
    answerAgain(live);
    return never;
  };
  thread.adapt = (parts) => ({ ...parts, router: createToolRouter([() => [tool]]), askUser: { ask } });
  thread.onEvent = (event) => {
    if (!isAlive) return;
    if (event.kind === 'question-asked' && acknowledged.has(event.question.id)) {
      askedAgain.push(event.question.id);
    }
    if (event.kind === 'question-answered') acknowledged.set(event.id, event.answer.kind);
  };
  try {
    let next: Story['deaths'][number]['next'] = 'prompt';
    for (const death of deaths) {
      isAlive = true;
      const live = await thread.open();
      let survivor: SimulatedDisk | undefined;
      let syncs = 0;
      const current = disk;
      const die = Promise.withResolvers<void>();
      current.slow = async () => {
        if (++syncs !== death.at) return;
        if (death.how !== 'close') {
          survivor =
            death.how === 'kill' ? current.kill() : current.crash(({ most }) => Math.round((most * death.luck) / 100));
          isAlive = false;
        }
        die.resolve();
      };
      const signal = new AbortController().signal;
      const isContinued = live.isSuspended && next === 'continue';
      answerAgain(live);
      const ended = (isContinued ? live.continue({ signal }) : live.run({ input: words('go'), signal })).catch(
        () => {},
      );
      // A question that is never answered makes the process wait: it is given up in any case.
      await Promise.race([ended, die.promise, ticks(400)]);
      next = death.next;
      if (survivor === undefined) {
        current.slow = undefined;
        await thread.close();
        await ended;
      } else {
        disk = survivor;
        thread.replaceDisk(placed(disk));
      }
      const lines = await thread.lines();
      const state = lines.reduce(reduce, emptyThreadState);
      const { questions = [] } = state.openTurn ?? {};
      if (questions.length > 0) seen.suspended += 1;
      if (questions.some((question) => question.answer !== undefined)) seen.unused += 1;
      // A thread of which nothing was acknowledged may have no file.
      const end = lines.at(-1)?.ordinal;
      const located = end === undefined ? state : await thread.located((end + 1) as Ordinal);
      expect(describeState(located)).toBe(describeState(state));
      // Every answer that a listener heard is in the file.
      const answered = new Map(
        lines.flatMap(({ type, payload }) => {
          const said = type === 'capstan_question' ? (payload['answer'] as unknown as Answer | undefined) : undefined;
          return said === undefined ? [] : [[String(payload['about']).slice(0, 16), said.kind] as const];
        }),
      );
      for (const [id, how] of acknowledged) expect([id, answered.get(id)]).toEqual([id, how]);
    }
    isAlive = true;
    await Promise.all(refused);
    const lines = await thread.lines();
    checkAnswers(lines);
    expect(askedAgain).toEqual([]);
    checkCalls(lines);
    await checkRebuilt(model, lines);
    // Each effect once.
    expect(new Set(effects).size).toBe(effects.length);
    return seen;
  } finally {
    await thread.close().catch(() => {});
    await model.close();
  }
}

it('whenever a process dies, an answer is used once, for the call that was asked about', async () => {
  const seen = { suspended: 0, unused: 0 };
  const runs = 60 * inject('runFactor');
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const { suspended, unused } = await dieAndGoOn(told);
      seen.suspended += suspended;
      seen.unused += unused;
    }),
    { numRuns: runs },
  );
  expect(seen.suspended).toBeGreaterThan(runs / 4);
  expect(seen.unused).toBeGreaterThan(0);
}, 120_000);
