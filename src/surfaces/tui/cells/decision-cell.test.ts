import { expect, it } from 'vitest';
import type { TurnId } from '../../../protocol/ids.ts';
import { plainLook } from '../app/plain-look.ts';
import { decisionCell } from './decision-cell.ts';

const look = {
  ...plainLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' }),
  width: 100,
  now: 0,
  details: 'folded' as const,
};

it('shows the hidden characters of what was decided, and of the note', () => {
  const question = {
    id: 'q',
    callId: 'c',
    turnId: 't' as TurnId,
    tool: 'exec_command',
    item: {},
    kind: 'command' as const,
    argv: ['rm', 'a\u202Eb'],
    scopes: ['call' as const],
  };
  const rows = decisionCell(question, { kind: 'allowed', scope: 'call', note: 'not\u200B this' }).rows(look);
  expect(rows.join('\n')).toMatch(/a<U\+202E>b[^]*not<U\+200B> this/);
});
