import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const surface = join(import.meta.dirname, '../../src/surfaces/tui');

/**
 * Promises that no caller awaits and no guard watches, because they never reject: each catches its errors, or asks a
 * door that does. Anything else goes through `TuiSession.run` or `reportWorkErrors`: a promise that rejects would end
 * the program.
 */
const neverReject = [
  'draft/argument-popup.ts: this.#ask',
  'draft/composer.ts: async',
  'draft/mention-popup.ts: this.#begin',
  'draft/mention-popup.ts: this.#find',
  'draft/reverse-search.ts: this.#lookFurther',
  'flow/user-acts.ts: act',
  'flow/user-acts.ts: this.#sent',
  'pages/thread-pages.ts: this.#load',
  'questions/startup/startup-question-desk.ts: this.#ending.promise.then',
  'screen/terminal/process-terminal.ts: this.#startWarden',
  'session/thread-reader.ts: this.#read',
];

/** Calls that give no promise. */
const atOnce = new Set([
  'decided.push',
  'host.noticeProblem',
  'named.add',
  'problems.push',
  'setImmediate',
  'setTimeout',
]);

test('the terminal leaves no promise to itself without a guard', () => {
  const paths = readdirSync(surface, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
  );
  const found = paths.flatMap((path) =>
    [...readFileSync(join(surface, path), 'utf8').matchAll(/\bvoid (?:\((async) \(|([\w.#]+)\()/g)]
      .map(([, block, call]) => block ?? call ?? '')
      .filter((call) => !/(?:^|\.)guard$|^reportWorkErrors$/.test(call) && !atOnce.has(call))
      .map((call) => `${path.replaceAll('\\', '/')}: ${call}`),
  );
  expect([...new Set(found)].toSorted()).toEqual(neverReject);
});
