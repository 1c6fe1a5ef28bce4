import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Question } from '../../../protocol/question.ts';
import { paint } from '../../terminal/look.ts';
import { answerBy, answerFromFile } from './answer-from-file.ts';
import { readAnswers } from './answers-file.ts';
import { plainCommands } from './plain-commands.ts';

const about = { callId: 'c', turnId: 't' as TurnId, tool: 'exec_command', item: {}, scopes: ['call'] } as const;
const command = (script: string): Question => {
  return { ...about, kind: 'command', argv: ['/bin/bash', '-c', script], cwd: '/repo' };
};

function answers(...lines: readonly object[]) {
  const read = readAnswers(lines.map((line) => JSON.stringify(line)).join('\n'), 'a.jsonl');
  if ('code' in read) throw new Error(read.message);
  return read;
}

describe('the first line that matches decides', () => {
  const lines = answers(
    { prefix: ['npm', 'publish'], decision: 'denied', note: 'Not from here.' },
    { prefix: ['npm'], decision: 'approved' },
    { prefix: ['make', 'all'], decision: 'approved' },
    { kind: 'patch', decision: 'approved' },
    { prefix: ['shutdown'], decision: 'abort', note: 'Enough.' },
  );

  test.each([
    ['npm install x', { kind: 'allowed', scope: 'call' }],
    ['  npm   "install" x', { kind: 'allowed', scope: 'call' }],
    ['npm publish', { kind: 'declined', note: 'Not from here.' }],
    ['npm install && make all', { kind: 'allowed', scope: 'call' }],
    ['npm install && npm publish', { kind: 'declined', note: 'Not from here.' }],
    ['npm install; shutdown now', { kind: 'stopped', note: 'Enough.' }],
  ])('%s', (script, expected) => expect(answerBy(lines, command(script))).toEqual(expected));

  test.each([
    'make',
    'npm install && rm -r x',
    'npm install & rm -r x',
    'npm install $(rm -r x)',
    'npm install `rm -r x`',
    'npm install > /etc/x',
    'npm install\nrm -r x',
    'npm install | sh',
    'PATH=/tmp npm install',
    'npm "$x"',
    'npm install #\nrm x',
    'npmx install',
    '',
  ])('no line matches %j', (script) => {
    const note = 'The answers that were prepared for this run do not cover it.';
    expect(answerBy(lines, command(script))).toEqual({ kind: 'declined', note });
  });

  it('by the kind of the question, whatever the command is', () => {
    expect(answerBy(lines, { ...about, kind: 'patch', paths: [] }).kind).toBe('allowed');
    expect(answerBy(lines, { ...command('npm i'), kind: 'network' }).kind).toBe('declined');
    expect(answerBy(answers({ kind: 'command', decision: 'approved' }), command('a $b')).kind).toBe('allowed');
  });
});

test.each([
  ['{', 'the line is not a JSON object.'],
  ['[]', 'the line is not a JSON object.'],
  ['{"decision":"approved"}', 'the line needs either "prefix" or "kind".'],
  ['{"prefix":["a"],"kind":"patch","decision":"approved"}', 'the line needs either "prefix" or "kind".'],
  ['{"prefix":[],"decision":"approved"}', '"prefix" must be a list of one or more words.'],
  ['{"prefix":"a","decision":"approved"}', '"prefix" must be a list of one or more words.'],
  [
    '{"kind":"patches","decision":"approved"}',
    '"kind" must be command, patch, permissions, network or retry. Did you mean patch?',
  ],
  ['{"kind":"patch","decision":"approve"}', '"decision" must be approved, denied or abort. Did you mean approved?'],
  ['{"kind":"patch"}', '"decision" must be approved, denied or abort.'],
  ['{"kind":"patch","decision":"denied","notes":"x"}', 'there is no key "notes". Did you mean note?'],
  ['{"kind":"patch","decision":"denied","note":1}', '"note" must be a string.'],
  [
    '{"kind":"patch","decision":"approved","note":"Go on."}',
    '"note" goes with "denied" or "abort": the model reads it there.',
  ],
])('%s is refused with its line', (line, problem) => {
  const text = `\n{"kind":"patch","decision":"denied"}\n${line}\n`;
  expect(readAnswers(text, 'a.jsonl')).toMatchObject({ code: 'approvals-invalid', message: `a.jsonl:3: ${problem}` });
});

it('a file without an answer is refused', () => {
  expect(readAnswers(' \n\n', 'a.jsonl')).toMatchObject({ message: 'a.jsonl: there are no answers in this file.' });
});

it.each([
  ['npm install && make -j2; ls', '  no: no line of a.jsonl matches `make -j2`, `ls`'],
  ['npm $x', '  no: no line of a.jsonl matches it'],
  ['npm install', '  yes, by a.jsonl'],
])('%s: the user reads what was answered, and which command no line is about', async (script, expected) => {
  const shown: string[] = [];
  const lines = answers({ prefix: ['npm'], decision: 'approved' });
  const { askUser } = answerFromFile({
    lines,
    name: 'a.jsonl',
    show: (...spans) => void shown.push(paint(spans, false)),
  });
  await askUser.ask(command(script), new AbortController().signal);
  expect(shown[0]!.split('\n').at(-1)).toBe(expected);
});

it('what is read as plain commands is what a shell would run', () => {
  const piece = fc.constantFrom(
    'a',
    'b-c',
    "'d e'",
    '"f"',
    ' ',
    '  ',
    ' && ',
    ' || ',
    ';',
    '\n',
    '$x',
    '`',
    '>',
    '&',
    '(',
    '\\',
    '#',
  );
  const script = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(script, (text) => {
      const commands = plainCommands(text);
      if (commands === undefined) return;
      const words = commands.flat();
      const names = [...new Set(commands.map(([name]) => name!))];
      const functions = names.map((name) => `${JSON.stringify(name)}() { printf '%s\\0' "$FUNCNAME" "$@"; return 1; }`);
      const define = names.every((name) => /^[\w-]+$/.test(name))
        ? `${functions.join('\n').replaceAll('"', '')}\n`
        : undefined;
      // Only where every command runs: the shell leaves out what follows a failed && and a good ||.
      if (define === undefined || /&&|\|\|/.test(text)) return;
      const { stdout } = spawnSync('bash', ['-c', `${define}${text}`], { encoding: 'utf8' });
      expect(stdout.split('\0').slice(0, -1)).toEqual(words);
    }),
    { numRuns: 60 },
  );
});
