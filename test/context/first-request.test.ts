import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';

/** The most bytes of a request before the user has said much: it is sent with every thread there is. */
const mostBytes = 10 * 1024;

/** The facts that a model must know before it can work, each with the words that state it. */
const topics = {
  'what the sandbox allows': /Sandbox: workspace-write\. Commands can change files below the writable roots/,
  'where commands may write': /Writable roots: "[^\n]*\/workspace"/,
  'what stays read-only inside': /Read-only inside them[^\n]*\/workspace\/\.git"/,
  'whether there is a network': /Network: restricted\./,
  'whom to ask': /Approval: never\. The user cannot be asked\./,
  'that a newer message about it holds': /The newest such message holds\./,
  'how a patch is written': /\*\*\* Begin Patch/,
  'that a patch is whole or nothing': /applied as a whole or not at all/,
  'where it works': /<cwd>[^\n]*\/workspace<\/cwd>/,
  'which shell it has': /<shell>\w+<\/shell>/,
  'what day it is': /<current_date>\d{4}-\d\d-\d\d<\/current_date>/,
  'what AGENTS.md is': /Messages that begin with "# AGENTS\.md instructions"/,
  'what AGENTS.md says': /<INSTRUCTIONS>\nUse tabs\.\n<\/INSTRUCTIONS>/,
  'how a turn ends': /A message without a tool call ends your turn\./,
  'that commands end': /killed after this many milliseconds/,
} as const;

it('of a new thread with nothing configured is small, and says what a model must know', async () => {
  const { model, place } = await scene([answer({ items: [say('Hello.')] })]);
  writeFileSync(join(place.workspace, 'AGENTS.md'), 'Use tabs.');
  const trusted = `projects.${JSON.stringify(place.workspace)}.trust_level="trusted"`;
  const run = await place.run('exec', '-c', trusted, 'Say hello.');
  expect([run.code, run.stdout]).toEqual([0, 'Hello.\n']);
  const [request] = model.requests;
  expect(request!.decodedBytes.length).toBeLessThanOrEqual(mostBytes);
  const said = textsIn(request!.body).join('\n');
  const missing = Object.entries(topics).flatMap(([topic, words]) => (words.test(said) ? [] : [topic]));
  expect(missing).toEqual([]);
  const tools = request!.body['tools'] as unknown as readonly JsonObject[];
  expect(tools.map(({ name }) => name)).toEqual([
    'exec_command',
    'write_stdin',
    'update_plan',
    'apply_patch',
    'view_image',
  ]);
});

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
