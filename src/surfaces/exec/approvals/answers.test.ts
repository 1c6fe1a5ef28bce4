import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { createShellReaderLoader } from '../../../adapters/exec/shell-reader.ts';
import { analyseCommand } from '../../../core/policy/commands/analyse-command.ts';
import { defined } from '../../../base/objects.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Question } from '../../../protocol/question.ts';
import { paint, type Span } from '../../views/terminal/styled-text.ts';
import { answerByLines, createFileAnswerer, parseAnswersFile } from './load-approvals.ts';

const about = {
  id: 'q',
  callId: 'c',
  turnId: 't' as TurnId,
  tool: 'exec_command',
  item: {},
  scopes: ['call'],
} as const;
const root = join(import.meta.dirname, '../../../..');
const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };
const reader = await createShellReaderLoader({ root, clock })();
const command = (script: string): Question => {
  const argv = ['/bin/bash', '-c', script];
  const { commands, seen } = analyseCommand(argv, reader);
  return { ...about, kind: 'command', argv, cwd: '/repo', seen, ...defined({ commands }) };
};

function answers(...lines: readonly object[]) {
  const read = parseAnswersFile(lines.map((line) => JSON.stringify(line)).join('\n'), 'a.jsonl');
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
  ])('%s', (script, expected) => expect(answerByLines(lines, command(script))).toEqual(expected));

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
    expect(answerByLines(lines, command(script))).toEqual({ kind: 'declined', by: 'default' });
  });

  it('by the kind of the question, whatever the command is', () => {
    expect(answerByLines(lines, { ...about, kind: 'patch', paths: [] }).kind).toBe('allowed');
    expect(answerByLines(lines, { ...command('npm i'), kind: 'network' }).kind).toBe('declined');
    expect(answerByLines(answers({ kind: 'command', decision: 'approved' }), command('a $b')).kind).toBe('allowed');
  });
});

describe('a no to a wrapper', () => {
  const denied = (prefix: readonly string[]) => ({ prefix, decision: 'denied', note: 'Not here.' });
  const npm = { prefix: ['npm'], decision: 'approved' };
  const anything = { kind: 'command', decision: 'approved' };
  const no = { kind: 'declined', note: 'Not here.' };

  test.each([
    [['sudo'], 'sudo npm i'],
    [['sudo', '-n'], 'sudo -n npm i'],
    [['timeout'], 'timeout 5 npm i'],
    [['env'], 'CI=1 env npm i'],
    [['nice'], 'timeout 5 /usr/bin/nice npm i'],
    [['nohup'], 'npm i && nohup npm test'],
    [['eval'], 'eval "npm i"'],
    [['xargs'], 'echo i | xargs npm'],
    [['npm'], 'echo i | xargs npm'],
    [['find'], 'find . -exec npm i {} +'],
    [['sudo'], 'for a in b; do sudo npm i; done'],
    [['npm', 'i'], 'FOO=1 npm i'],
  ])('%j counts for %j as it is written', (prefix, script) => {
    expect(answerByLines(answers(denied(prefix), npm), command(script))).toEqual(no);
    expect(answerByLines(answers(denied(prefix), anything), command(script))).toEqual(no);
  });

  it('stands behind a line that approves the command, and counts no more', () => {
    expect(answerByLines(answers(npm, denied(['timeout'])), command('timeout 5 npm i')).kind).toBe('allowed');
    expect(answerByLines(answers(anything, denied(['eval'])), command('eval "npm i"')).kind).toBe('allowed');
    expect(answerByLines(answers(npm, denied(['timeout'])), command('npm i && timeout 5 make')).kind).toBe('declined');
  });

  it('a yes is about the command that it starts, never about what is only seen', () => {
    const timeout = { prefix: ['timeout'], decision: 'approved' };
    expect(answerByLines(answers(timeout), command('timeout 5 npm i')).kind).toBe('declined');
    expect(answerByLines(answers(npm), command('timeout 5 npm i')).kind).toBe('allowed');
    expect(answerByLines(answers(npm), command('FOO=1 npm i')).kind).toBe('declined');
  });

  it('a yes to a program is none to what it gets from elsewhere', () => {
    const lines = answers({ prefix: ['npm', 'publish'], decision: 'denied' }, npm, {
      prefix: ['echo'],
      decision: 'approved',
    });
    expect(answerByLines(lines, command('echo publish | xargs npm')).kind).toBe('declined');
  });
});

describe('a line that approves all commands', () => {
  const stopping = answers(
    { prefix: ['npm', 'publish'], decision: 'abort' },
    { kind: 'command', decision: 'approved' },
  );

  test.each([
    'npm publish',
    'npm publish 2>&1',
    '(npm publish)',
    'timeout 5 npm publish',
    'sudo npm publish',
    "bash -c 'npm publish'",
    'npm test && /usr/bin/npm publish',
  ])('does not stand against an earlier no to %j', (script) => {
    expect(answerByLines(stopping, command(script))).toEqual({ kind: 'stopped' });
  });

  test.each([
    ['FOO=1 npm publish', 'stopped'],
    ['npm publish $X', 'stopped'],
    ['if true; then npm publish; fi', 'stopped'],
    ['$(echo npm) publish', 'declined'],
  ])('does not count for %j, which cannot be read, behind a no: %s', (script, expected) => {
    expect(answerByLines(stopping, command(script)).kind).toBe(expected);
    expect(answerByLines(stopping.toReversed(), command(script)).kind).toBe('allowed');
  });

  it('counts for what can be read and is not denied', () => {
    expect(answerByLines(stopping, command('npm test 2>&1 | tail')).kind).toBe('allowed');
  });

  it('an approved name is no path that ends with it', () => {
    const approving = answers({ prefix: ['npm'], decision: 'approved' });
    expect(answerByLines(approving, command('./npm install')).kind).toBe('declined');
  });

  it('says the note of the line that denies a command, also beside one that no line matches', () => {
    const noted = answers({ prefix: ['npm', 'publish'], decision: 'denied', note: 'Not from here.' });
    expect(answerByLines(noted, command('make && npm publish'))).toEqual({ kind: 'declined', note: 'Not from here.' });
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
    '"kind" must be command, patch, permissions, network, retry, tool, elicitation or input. Did you mean patch?',
  ],
  ['{"kind":"patch","decision":"approve"}', '"decision" must be approved, denied or abort. Did you mean approved?'],
  ['{"kind":"patch"}', '"decision" must be approved, denied or abort.'],
  ['{"kind":"patch","decision":"denied","notes":"x"}', 'there is no key "notes". Did you mean note?'],
  ['{"kind":"patch","decision":"denied","note":1}', '"note" must be a string.'],
  [
    '{"kind":"patch","decision":"approved","note":"Go on."}',
    '"note" works only with "denied" and "abort": the model reads it with the no.',
  ],
])('%s is refused with its line', (line, problem) => {
  const text = `\n{"kind":"patch","decision":"denied"}\n${line}\n`;
  expect(parseAnswersFile(text, 'a.jsonl')).toMatchObject({
    code: 'approvals-invalid',
    message: `a.jsonl:3: ${problem}`,
  });
});

it('a file without an answer is refused', () => {
  expect(parseAnswersFile(' \n\n', 'a.jsonl')).toMatchObject({
    message: 'a.jsonl: there are no answers in this file.',
  });
});

it.each([
  ['npm install && make -j2; ls', '  no: no line of a.jsonl matches `make -j2`, `ls`'],
  [
    'npm $x',
    '  no: Capstan cannot read the script whole, so no prefix approves it; {"kind":"command","decision":"approved"} in a.jsonl would',
  ],
  ['npm install', '  yes, by a.jsonl'],
])('%s: the user reads what was answered, and which command no line is about', async (script, expected) => {
  const shown: string[] = [];
  const lines = answers({ prefix: ['npm'], decision: 'approved' });
  const { askUser } = createFileAnswerer({
    lines,
    name: 'a.jsonl',
    show: (...spans) => void shown.push(paint(spans, false)),
  });
  await askUser.ask(command(script), new AbortController().signal);
  expect(shown[0]!.split('\n').at(-1)).toBe(expected);
});

it('a script that cannot be read, after a prefix that is denied: the user reads what bars it', async () => {
  const shown: string[] = [];
  const lines = answers(
    { prefix: ['npm'], decision: 'approved' },
    { prefix: ['timeout'], decision: 'denied' },
    { kind: 'command', decision: 'approved' },
  );
  const show = (...spans: readonly Span[]): void => void shown.push(paint(spans, false));
  const { askUser } = createFileAnswerer({ lines, name: 'a.jsonl', show });
  expect(await askUser.ask(command('npm -v > $x'), new AbortController().signal)).toMatchObject({ kind: 'declined' });
  expect(shown[0]!.split('\n').at(-1)).toBe(
    '  no: Capstan cannot read the script whole, and it may hold ["timeout"], which a.jsonl denies before it approves {"kind":"command"}',
  );
});

it('words that stand in one string are refused, and a path with a space is not', () => {
  expect(parseAnswersFile('{"prefix": ["npm install"], "decision": "approved"}', 'a.jsonl')).toMatchObject({
    message: 'a.jsonl:1: "prefix" has several words in one string, and would match nothing. Write ["npm","install"].',
  });
  expect(parseAnswersFile('{"prefix": ["/opt/My Tool/run"], "decision": "approved"}', 'a.jsonl')).toHaveLength(1);
});

it('a file saves no rule, so none is shown', async () => {
  const shown: string[] = [];
  const show = (...spans: readonly Span[]): void => void shown.push(paint(spans, false));
  const lines = answers({ kind: 'command', decision: 'approved' });
  const question: Question = { ...command('npm install'), prefix: ['npm'], scopes: ['call', 'rule'] };
  await createFileAnswerer({ lines, name: 'a.jsonl', show }).askUser.ask(question, new AbortController().signal);
  expect(shown[0]).not.toContain('rule:');
});

test('a prefix approves a command that the model can type into only if it says so', () => {
  const typed = { ...command('git commit -a'), typed: true } as const;
  const plain = { prefix: ['git', 'commit'], decision: 'approved' };
  expect(answerByLines(answers(plain), command('git commit -a')).kind).toBe('allowed');
  expect(answerByLines(answers(plain), typed)).toEqual({ kind: 'declined', by: 'default' });
  expect(answerByLines(answers(plain, { ...plain, typed: true }), typed).kind).toBe('allowed');
  expect(answerByLines(answers({ kind: 'command', decision: 'approved' }), typed).kind).toBe('allowed');
  const wrong = [
    { ...plain, typed: false },
    { ...plain, decision: 'denied', typed: true },
    { kind: 'patch', decision: 'approved', typed: true },
  ];
  for (const line of wrong)
    expect(parseAnswersFile(JSON.stringify(line), 'a.jsonl')).toMatchObject({ code: 'approvals-invalid' });
});

test('a form of a server is filled by the line, and a line that does not fill it is no answer', () => {
  const properties = { colour: { type: 'string', enum: ['red', 'blue'] }, sails: { type: 'number', default: 2 } };
  const schema = { type: 'object', properties, required: ['colour'] };
  const form: Question = { ...about, kind: 'elicitation', elicitation: { server: 's', message: 'Which?', schema } };
  const line = { kind: 'elicitation', decision: 'approved' };
  const answered = (more: object) => answerByLines(answers({ ...line, ...more }), form);
  expect(answered({ answers: { colour: 'red', sails: 3 } })).toEqual({
    kind: 'allowed',
    scope: 'call',
    content: { colour: 'red', sails: 3 },
  });
  expect(answered({})).toEqual({ kind: 'declined', by: 'default' });
  const shown: string[] = [];
  const { askUser } = createFileAnswerer({
    lines: answers({ ...line, answers: { colour: 'green' } }),
    name: 'a.jsonl',
    show: (...spans) => void shown.push(paint(spans, false)),
  });
  void askUser.ask(form, new AbortController().signal);
  expect(shown.join('')).toContain('no: "answers" of a.jsonl do not fill the form: colour must be one of red, blue.');
});

describe('a prefix approves a command of the shell only where it takes its words as text', () => {
  const lines = answers(
    { prefix: ['printf'], decision: 'approved' },
    { prefix: ['export'], decision: 'approved' },
    { prefix: ['npm'], decision: 'approved' },
    { prefix: ['source', 'env.sh'], decision: 'approved' },
  );

  test.each([
    ['printf %s x && npm install', true],
    ['source env.sh && npm install', true],
    ["printf -v 'a[$(touch x)]' 1", false],
    ['export PATH=. && npm install', false],
    ['source env.sh x', false],
  ])('%s: %s', (script, isApproved) =>
    expect(answerByLines(lines, command(script)).kind).toBe(isApproved ? 'allowed' : 'declined'),
  );
});
