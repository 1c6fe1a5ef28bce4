import { expect, it } from 'vitest';
import {
  commandOutput,
  patchOutput,
  patchRejectedText,
  patchUnfitText,
} from '../../../core/fragments/answers/commands-and-patches.ts';
import { declinedByUserText, outcomeUnknownText } from '../../../core/fragments/answers/tool-calls.ts';
import { describeCallEnd } from './show.ts';

const budget = { mode: 'tokens', limit: 1000 } as const;
const wordsFor = (text: string | undefined): string | undefined =>
  describeCallEnd({
    kind: 'call',
    name: 'exec_command',
    form: 'command',
    input: 'ls',
    ...(text === undefined ? {} : { output: { text, pictures: [] } }),
  })?.words;

it('reads how a call ended from its answer, and not from what a command printed', () => {
  const output = 'Process exited with code 7\n';
  const ran = (end: Parameters<typeof commandOutput>[0]['end']) => commandOutput({ seconds: 1, end, output }, budget);
  expect(
    [
      ran({ kind: 'exited', exitCode: 0 }),
      ran({ kind: 'exited', exitCode: 3 }),
      ran({ kind: 'timed-out', limitSeconds: 9 }),
      ran({ kind: 'aborted', by: 'user' }),
      patchOutput({ exitCode: 1, seconds: 0, output }, budget),
      patchUnfitText('no such file', budget),
      patchRejectedText('read-only', budget),
      declinedByUserText(undefined),
      outcomeUnknownText('gone'),
      '{"output":"x","metadata":{"exit_code":2}}',
      'Plan updated',
      undefined,
    ].map(wordsFor),
  ).toEqual([
    'exit 0',
    'exit 3',
    'timed out',
    'interrupted',
    'exit 1',
    'failed',
    'refused',
    'refused',
    'outcome unknown',
    'exit 2',
    undefined,
    'not finished',
  ]);
});

it.each([
  ['waits to begin', [{ kind: 'command' }], 'not run'],
  ['was allowed and cut', [{ kind: 'command', answer: { kind: 'allowed' } }], 'not finished'],
  ['was cut while it waited for a host', [{ kind: 'network' }], 'not finished'],
  ['ran once and waits to run again', [{ kind: 'retry' }], 'not finished'],
] as const)('a call without an answer that %s', (_name, asked, words) => {
  expect(describeCallEnd({ kind: 'call', name: 'exec_command', form: 'command', input: 'ls', asked })?.words).toBe(
    words,
  );
});
