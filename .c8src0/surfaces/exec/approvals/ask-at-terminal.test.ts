import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Question } from '../../../protocol/question.ts';
import { paint } from '../../views/terminal/styled-text.ts';
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

function terminal({ isLive = true } = {}) {
  const input = new FakeInput();
  const shown: string[] = [];
  const typed: (string | undefined)[] = [];
  let [now, interrupts] = [0, 0];
  const stopped = Promise.withResolvers<void>();
  const timers: { readonly at: number; readonly run: () => void }[] = [];
  const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  /** Time goes on, timer by timer. */
  const pass = async (milliseconds: number): Promise<void> => {
    const end = now + milliseconds;
    for (;;) {
      await settle();
      const due = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      timers.splice(timers.indexOf(due), 1);
      now = Math.max(now, due.at);
      due.run();
    }
    now = end;
  };
  const { askUser, seen, close } = askAtTerminal({
    width: () => 120,
    input,
    show: (...spans) => void shown.push(paint(spans, false)),
    interrupt: () => void interrupts++,
    suspend: () => stopped.promise,
    now: () => now,
    after: (milliseconds, signal) =>
      new Promise((resolve) => {
        timers.push({ at: now + milliseconds, run: resolve });
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    rulesFile: '/home/ann/rules/default.rules',
    configFile: '/home/ann/config.toml',
    ...(isLive ? { typing: (text: string | undefined) => void typed.push(text) } : {}),
  });
  return {
    input,
    shown,
    typed,
    seen,
    close,
    pass,
    type: (keys: string) => void input.emit('data', Buffer.from(keys)),
    interrupts: () => interrupts,
    goOn: () => stopped.resolve(),
    ask: (question: Question, signal = new AbortController().signal) => askUser.ask(question, signal),
    /** A key that comes when the question could be read, and a pause. */
    async press(...keys: readonly string[]): Promise<void> {
      for (const key of keys) {
        await pass(900);
        input.emit('data', Buffer.from(key));
        await pass(100);
      }
    },
  };
}

const about = { id: 'q', callId: 'c', turnId: 't' as TurnId, tool: 'mcp__s__x', item: {} } as const;

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
        '  [n] no',
        '  [p] yes, and save the rule: such commands then run outside the sandbox',
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

  it('answers questions of the model one after another, by a number or in their own words', async () => {
    const { ask, press, shown } = terminal();
    const asked = (id: string) => ({
      id,
      header: 'Store',
      question: `Which ${id}?`,
      options: [
        { label: 'SQLite', description: 'One file.' },
        { label: 'Postgres', description: 'A server.' },
      ],
    });
    const input: Question = { ...question, kind: 'input', input: [asked('main'), asked('cache')], scopes: ['call'] };
    const { argv: _argv, prefix: _prefix, reason: _reason, justification: _why, ...plain } = input;
    const answer = ask(plain);
    await press('y', '2', 'o', 'a map', '\r');
    expect(await answer).toEqual({ kind: 'allowed', content: { main: 'Postgres', cache: 'a map' } });
    expect(shown[0]).toBe(
      [
        'The model asks you:',
        '  > Store: Which main?',
        '  - SQLite: One file.',
        '  - Postgres: A server.',
        '  [1] SQLite',
        '  [2] Postgres',
        '  [o] another answer, in your words',
        '  [n] no answer',
        '  [s] no answer, and stop the turn',
      ].join('\n'),
    );
    expect(shown.at(-1)).toBe('  your answer: a map');
    const second = ask(plain);
    await press('1', 'n');
    expect(await second).toEqual({ kind: 'declined' });
  });

  it('fills the form of a server field by field, and nothing that does not fit is sent', async () => {
    const { ask, press, shown } = terminal();
    const schema = {
      type: 'object',
      properties: {
        colour: { type: 'string', enum: ['red', 'blue'], description: 'Of the boat.' },
        sails: { type: 'integer', minimum: 1, maximum: 3, default: 2 },
        fast: { type: 'boolean' },
        name: { type: 'string', minLength: 2 },
      },
      required: ['colour', 'name'],
    };
    const elicitation = { server: 's', message: 'Which boat?', schema };
    const form: Question = { ...about, kind: 'elicitation', elicitation, reason: 'It asks.', scopes: ['call'] };
    const answer = ask(form);
    await press('y', '2', 'o', '4', '\r', 'd', 'k', 'o', 'Ann', '\r');
    expect(await answer).toEqual({ kind: 'allowed', content: { colour: 'blue', sails: 2, name: 'Ann' } });
    expect(shown[0]).toBe(
      [
        'A server of tools asks you something.',
        '  It asks.',
        '  > colour (required): Of the boat.',
        '  [1] "red"',
        '  [2] "blue"',
        '  [x] decline: the server gets no answer',
        '  [s] cancel, and stop the turn',
      ].join('\n'),
    );
    expect(shown.join('\n')).toContain('Nothing was sent: sails must be 1 to 3.');
    const declined = ask(form);
    await press('1', 'x');
    expect(await declined).toEqual({ kind: 'declined' });
    const tool: Question = {
      ...about,
      kind: 'tool',
      mcp: { server: 's', tool: 'x', digest: 'd' },
      scopes: ['call', 'rule'],
    };
    const saved = ask(tool);
    await press('p');
    expect([await saved, shown.at(-1)]).toEqual([
      { kind: 'allowed', scope: 'rule' },
      '  yes; the approval goes to /home/ann/config.toml',
    ]);
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
    expect(shown).toContain('  Nothing was sent. Press one key: y, a, n, p, t, s.');
    expect(shown.at(-1)).toBe('  no: use pnpm');
    expect(input.modes).toEqual([true, false]);
  });

  it('reads which keys there are when another one is pressed, once, and where a rule went', async () => {
    const { ask, press, shown } = terminal();
    const answer = ask({ ...question, kind: 'network', host: { name: 'a.org', port: 443, protocol: 'https' } });
    await press('x', 'q', 'p');
    await answer;
    expect(shown[0]).toContain('  rule: connections to a.org:443 are allowed without a question, in every thread');
    expect(shown.slice(1)).toEqual([
      '  Press one key: y, a, n, p, t, s.',
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

  it('stops the program with Ctrl-Z, gives the terminal back meanwhile, and reads the question again afterwards', async () => {
    const { ask, press, input, shown, goOn } = terminal();
    const answer = ask(question);
    await press('\u001A');
    expect([input.modes, shown.length]).toEqual([[true, false], 1]);
    goOn();
    await press('n');
    expect(input.modes.slice(0, 3)).toEqual([true, false, true]);
    expect(shown[1]).toBe(shown[0]);
    expect(await answer).toEqual({ kind: 'declined' });
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

describe('keys that were typed for one question never answer another', () => {
  const next: Question = { ...question, argv: ['/bin/bash', '-c', 'other'] };

  /** A question that is over while the next one waits. */
  function replaced() {
    const at = terminal();
    const first = new AbortController();
    const answers = [at.ask(question, first.signal), at.ask(next)] as const;
    return { ...at, over: () => first.abort(), answers };
  }

  it('a note goes on when its question is over, and the next question waits for its end', async () => {
    const { press, shown, over, answers } = replaced();
    await press('t', 'w');
    over();
    await press('h', 'y', ' ', 'a', 'p', 'y');
    expect(shown.join('\n')).not.toContain('other');
    expect(shown.at(-1)).toBe('  The question is over, and the line will not be sent. Enter or Esc ends it.');
    await press('\r');
    expect(await answers[0]).toEqual({ kind: 'lapsed' });
    expect(shown).toContain('  Not sent: why apy');
    expect(shown.at(-1)).toMatch(/^The question before is over and needs no answer\. This is another one:\nMay this/);
    await press('n');
    expect(await answers[1]).toEqual({ kind: 'declined' });
  });

  it('a terminal that edits the line itself keeps it, too', async () => {
    const { ask, press, shown, input } = terminal({ isLive: false });
    const first = new AbortController();
    const answers = [ask(question, first.signal), ask(next)];
    await press('t');
    expect(input.modes).toEqual([true, false]);
    first.abort();
    await press();
    expect(shown.at(-1)).toBe('  The question is over, and the line will not be sent. Enter ends it.');
    await press('why, pay\n', 'n');
    expect(await Promise.all(answers)).toEqual([{ kind: 'lapsed' }, { kind: 'declined' }]);
    expect([shown.includes('  Not sent: why, pay'), input.modes]).toEqual([
      true,
      [true, false, true, false, true, false],
    ]);
  });

  it('Esc ends such a note, too', async () => {
    const { press, shown, over, answers } = replaced();
    await press('t', 'no');
    over();
    await press('\u001B', 's');
    expect(await Promise.all(answers)).toEqual([{ kind: 'lapsed' }, { kind: 'stopped' }]);
    expect(shown).toContain('  Not sent: no');
  });

  it('a question that takes the place of another says so, and takes keys after a silence', async () => {
    const { pass, type, press, shown, over, answers } = replaced();
    await pass(2000);
    over();
    await pass(650);
    type('y');
    await pass(650);
    type('y');
    await pass(750);
    expect(shown.at(-1)).toBe('  Keys count after a pause. Press one key: y, a, n, p, t, s.');
    await press('n');
    expect(await Promise.all(answers)).toEqual([{ kind: 'lapsed' }, { kind: 'declined' }]);
  });

  it('a key that is pressed as the question ends counts for neither', async () => {
    const { pass, type, press, over, answers } = replaced();
    await pass(1000);
    type('y');
    over();
    await press('n');
    expect(await Promise.all(answers)).toEqual([{ kind: 'lapsed' }, { kind: 'declined' }]);
  });

  it.each([
    ['letters in one read', ['ay']],
    ['letters that follow at once', ['y', 'e', 's']],
    ['a word with its Enter', ['yes\r']],
    ['what is typed behind an arrow', ['\u001B[A', 'y']],
  ])('%s are no answer', async (_name, bursts) => {
    const { ask, pass, type, press } = terminal();
    const answer = ask(question);
    await pass(1000);
    for (const keys of bursts) {
      type(keys);
      await pass(40);
    }
    await press('n');
    expect(await answer).toEqual({ kind: 'declined' });
  });

  it('a letter of a word is no answer, at the pace of a person', async () => {
    const { ask, pass, type, press } = terminal();
    const answer = ask(question);
    await pass(1000);
    for (const key of 'maybe not any') {
      type(key);
      await pass(200);
    }
    await press('s');
    expect(await answer).toEqual({ kind: 'stopped' });
  });

  it('a key with Enter behind it is an answer', async () => {
    const { ask, pass, type } = terminal();
    const answer = ask(question);
    await pass(1000);
    type('n');
    await pass(10);
    type('\r');
    await pass(100);
    expect(await answer).toEqual({ kind: 'declined' });
  });

  it('at the end a note is given up, and nothing is left in the input', async () => {
    const { ask, pass, type, press, shown, input, close } = terminal();
    const turn = new AbortController();
    const answer = ask(question, turn.signal);
    await press('t', 'why');
    turn.abort();
    const closed = close?.();
    expect(await answer).toEqual({ kind: 'lapsed' });
    expect(shown.at(-1)).toBe('  Not sent: why');
    let isClosed = false;
    void closed?.then(() => (isClosed = true));
    for (const key of ' not\r') {
      await pass(300);
      expect([isClosed, input.isPaused]).toEqual([false, false]);
      type(key);
    }
    await pass(800);
    expect([isClosed, input.isPaused, input.modes.at(-1)]).toEqual([true, true, false]);
  });

  it('after an answer the end waits for nothing, and without a question the terminal is not touched', async () => {
    const { input, close } = terminal();
    await close?.();
    expect(input.modes).toEqual([]);
    const other = terminal();
    const answer = other.ask(question);
    await other.press('n');
    await answer;
    const closed = other.close?.();
    await other.pass(0);
    await closed;
    expect(other.input.modes).toEqual([true, false, true, false]);
  });
});
