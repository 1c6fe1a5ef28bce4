import { expect } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say, type ScriptStep } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { announcedId, brokenStream, failedTurn, lastSent, withoutRetries } from './expectations.ts';

/** A fault of one turn: what the server does, and what of it is shown. */
export interface TurnFault {
  readonly name: string;
  /** Absent when nothing reaches the server. */
  readonly step?: ScriptStep;
  readonly options?: readonly string[];
  /** Items that are told before the turn fails. */
  readonly items?: readonly JsonObject[];
  /** The whole text; absent when the turn completes all the same. */
  readonly says?: string;
  /** The answer began, or should have, and did not come to its end: events say so before the text. */
  readonly breaksStream?: true;
}

export type Mode = 'json' | 'human';

/**
 * One thread lives through all the faults, a turn for each. So every turn shows how its own fault ends, and that the
 * one before left a thread that can be resumed. The last turn has no fault: it completes, and the model sees everything
 * that was said.
 */
export async function expectThreadToOutlive(
  mode: Mode,
  faultsAt: (url: string) => readonly TurnFault[],
): Promise<void> {
  const ok = answer({ items: [say('All is well.')] });
  let step: ScriptStep = ok;
  const { model, place } = await scene(() => step);
  withoutRetries(place);
  const faults = faultsAt(model.url);
  let id: string | undefined;
  for (const [i, fault] of faults.entries()) {
    step = fault.step ?? ok;
    const resume = id === undefined ? [] : ['resume', id];
    const json = mode === 'json' ? ['--json'] : [];
    const run = await place.run('exec', ...json, ...(fault.options ?? []), ...resume, `words of turn ${i}`);
    id ??= announcedId(run);
    const code = fault.says === undefined ? 0 : 1;
    expect({ code: run.code, ...shown(mode, run) }, fault.name).toEqual({ code, ...expected(mode, id, fault) });
  }
  step = ok;
  const run = await place.run('exec', '--json', 'resume', id!, 'the last words');
  expect(run.code).toBe(0);
  const prompts = lastSent(model).filter((text) => /words/.test(String(text)));
  expect(prompts).toEqual([...faults.map((_, i) => `words of turn ${i}`), 'the last words']);
}

interface Shown {
  readonly events?: readonly JsonObject[];
  readonly stdout?: string;
  readonly stderr?: string;
}

function shown(mode: Mode, run: { events: readonly JsonObject[]; stdout: string; stderr: string }): Shown {
  // The first line says what is in force.
  const stderr = run.stderr.replace(/^capstan .*\n/, '');
  return mode === 'json' ? { events: run.events, stderr } : { stdout: run.stdout, stderr };
}

function expected(mode: Mode, id: string, { items = [], says, breaksStream }: TurnFault): Shown {
  if (mode === 'human') return { stdout: '', stderr: `${says}\nTo resume: capstan exec resume ${id} "Continue."\n` };
  const end =
    says === undefined
      ? [expect.objectContaining({ type: 'turn.completed' })]
      : failedTurn(`${breaksStream === true ? brokenStream : ''}${says}`);
  return {
    events: [{ type: 'thread.started', thread_id: id }, { type: 'turn.started' }, ...items, ...end],
    stderr: '',
  };
}
