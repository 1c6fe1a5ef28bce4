import { expect } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { EnteredStep } from '../harness/watched-thread.ts';
import { factsToKnow, guidanceToHold } from './facts-to-know.ts';
import { isWorldText, type Part, partsOf, readWorld } from './world-reader.ts';

/**
 * Law: a reader of a request knows every lasting fact as it is now; and a step in which nothing changed adds no text
 * about the world.
 */
export class UpdateLaw {
  #step: EnteredStep | undefined;
  /** The facts that the model had to know in the newest request, and those of each step since. */
  #known: { readonly facts: string; readonly texts: number } | undefined;
  #since: string[] = [];
  /** History was replaced since the step looked around: its model begins with its own instructions. */
  #beginsAnew = false;
  /** Counts the steps in which nothing had changed, and those in which something had. */
  readonly seen = { quiet: 0, changed: 0 };

  entered(step: EnteredStep, session?: readonly string[]): void {
    this.#step = step;
    this.#beginsAnew = false;
    this.#since.push(whole(withSession(step, session)));
  }

  /** Another program wrote to the file: nothing proves any more what was told. */
  lost(): void {
    this.#known = undefined;
  }

  /** History was replaced: everything is told again, and a turn that has not begun yet begins anew. */
  compacted(phase: string): void {
    this.lost();
    this.#beginsAnew = phase === 'pre_turn';
  }

  /** `session`: what hooks have said by now. Absent: the step knows it. */
  posted(body: JsonObject, session?: readonly string[]): void {
    const step = withSession(this.#step!, session);
    const parts = partsOf(body['input']);
    const { text } = step.facts.base ?? step.envelope.instructions.base;
    checkTold(body, parts, step, this.#beginsAnew ? guidanceToHold(step) : text);
    const texts = parts.filter(isWorldText).length;
    const known = this.#known;
    const facts = whole(step);
    const nothingChanged = known !== undefined && [...this.#since, facts].every((each) => each === known.facts);
    if (nothingChanged) checkQuiet(texts, known.texts);
    this.seen[nothingChanged ? 'quiet' : 'changed']++;
    this.#known = { facts, texts };
    this.#since = [];
  }
}

function checkTold(body: JsonObject, parts: readonly Part[], step: EnteredStep, instructions: string): void {
  const { guidance, ...told } = readWorld(parts);
  expect(told).toEqual(factsToKnow(step));
  expect(body['instructions']).toBe(instructions);
  expect(guidance ?? body['instructions']).toBe(guidanceToHold(step));
}

function checkQuiet(texts: number, before: number): void {
  expect(texts, 'nothing changed, and something was told').toBe(before);
}

function withSession(step: EnteredStep, sessionContext: readonly string[] | undefined): EnteredStep {
  return sessionContext === undefined ? step : { ...step, facts: { ...step.facts, sessionContext } };
}

function whole(step: EnteredStep): string {
  // With servers, the permissions say how their calls are approved.
  const hasServers = step.facts.mcpServers !== undefined;
  return JSON.stringify([step.envelope.identity.model.slug, hasServers, factsToKnow(step)]);
}
