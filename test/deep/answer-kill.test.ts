import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Line } from '../../src/protocol/line.ts';
import { reduce } from '../../src/state/reduce.ts';
import { emptyState } from '../../src/state/thread-state.ts';
import { answer, callTool, say, startScriptedModel, type ScriptStep } from '../../src/testing/index.ts';
import { KilledWriter, linesIn } from './killed-writer.ts';

/** Of threads that waited for an answer, or had not used one. */
const kills = 100;
const threads = 12;

interface Printed {
  /** Its number. */
  readonly thread: number;
  readonly id: string;
  readonly kind: 'asked' | 'allowed' | 'declined' | 'lapsed';
  readonly question: string;
}

it(`an answer is never lost, never used twice and never used for another command over ${kills} kills`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-answers-'));
  const homes = Array.from({ length: threads }, (_, number) => join(folder, String(number)));
  for (const home of homes) mkdirSync(home);
  const model = await startScriptedModel(({ index }) => stepFor(index));
  const printed: Printed[] = [];
  const ids = homes.map(() => 'new');
  const seen = { waiting: 0, unused: 0 };
  try {
    for (let processes = 0; seen.waiting < kills && processes < kills; processes++) {
      const told = await runUntilKilled([folder, model.url, ...ids]);
      printed.push(...told);
      for (const { thread, id } of told) ids[thread] = id;
      for (const [thread, home] of homes.entries()) {
        // Of a thread that asked nothing yet, nothing needs to be there: it begins anew.
        if (ids[thread] === 'new') rmSync(join(home, 'sessions'), { recursive: true, force: true });
        const lines = linesIn(home);
        const { questions = [] } = lines.reduce(reduce, emptyState).openTurn ?? {};
        if (questions.length > 0) seen.waiting += 1;
        if (questions.some((question) => question.answer !== undefined)) seen.unused += 1;
        const ofThread = printed.filter((each) => each.thread === thread);
        check(lines, effectsIn(home), ofThread);
      }
    }
    expect(seen.waiting).toBeGreaterThanOrEqual(kills);
    // Some of them after the answer, and before the call began.
    expect(seen.unused).toBeGreaterThan(5);
    // Some of the calls were asked about after they had run.
    const all = homes.flatMap((home) => linesIn(home));
    expect(all.filter(({ payload }) => payload['kind'] === 'retry').length).toBeGreaterThan(5);
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);

function stepFor(index: number): ScriptStep {
  // One of them is asked about before it runs, and the other one when the sandbox has stopped it.
  const calls = [0, 1].map((each) => {
    const isStopped = index % 4 === 3 && each === 1;
    const cmd = `${isStopped ? 'stopped' : 'command'} ${2 * index + each}`;
    return callTool('reach', { cmd, ...(isStopped && { plain: true }) });
  });
  return index % 5 === 4 ? answer({ items: [say(`done ${index}`)] }) : answer({ items: calls });
}

function effectsIn(home: string): readonly string[] {
  const path = join(home, 'effects');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

/** Kills the process some time after it has begun to ask: each thread is somewhere between a question and an effect. */
function runUntilKilled(words: readonly string[]): Promise<readonly Printed[]> {
  const writer = new KilledWriter<Printed>(words, 'answering-writer.ts');
  const least = threads + Math.floor(Math.random() * 2 * threads);
  writer.onPrinted = (lines) => {
    if (lines < least) return;
    writer.onPrinted = () => {};
    setTimeout(() => writer.kill(), Math.random() * 15);
  };
  return writer.acknowledged();
}

function check(lines: readonly Line[], effects: readonly string[], printed: readonly Printed[]): void {
  const commandOf = new Map<unknown, string>();
  const answers = new Map<unknown, string[]>();
  /** By the ids of questions. */
  const answered = new Map<string, string[]>();
  const begun = new Map<unknown, number>();
  const isStoppable = (callId: unknown): boolean => commandOf.get(callId)?.startsWith('stopped') === true;
  for (const { type, payload } of lines) {
    const { call_id: callId, answer: given } = payload;
    if (payload['type'] === 'function_call') {
      commandOf.set(callId, (JSON.parse(String(payload['arguments'])) as { cmd: string }).cmd);
    }
    if (type === 'capstan_question' && given !== undefined) {
      const { kind } = given as { kind: string };
      answers.set(callId, [...(answers.get(callId) ?? []), kind]);
      const id = String(payload['about']).slice(0, 16);
      answered.set(id, [...(answered.get(id) ?? []), kind]);
    }
    if (type !== 'capstan_call' || payload['item'] === undefined) continue;
    begun.set(callId, (begun.get(callId) ?? 0) + 1);
    // The answer stands before what it allows: of a command that the sandbox may stop, the second try.
    const isFree = isStoppable(callId) && begun.get(callId) === 1;
    expect([callId, answers.get(callId)]).toEqual([callId, isFree ? undefined : ['allowed']]);
  }
  // Never twice.
  expect([...begun].every(([callId, times]) => times <= (isStoppable(callId) ? 2 : 1))).toBe(true);
  expect(new Set(effects).size).toBe(effects.length);
  // Never for another command: each effect is that of a call that was allowed.
  const allowed = new Set([...begun.keys()].map((callId) => `${commandOf.get(callId)} disabled`));
  const outside = effects.filter((effect) => effect.endsWith(' disabled'));
  expect(outside.filter((effect) => !allowed.has(effect))).toEqual([]);
  expect(outside.filter((effect) => Number(effect.split(' ')[1]) % 3 === 0)).toEqual([]);
  // Never lost: what was acknowledged is in the file, once, and not asked again.
  const known = new Map<string, string>();
  const askedAgain: string[] = [];
  for (const { kind, question } of printed) {
    if (kind !== 'asked') known.set(question, kind);
    else if (known.has(question)) askedAgain.push(question);
  }
  expect(askedAgain).toEqual([]);
  for (const [id, kind] of known) expect([id, answered.get(id)]).toEqual([id, [kind]]);
  // An answer is used as soon as its turn goes on: a call that was allowed and answered has begun.
  for (const { payload } of lines) {
    if (payload['type'] !== 'function_call_output' || answers.get(payload['call_id'])?.[0] !== 'allowed') continue;
    if (isStoppable(payload['call_id'])) continue;
    expect([payload['call_id'], begun.get(payload['call_id'])]).toEqual([payload['call_id'], 1]);
  }
}
