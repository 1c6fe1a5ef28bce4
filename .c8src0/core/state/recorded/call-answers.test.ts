import { expect, it } from 'vitest';
import { parseCallReport, parsePrintedOutput } from './call-answers.ts';

it.each([
  [
    'Wall time: 0.2500 seconds\nProcess exited with code 3\nOriginal token count: 1\nOutput:\nok\n',
    'exit 3',
    0.25,
    'ok\n',
  ],
  [
    'Wall time: 1 seconds\nProcess exited with code 7\nNetwork requests blocked by the policy: x.test:443 (denied)\nOutput:\n',
    'exit 7',
    1,
    '',
  ],
  [
    'Wall time: 1 seconds\nProcess exited with code 6\nAllowed by the policy, but the name cannot be resolved: x.test:80\nThis machine has too many servers for one command\nOutput:\nno\n',
    'exit 6',
    1,
    'no\n',
  ],
  [
    'Wall time: 1 seconds\nProcess exited with code 0\nOutput:\nWarning: truncated output (original token count: 90)\nTotal output lines: 7\n\n1\n…80 tokens truncated…\n7\n',
    'exit 0',
    1,
    '1\n…80 tokens truncated…\n7\n',
  ],
  [
    'Wall time: 1 seconds\nProcess exited with code 6\nAllowed by the policy, but the name cannot be resolved: x.test:80\nOutput:\na',
    'exit 6',
    1,
    'a',
  ],
  [
    'The user allowed it. The user says: Only\n\nin api/.\nThe sandbox stopped this command, and the user let it run again outside the sandbox. This is the second run.\nWall time: 0.1000 seconds\nProcess exited with code 0\nOutput:\nWall time: 2 seconds\n',
    'exit 0',
    0.1,
    'The user allowed it. The user says: Only\n\nin api/.\nThe sandbox stopped this command, and the user let it run again outside the sandbox. This is the second run.\nWall time: 2 seconds\n',
  ],
  [
    'The command waited to connect to x.test:80, and there was no answer.\nWall time: 5.0000 seconds\nProcess exited with code 28\nOriginal token count: 1\nOutput:\n',
    'exit 28',
    5,
    'The command waited to connect to x.test:80, and there was no answer.\n',
  ],
  [
    'The user allowed it. The user says: Go.\nPlan updated',
    undefined,
    undefined,
    'The user allowed it. The user says: Go.\nPlan updated',
  ],
  ['Exit code: 0\nWall time: 1.5 seconds\nOutput:\nSuccess.', 'exit 0', 1.5, 'Success.'],
  ['Chunk ID: a1\nWall time: 1 seconds\nProcess running with session ID 3\nOutput:\n', 'still running', 1, ''],
  ['Wall time: 9.0 seconds\nProcess killed after its time limit of 9 seconds\nOutput:\n', 'timed out', 9, ''],
  ['Wall time: 9.0 seconds\nProcess killed: aborted by user\nOutput:\n', 'interrupted', 9, ''],
  ['{"output":"a","metadata":{"exit_code":1,"duration_seconds":0.5}}', 'exit 1', 0.5, 'a'],
  ['{"output":"a"}', undefined, undefined, '{"output":"a"}'],
  ['Not run: no sandbox.', 'refused', undefined, 'Not run: no sandbox.'],
  ['Plan updated', undefined, undefined, 'Plan updated'],
  // The output of a command is no fact about it.
  ['Said:\nExit code: 9\nOutput:\nx', undefined, undefined, 'Said:\nExit code: 9\nOutput:\nx'],
  ['Exit code: 0\nOutput:\nProcess exited with code 9\n', 'exit 0', undefined, 'Process exited with code 9\n'],
])('%j', (answer, end, seconds, output) => {
  expect(parseCallReport(answer)).toMatchObject({ end, seconds, output });
});

it.each([
  ['Wall time: 0.1000 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nok\n', { output: 'ok\n' }],
  [
    'A hook of the user changed this call before it ran. What ran: ls\nWall time: 0.1000 seconds\nProcess exited with code 0\nOutput:\nWall time: 2 seconds\nOutput:\n',
    { output: 'Wall time: 2 seconds\nOutput:\n' },
  ],
  [
    'Wall time: 0.1 seconds\nProcess running with session ID 3\nSession 2 was ended to make space\nOutput:\nWarning: truncated output (original token count: 90)\nTotal output lines: 700\nFull output: /tmp/a b.log\n\n1\n…80 tokens truncated…\n7\n',
    { output: '1\n…80 tokens truncated…\n7\n', lines: 700 },
  ],
  [
    'Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nmore\nIgnored, because this tool has no such argument: "bogus".',
    { output: 'more' },
  ],
  ['Outcome unknown: the program ended.', { output: 'Outcome unknown: the program ended.' }],
])('the output alone of %j', (answer, printed) => {
  expect(parsePrintedOutput(answer)).toEqual(printed);
});
