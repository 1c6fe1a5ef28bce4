import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Question } from '../../../protocol/question.ts';
import { paint } from '../../terminal/look.ts';
import { askAtTerminal } from './ask-at-terminal.ts';

class FakeInput extends EventEmitter {
  readonly modes: boolean[] = [];
  isPaused = true;
  setRawMode(raw: boolean): void {
    this.modes.push(raw);
  }
  resume(): void {
    this.isPaused = false;
  }
  pause(): void {
    this.isPaused = true;
  }
}

function terminal() {
  const input = new FakeInput();
  const shown: string[] = [];
  const typed: (string | undefined)[] = [];
  let [now, interrupts] = [0, 0];
  const { askUser, seen } = askAtTerminal({
    width: () => 120,
    input,
    show: (...spans) => void shown.push(paint(spans, false)),
    interrupt: () => void interrupts++,
    now: () => now,
    rulesFile: '/home/ann/rules/default.rules',
    typing: (text) => void typed.push(text),
  });
  return {
    input,
    shown,
    typed,
    seen,
    interrupts: () => interrupts,
    ask: (question: Question, signal = new AbortController().signal) => askUser.ask(question, signal),
    /** A key that comes when the question could be read. */
    async press(...keys: readonly string[]): Promise<void> {
      for (const key of keys) {
        await new Promise((resolve) => void setImmediate(resolve));
        now += 1000;
        input.emit('data', Buffer.from(key));
      }
    },
  };
}

const question: Question = {
  id: 'q',
  callId: 'c',
  turnId: 't' as TurnId,
  tool: 'exec_command',
  item: {},
  kind: 'command',
  reason: 'It would run outside the sandbox.',
  justification: 'May I install?',
  argv: ['/bin/bash', '-c', 'npm install\nnpm test'],
  cwd: '/repo',
  prefix: ['npm', 'install'],
  scopes: ['call', 'session', 'rule'],
};

describe('a person at the terminal', () => {
  it('reads what is asked, all of it, and what may be answered', async () => {
    const { ask, press, shown } = terminal();
    const answer = ask(question);
    await press('y');
    expect(await answer).toEqual({ kind: 'allowed', scope: 'call' });
    expect(shown[0]).toBe(
      [
        'May this command run?',
        '  It would run outside the sandbox.',
        '  The model says: May I install?',
        '  $ npm install',
        '  > npm test',
        '  in /repo',
        '  rule: commands that begin with ["npm","install"] run without a question, outside the sandbox',
        '  [y] yes, once',
        '  [a] yes, for the session',
        '  [p] yes, and save the rule: such commands then run outside the sandbox',
        '  [n] no',
        '  [t] no, and tell the model why',
        '  [s] no, and stop the turn',
      ].join('\n'),
    );
  });

  it.each([
    ['a', { kind: 'allowed', scope: 'session' }],
    ['p', { kind: 'allowed', scope: 'rule' }],
    ['n', { kind: 'declined' }],
    ['N', { kind: 'declined' }],
    ['s', { kind: 'stopped' }],
  ])('answers by %s', async (key, expected) => {
    const { ask, press, input } = terminal();
    const answer = ask(question);
    await press('x', '\u001B[A', 'yy', '\r', key);
    expect(await answer).toEqual(expected);
    expect([input.modes, input.isPaused, input.listenerCount('data')]).toEqual([[true, false], true, 0]);
  });

  it('is not offered what the question does not allow', async () => {
    const { ask, press, shown } = terminal();
    const answer = ask({ ...question, scopes: ['call'] });
    await press('a', 'p', 'n');
    expect(await answer).toEqual({ kind: 'declined' });
    expect(shown[0]).not.toContain('[a]');
  });

  it('says no in words', async () => {
    const { ask, press } = terminal();
    const answer = ask(question);
    await press('t', 'use pnpm', ' instead\n');
    expect(await answer).toEqual({ kind: 'declined', note: 'use pnpm instead' });
  });

  it('sees what they type, corrects it, and may choose again after all', async () => {
    const { ask, press, shown, typed, input } = terminal();
    const answer = ask(question);
    await press('t', 'n', '\u001B[D', 'p', 'x', '\u007F', '\u001B', 't', 'u\u0015use\npnpm', '\r');
    expect(await answer).toEqual({ kind: 'declined', note: 'use pnpm' });
    expect(typed).toEqual(['', 'n', 'n', 'np', 'npx', 'np', 'np', undefined, '', 'use pnpm', 'use pnpm', undefined]);
    expect(shown).toContain('  Nothing was sent. Press one key: y, a, p, n, t, s.');
    expect(shown.at(-1)).toBe('  no: use pnpm');
    expect(new Set(input.modes.filter((_mode, i) => i % 2 === 0))).toEqual(new Set([true]));
  });

  it('reads which keys there are when another one is pressed, once, and where a rule went', async () => {
    const { ask, press, shown } = terminal();
    const answer = ask({ ...question, kind: 'network', host: { name: 'a.org', port: 443, protocol: 'https' } });
    await press('x', 'q', 'p');
    await answer;
    expect(shown[0]).toContain('  rule: network_rule(host="a.org", protocol="https", decision="allow"');
    expect(shown.slice(1)).toEqual([
      '  Press one key: y, a, p, n, t, s.',
      '  yes; the rule goes to /home/ann/rules/default.rules',
    ]);
  });

  it('does not answer with what was typed before the question could be read', async () => {
    const { ask, press, input } = terminal();
    const answer = ask(question);
    await new Promise((resolve) => void setImmediate(resolve));
    input.emit('data', Buffer.from('y'));
    await press('n');
    expect(await answer).toEqual({ kind: 'declined' });
  });

  it('interrupts with Ctrl-C, and the question lapses with the turn', async () => {
    const { ask, press, interrupts, input } = terminal();
    const turn = new AbortController();
    const answer = ask(question, turn.signal);
    await press('\u0003');
    expect(interrupts()).toBe(1);
    turn.abort();
    expect(await answer).toEqual({ kind: 'lapsed' });
    expect(input.isPaused).toBe(true);
    expect(await ask(question, turn.signal)).toEqual({ kind: 'lapsed' });
  });

  it('is asked one thing at a time', async () => {
    const { ask, press, shown } = terminal();
    const answers = [ask(question), ask({ ...question, argv: ['/bin/bash', '-c', 'other'] })];
    await press('y');
    await press('n');
    expect(await Promise.all(answers)).toEqual([{ kind: 'allowed', scope: 'call' }, { kind: 'declined' }]);
    expect(shown.findIndex((text) => text.includes('other'))).toBeGreaterThan(0);
  });

  it('sees what is hidden, and no line that passes for ours', async () => {
    const { ask, press, shown } = terminal();
    const odd = 'echo ok\u001B[2K\u001B[1A\r\u202E\n  [y] yes\u0007';
    const answer = ask({
      ...question,
      argv: ['/bin/sh', '-c', odd],
      justification: 'a\n  $ ls',
      cwd: '/r\u001B]0;x\u0007',
    });
    await press('n');
    await answer;
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    expect(shown.join('')).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]/);
    expect(shown[0]!.split('\n').filter((line) => line.startsWith('  [y]'))).toHaveLength(1);
    expect(shown[0]!.split('\n').filter((line) => line.startsWith('  $ '))).toHaveLength(1);
  });

  it('sees the diff of a patch', async () => {
    const { ask, press, shown, seen } = terminal();
    const { argv: _argv, prefix: _prefix, ...rest } = question;
    const patch: Question = { ...rest, kind: 'patch', tool: 'apply_patch', scopes: ['call'] };
    const changes = [{ path: '/srv/a', kind: 'update', diff: '@@\n-old\n+new\u001B[31m' }] as const;
    const item = { kind: 'file-change', id: 'c', changes, status: 'in-progress' } as const;
    seen?.({ kind: 'question-asked', turnId: patch.turnId, question: patch, item });
    const answer = ask(patch);
    await press('y');
    await answer;
    expect(shown[0]).toContain('  update /srv/a\n  @@\n  -old\n  +new␛[31m\n');
  });
});
