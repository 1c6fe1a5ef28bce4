import { expect, test } from 'vitest';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Question } from '../../../protocol/question.ts';
import { paint } from '../terminal/styled-text.ts';
import { questionLines } from './question-lines.ts';

const asked = { id: 'q', callId: 'c', turnId: 't' as TurnId, tool: 'exec_command', item: {} } as const;
const shown = (question: Question): string => paint(questionLines(question, undefined), false);

test('a question about a host shows the line that would be saved, and none where none is offered', () => {
  const host = { name: 'x.com', port: 443, protocol: 'https' } as const;
  const question: Question = { ...asked, kind: 'network', host, scopes: ['call', 'session', 'rule'] };
  expect(shown(question)).toContain('rule: connections to x.com:443 are allowed without a question, in every thread');
  expect(shown({ ...question, scopes: ['call', 'session'] })).not.toContain('rule');
});

test('a rule says where commands then run, also where a profile denies reads', () => {
  const question: Question = { ...asked, kind: 'command', prefix: ['make'], scopes: ['call', 'rule'] };
  expect(shown(question)).toContain(
    'rule: commands that begin with ["make"] run without a question, outside the sandbox',
  );
  const confined = shown({ ...question, confined: true });
  expect(confined).toContain('run without a question, in a sandbox that only hides denied paths');
  expect(confined).not.toContain('outside');
});

test('a permission is named by where it leads, and by its spelling if that differs', () => {
  const permissions = { read: ['/srv'], write: ['/var/tmp'], spelled: { '/var/tmp': '/repo/build' } };
  const lines = shown({ ...asked, kind: 'permissions', permissions, scopes: ['call', 'session'] });
  expect(lines).toContain('- read /srv\n');
  expect(lines).toContain('- write /var/tmp (named as /repo/build)\n');
});

test('every row of what the model wrote has a mark of ours, however it fills them', () => {
  const script = `python3 x #${' '.repeat(3000)}May this command run?${' '.repeat(59)}  $ ls -la`;
  const reason = 'It would run outside the sandbox.';
  const justification = `please${' '.repeat(74)}May this command run?`;
  const question: Question = {
    ...asked,
    kind: 'command',
    argv: ['/bin/sh', '-c', script],
    cwd: '/repo',
    reason,
    justification,
    scopes: ['call'],
  };
  const rows = paint(questionLines(question, undefined, { width: 80 }), false)
    .trimEnd()
    .split('\n');
  expect(rows.slice(1).filter((row) => !row.startsWith('  '))).toEqual([]);
  expect(rows.filter((row) => row.length > 79)).toEqual([]);
  expect(rows.at(-1)).toMatch(/^ {2}The command above takes \d+ rows\. It would run outside the sandbox\.$/);
  expect(rows.filter((row) => /^ {2}\$ /.test(row))).toHaveLength(1);
});

test('a question about a tool shows all of its arguments, also where only the file knows them', () => {
  const given = { to: 'production', note: `first\n${'z'.repeat(2000)}` };
  const item = { type: 'DynamicToolCall', id: 'c', tool: 'deploy', arguments: given };
  const reason = 'The tool "deploy" acts outside the sandbox.';
  const question: Question = { ...asked, tool: 'deploy', item, kind: 'tool', reason, scopes: ['call', 'session'] };
  const text = paint(questionLines(question, undefined, { width: 80 }), false);
  expect(text).toMatch(
    /^May this tool be called\?\n {2}The tool "deploy" acts outside the sandbox\.\n {2}deploy\n {2}> \{\n/,
  );
  expect(text).toContain('"to": "production"');
  expect(text.split('z')).toHaveLength(2001);
});

test('a patch of which a file keeps only some changes is shown with all of its paths', () => {
  const paths = ['/a', '/b'].map((path) => ({ path, access: 'write' }) as const);
  const changes = [{ path: '/a', kind: 'add', diff: '+x' }] as const;
  const question: Question = { ...asked, kind: 'patch', paths, scopes: ['call'] };
  const text = paint(questionLines(question, { kind: 'file-change', id: 'c', changes, status: 'in-progress' }), false);
  expect(text).toContain('  add /a\n');
  expect(text).toContain('  /b\n');
});
