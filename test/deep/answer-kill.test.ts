import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Line } from '../../src/protocol/line.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';
import { answer, callTool, say, startScriptedModel, type ScriptStep } from '../../src/testing/index.ts';
import { KilledWriter, linesIn } from './killed-writer.ts';

/** The number of processes that are killed while a thread waits for an answer, or before it has used one. */
const kills = 100;
const threads = 4;
/** The moments at which one process after another dies. Half of them die at any other moment. */
const moments = ['asked-network', 'any', 'answered', 'any', 'asked-retry', 'any'] as const;

interface Printed {
  /** Its number. */
  readonly thread: number;
  readonly id: string;
  readonly kind: 'asked' | 'allowed' | 'declined' | 'lapsed';
  readonly question: string;
}

it(`an answer is never lost, never used twice and never used for another command over ${kills} killed processes`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-answers-'));
  const homes = Array.from({ length: threads }, (_, number) => join(folder, String(number)));
  for (const home of homes) mkdirSync(home);
  const model = await startScriptedModel(({ index }) => stepFor(index));
  const printed: Printed[] = [];
  const ids = homes.map(() => 'new');
  const seen = { killed: 0, waiting: 0, unused: 0, hosts: 0 };
  try {
    for (let processes = 0; seen.killed < kills && processes < 2 * kills; processes++) {
      const before = seen.waiting;
      const moment = moments[processes % moments.length]!;
      const told = await runUntilKilled([folder, model.url, moment, ...ids], moment === 'any');
      printed.push(...told);
      for (const { thread, id } of told) ids[thread] = id;
      for (const [thread, home] of homes.entries()) {
        // A thread that asked nothing yet may be missing: it begins anew.
        if (ids[thread] === 'new') rmSync(join(home, 'sessions'), { recursive: true, force: true });
        const lines = linesIn(home);
        const { questions = [] } = lines.reduce(reduce, emptyThreadState).openTurn ?? {};
        if (questions.length > 0) seen.waiting += 1;
        if (questions.some((question) => question.answer !== undefined)) seen.unused += 1;
        const ofThread = printed.filter((each) => each.thread === thread);
        if (waitsForHost(lines)) seen.hosts += 1;
        check(lines, effectsIn(home), ofThread);
      }
      if (seen.waiting > before) seen.killed += 1;
    }
    expect(seen.killed).toBe(kills);
    // Some of them in a command that ran and waited for a host.
    expect(seen.hosts).toBeGreaterThan(10);
    // Some of them after the answer, and before the call began.
    expect(seen.unused).toBeGreaterThan(10);
    // Some of the calls were asked about after they had run.
    const all = homes.flatMap((home) => linesIn(home));
    expect(all.filter(({ payload }) => payload['kind'] === 'retry').length).toBeGreaterThan(10);
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);

/** `host`: asked about while it runs. `stopped`: asked about when the sandbox has stopped it. */
const kinds = ['command', 'host', 'command', 'stopped'] as const;

function stepFor(index: number): ScriptStep {
  const calls = [0, 1].map((each) => {
    const kind = each === 0 ? 'command' : kinds[index % kinds.length]!;
    return callTool('reach', { cmd: `${kind} ${2 * index + each}`, ...(kind === 'stopped' && { plain: true }) });
  });
  return index % 5 === 4 ? answer({ items: [say(`done ${index}`)] }) : answer({ items: calls });
}

function effectsIn(home: string): readonly string[] {
  const path = join(home, 'effects');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

/** True if its last question is about a host, and has no answer. */
function waitsForHost(lines: readonly Line[]): boolean {
  const last = lines.findLast(({ type }) => type === 'capstan_question')?.payload;
  return last?.['kind'] === 'network' && last['answer'] === undefined;
}

/**
 * Kills the process some time after it has begun to ask, so that each thread is somewhere between a question and an
 * effect; or leaves it to the process, which has a moment of its own.
 */
function runUntilKilled(words: readonly string[], isAnyMoment: boolean): Promise<readonly Printed[]> {
  const writer = new KilledWriter<Printed>(words, 'answering-writer.ts');
  if (!isAnyMoment) return writer.acknowledged();
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
  const isHost = (callId: unknown): boolean => commandOf.get(callId)?.startsWith('host') === true;
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
    // The answer stands before what it allows: of a command that the sandbox may stop, the second try. A host is asked
    // about later.
    const isFree = isHost(callId) || (isStoppable(callId) && begun.get(callId) === 1);
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
  // A connection is let through after the answer about its host, and no other.
  const opened = effects.filter((effect) => effect.endsWith(' open')).map((effect) => effect.replace(/ open$/, ''));
  const open = [...answers].flatMap(([callId, given]) => (given.join() === 'allowed' ? [commandOf.get(callId)] : []));
  expect(opened.filter((cmd) => !open.includes(cmd))).toEqual([]);
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
