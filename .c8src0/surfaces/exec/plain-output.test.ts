import { unknownToolText } from '../../core/fragments/answers/tool-calls.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { Question } from '../../protocol/question.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { TurnItem } from '../../protocol/turn-item.ts';
import { noUsage } from '../../protocol/usage.ts';
import type { LiveThread } from '../../engine/live/live-thread-types.ts';
import { paint } from '../views/terminal/styled-text.ts';
import { StatusScreen } from '../views/terminal/screen.ts';
import { patchEndLines } from '../views/wording/turn-lines.ts';
import { type PlainOptions, PlainOutput } from './plain-output.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const turnId = 'turn' as TurnId;
const askedAbout = { id: 'q', callId: 'other', turnId, tool: 'exec_command', item: {} } as const;

function outputOf({ live = true, verbose = false, ...more }: Partial<PlainOptions> = {}) {
  let written = '';
  const stream = { columns: 80, write: (text: string) => (written += text) };
  const output = new PlainOutput(new StatusScreen({ stream, color: false, live }), {
    live,
    verbose,
    resumable: false,
    ...more,
  });
  return {
    output,
    tell: (...events: readonly ThreadEvent[]) => events.forEach(output.event),
    text: (itemId: string, text: string) =>
      output.provisional?.({ provisional: true, kind: 'text', turnId, itemId, text }),
    thinks: (itemId: string, text: string) =>
      output.provisional?.({ provisional: true, kind: 'reasoning', part: 0, turnId, itemId, text }),
    drop: (itemId: string) => output.provisional?.({ provisional: true, kind: 'dropped', turnId, itemId }),
    isLive: output.provisional !== undefined,
    /** The output since the last call; status lines in brackets. */
    seen: () => {
      const drawn = /\r\u001B\[K([^\n\r]*)(?=\r|$)/g;
      const statuses = written.replaceAll(drawn, (_, status: string) => (status === '' ? '' : `<${status}>`));
      const seen = statuses.replaceAll('\r\u001B[K', '');
      written = '';
      return seen;
    },
  };
}

const started = (item: TurnItem): ThreadEvent => ({ kind: 'item-started', turnId, item });
const completed = (item: TurnItem): ThreadEvent => ({ kind: 'item-completed', turnId, item });
const begins = { kind: 'turn-started', turnId, usage: noUsage } as const;
const says = (id: string, text: string): ThreadEvent => completed({ kind: 'agent-message', id, text });
const command = { kind: 'command', id: 'c', argv: ['sh', '-c', 'npm test'], cwd: '/', output: '' } as const;

it('says what the turn cost, and the thread where it cost more', () => {
  const { tell, seen } = outputOf({ live: false });
  const usage = { ...noUsage, input: 3000, cachedInput: 1000, output: 90 };
  tell(begins, { kind: 'turn-completed', turnId, usage, lastMessage: '' });
  expect(seen()).toBe('tokens used: 2,090\n');
  const later = { ...usage, input: 4500, cachedInput: 2000 };
  tell({ ...begins, usage }, { kind: 'turn-completed', turnId, usage: later, lastMessage: '' });
  expect(seen()).toBe('tokens used: 500 in this turn, 2,590 in the thread\n');
});

it('says of a turn that another process began what it cost since', () => {
  const { tell, seen } = outputOf({ live: false });
  const usage = { ...noUsage, input: 100 };
  tell(
    { ...begins, usage, isContinued: true },
    { kind: 'turn-completed', turnId, usage: { ...usage, input: 190 }, lastMessage: '' },
  );
  expect(seen()).toBe('tokens used: 90 since the turn was continued, 190 in the thread\n');
});

it('says that it is not known what a turn cost, and how many requests a cost lacks', () => {
  const { tell, seen } = outputOf({ live: false });
  const window = { step: 0, tokens: 9, measure: 'estimated', effectiveWindow: 100, percentRemaining: 91 } as const;
  const uncounted: ThreadEvent = { kind: 'usage', turnId, total: noUsage, ...window };
  tell(begins, uncounted, { kind: 'turn-completed', turnId, usage: noUsage, lastMessage: '' });
  expect(seen()).toBe('tokens used: not known (the provider did not count them)\n');
  const usage = { ...noUsage, input: 500, output: 90 };
  tell({ ...begins, usage }, uncounted, { kind: 'turn-completed', turnId, usage, lastMessage: '' });
  expect(seen()).toBe('tokens used: not known in this turn (the provider did not count them), 590 in the thread\n');
  const refused = { ...uncounted, refused: true } as const;
  tell(begins, uncounted, refused, { kind: 'turn-completed', turnId, usage, lastMessage: '' });
  expect(seen()).toBe('tokens used: 590, and 1 request that the provider did not count\n');
});

it('marks the rows of a command, and says where one runs that left the sandbox', () => {
  const { tell, seen } = outputOf({ live: false });
  const script = { ...command, argv: ['sh', '-c', 'cat <<EOF\nDone.\nEOF\n'], status: 'in-progress' } as const;
  tell({ ...started(script), outside: true } as ThreadEvent);
  expect(seen()).toBe('$ cat <<EOF\n  > Done.\n  > EOF\n  [runs outside the sandbox]\n');
  tell({ ...started({ ...command, status: 'in-progress' }), outside: true, confined: true } as ThreadEvent);
  expect(seen()).toBe('$ npm test\n  [runs in a sandbox that only hides denied paths]\n');
});

it('breaks the steps of a plan between words, below their text', () => {
  const { tell, seen } = outputOf();
  const steps = [{ text: `${'word '.repeat(15)}incomprehensibilities`, status: 'completed' }] as const;
  tell(started({ kind: 'plan', id: 'p', steps }));
  expect(seen().replaceAll(/<[^>]*>/g, '')).toBe(
    `  [x] ${'word '.repeat(14)}\n      word incomprehensibilities\n`.replace(' \n', '\n'),
  );
});

it('breaks an answer between words, whether or not it arrives in pieces', () => {
  const { tell, text, seen } = outputOf();
  const words = `${'word '.repeat(15)}incomprehensibilities follow.`;
  const broken = `${'word '.repeat(15).trimEnd()}\nincomprehensibilities follow.\n`;
  tell(begins);
  seen();
  for (const piece of words.match(/.{1,7}/g) ?? []) text('m', piece);
  tell(says('m', words));
  expect(seen().replaceAll(/<[^>]*>/g, '')).toBe(broken);
  tell(says('n', words));
  expect(seen().replaceAll(/<[^>]*>/g, '')).toBe(broken);
});

it('says what the turn does and for how long, and takes it away at the end', () => {
  const { tell, seen } = outputOf();
  tell(begins);
  expect(seen()).toBe('<Thinking · 0 s · Ctrl-C to stop>');
  vi.advanceTimersByTime(61_000);
  expect(seen()).toMatch(/<Thinking · 1 min 1 s · Ctrl-C to stop>$/);
  tell(started({ ...command, status: 'in-progress' }));
  expect(seen()).toBe('$ npm test\n<Running npm test · 0 s · Ctrl-C to stop>');
  tell(completed({ ...command, status: 'failed', output: 'no\n', exitCode: 3, durationMs: 61_234 }));
  expect(seen()).toBe('  no\n  [exit 3 after 1 min 1 s]\n<Thinking · 0 s · Ctrl-C to stop>');
  tell({ kind: 'turn-aborted', turnId });
  expect(seen()).toBe('The turn was interrupted.\n');
  vi.advanceTimersByTime(10_000);
  expect(seen()).toBe('');
});

it('names hooks while they run, and what they changed', () => {
  const { tell, seen } = outputOf();
  const run = { id: 'r', key: 'k', command: './guard.sh', status: 'completed', durationMs: 3000 } as const;
  tell(begins, { kind: 'hook-started', turnId, event: 'PreToolUse', names: ['./guard.sh', './other.sh'] });
  seen();
  vi.advanceTimersByTime(3000);
  expect(seen()).toMatch(/<hook \.\/guard\.sh and 1 more · 3 s · Ctrl-C to stop>$/);
  const changes = [{ kind: 'change', text: 'echo changed' }] as const;
  tell({ kind: 'hook-completed', turnId, run: { ...run, event: 'PreToolUse', entries: changes } });
  expect(seen()).toMatch(/^hook \.\/guard\.sh changed the call to: echo changed\n<hook/);
  tell({ kind: 'hook-completed', turnId, run: { ...run, event: 'PreToolUse', entries: [] } });
  expect(seen()).toMatch(/^<Thinking/);
  const entries = [{ kind: 'feedback', text: 'Run the tests.\nAll of them.' }] as const;
  tell({ kind: 'hook-completed', turnId, run: { ...run, event: 'Stop', status: 'blocked', entries } });
  expect(seen()).toMatch(/^hook \.\/guard\.sh kept the turn going: Run the tests\.\n/);
});

it('counts down to the next attempt', () => {
  const { tell, seen } = outputOf();
  tell(begins, {
    kind: 'retrying',
    outcome: { code: 'overloaded', message: 'Busy.', next: '' },
    reason: 'Busy.',
    waitMs: 3000,
    attempt: 1,
    of: 5,
  });
  expect(seen()).toMatch(/Busy\.\n<Waiting 3 s before the next attempt · Ctrl-C to stop>$/);
  vi.advanceTimersByTime(2000);
  expect(seen()).toMatch(/<Waiting 1 s before the next attempt · Ctrl-C to stop>$/);
  vi.advanceTimersByTime(1200);
  expect(seen()).toMatch(/<Thinking · \d s · Ctrl-C to stop>$/);
});

it('names the stage of a compaction, also while one is tried again', () => {
  const { tell, seen } = outputOf();
  const compaction = { turnId, id: 'k' } as const;
  const stage = { ...compaction, kind: 'checkpoint-stage', stage: 2, of: 5 } as const;
  tell(begins);
  vi.advanceTimersByTime(4000);
  seen();
  tell(stage);
  expect(seen()).toBe('<Compacting the history, stage 2 of 5 · 4 s · Ctrl-C to stop>');
  tell({
    kind: 'retrying',
    outcome: { code: 'overloaded', message: 'Busy.', next: '' },
    reason: 'Busy.',
    waitMs: 2000,
    attempt: 1,
    of: 5,
  });
  expect(seen()).toBe('Busy.\n<Waiting 2 s before the next attempt · Ctrl-C to stop>');
  vi.advanceTimersByTime(3000);
  expect(seen()).toMatch(/<Compacting the history, stage 2 of 5 · 7 s · Ctrl-C to stop>$/);
});

it('says the first try, those after an answer had begun, and those that wait', () => {
  const { tell, seen } = outputOf();
  const tries = [{ beforeAnswer: true }, { beforeAnswer: true }, {}, { beforeAnswer: true, waitMs: 4000 }] as const;
  tell(begins, ...tries.map((more, at) => retry(at + 1, more)));
  expect(seen().match(/Busy \d/g)).toEqual(['Busy 1', 'Busy 3', 'Busy 4']);
});

function retry(attempt: number, more: object): ThreadEvent {
  const outcome = { code: 'overloaded', message: `Busy ${attempt}.`, next: '' };
  return { kind: 'retrying', outcome, reason: 'Busy.', waitMs: 100, attempt, of: 9, ...more };
}

it('says after an interrupt that it stops, and how it is stopped at once', () => {
  const { tell, seen, output } = outputOf();
  tell(begins);
  seen();
  output.interrupted();
  expect(seen()).toBe('<Stopping · Ctrl-C again to stop at once>');
  output.endedAtOnce();
  expect(seen()).toBe('Stopped at once, before the work was ended cleanly.\n');
});

it('shows an answer as it arrives, once', () => {
  const { tell, text, seen } = outputOf();
  text('m', 'Hel');
  expect(seen()).toBe('Hel');
  text('m', 'lo');
  tell(says('m', 'Hello.'));
  expect(seen()).toBe('lo.\n');
  tell(says('n', 'Not streamed.'));
  expect(seen()).toBe('Not streamed.\n');
});

it('shows a plan without its tags, whether or not the answer arrives in pieces', () => {
  const text = 'Here:\n<proposed_plan>\n1. Look.\n</proposed_plan>\nDone.';
  const { tell, text: arrives, seen } = outputOf();
  tell(begins);
  for (const piece of text) arrives('m', piece);
  tell(says('m', text));
  expect(seen().replaceAll(/<[^<>]*>/g, '')).toBe('Here:\n1. Look.\nDone.\n');
  const piped = outputOf({ live: false });
  piped.tell(begins, says('m', text));
  expect(piped.seen()).toBe('Here:\n1. Look.\nDone.\n');
});

it('shows the whole answer when it is not what arrived', () => {
  const { tell, text, seen } = outputOf();
  text('m', 'Help');
  tell(says('m', 'Hello.'));
  expect(seen()).toBe('Help\nHello.\n');
});

it('keeps an answer back until the thinking before it is said', () => {
  const { tell, text, thinks, seen } = outputOf();
  thinks('r', 'Hm');
  text('m', 'Yes');
  expect(seen()).toBe('');
  tell(completed({ kind: 'reasoning', id: 'r', summary: ['**Hm**'] }));
  expect(seen()).toBe('Hm\nYes');
  tell(says('m', 'Yes'));
  expect(seen()).toBe('\n');
});

it('marks an answer that was cut off', () => {
  const { tell, text, drop, seen } = outputOf();
  text('m', 'Hel');
  drop('m');
  text('n', 'Hello');
  tell(says('n', 'Hello'));
  expect(seen()).toBe('Hel\n[cut off]\nHello\n');
});

it('folds a long output on a terminal, and shows all of it otherwise', () => {
  const output = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n');
  const item = completed({ ...command, status: 'completed', output, exitCode: 0 });
  const shown = (options: { live?: boolean; verbose?: boolean }): string => {
    const { tell, seen } = outputOf(options);
    tell(item);
    return seen();
  };
  expect(shown({}).split('\n')).toHaveLength(23);
  expect(shown({})).toContain('  line 9\n  … 80 more lines (--verbose shows all)\n  line 90\n');
  expect(shown({ verbose: true })).toContain('line 50\n');
  const cut = completed({
    ...command,
    status: 'completed',
    output: output.replace('line 50\n', 'line 50\n... 1500000 bytes omitted ...\n'),
    exitCode: 0,
  });
  const { tell, seen } = outputOf();
  tell(cut);
  expect(seen()).toContain(
    '\n  … 80 more lines (--verbose shows them), and 1.5 MB that Capstan did not keep\n  line 90\n',
  );
  const counted = output.replace('line 50\n', 'line 50\n... 1500000 bytes in 9000 lines omitted ...\n');
  tell(completed({ ...command, status: 'completed', output: counted, exitCode: 0 }));
  expect(seen()).toContain('… 9,080 more lines (--verbose shows 80 of them), and 1.5 MB that Capstan did not keep\n');
  expect(shown({ live: false })).toContain('line 50\n');
});

it('says how a call ended that has no exit code, and why one was refused', () => {
  const { tell, seen } = outputOf();
  tell(completed({ ...command, status: 'failed', unfinished: 'timed-out', durationMs: 10_000 }));
  expect(seen()).toBe('  [timed out after 10 s]\n');
  tell(completed({ ...command, status: 'declined', output: 'No sandbox.' }));
  expect(seen()).toBe('  No sandbox.\n  [refused]\n');
  const refused = { kind: 'call-refused', turnId, callId: 'c' } as const;
  const notRun = 'Not run: you may not. Ask.';
  tell({ ...refused, tool: 'apply_patch', reason: 'invalid patch: no end' });
  expect(seen()).toBe('tool apply_patch\n  invalid patch: no end\n  [refused]\n');
  tell({
    ...refused,
    tool: 'exec_command',
    item: { ...command, argv: ['sh', '-c', 'rm -r x'], status: 'in-progress' },
    reason: notRun,
  });
  expect(seen()).toBe('$ rm -r x\n  Not run: you may not. Ask.\n  [refused]\n');
});

it('shows the beginning of a name that no tool has', () => {
  const { tell, seen } = outputOf();
  const name = 'n'.repeat(5_000_000);
  tell({ kind: 'call-refused', turnId, callId: 'c', tool: name, reason: unknownToolText(name, ['exec_command']) });
  const shown = (most: number) => `${'n'.repeat(most)}…`;
  const words = `tool ${shown(120)} There is no tool named "${shown(64)}". Tools: exec_command. [refused]`;
  // Rows are broken where the screen ends.
  expect(seen().replaceAll(/\s/g, '')).toBe(words.replaceAll(' ', ''));
});

it('shows a patch as a diff, and why it failed', () => {
  const change = { kind: 'update', path: '/a', diff: '@@\n-x\n+y' } as const;
  const { tell, seen } = outputOf();
  tell(completed({ kind: 'file-change', id: 'p', changes: [change], status: 'completed' }));
  expect(seen()).toBe('update /a\n  @@\n  -x\n  +y\n  [completed]\n');
  tell(completed({ kind: 'file-change', id: 'p', changes: [change], status: 'failed', problem: 'No x in /a.' }));
  expect(seen()).toBe('update /a\n  No x in /a.\n  [failed]\n');
});

it('names files in the folder of the turn without it', () => {
  const changes = [
    { kind: 'update', path: '/project/src/a.ts', movePath: '/project/b.ts' },
    { kind: 'add', path: '/elsewhere/project/c.ts' },
  ] as const;
  const item = { kind: 'file-change', id: 'p', changes, status: 'in-progress' } as const;
  const lines = paint(patchEndLines(item, { folded: true, interrupted: false, folder: '/project' }), false);
  expect(lines).toBe('update src/a.ts -> b.ts\nadd /elsewhere/project/c.ts\n  [in-progress]');
});

it('asks for no previews where nothing can be shown twice', () => {
  expect([outputOf().isLive, outputOf({ live: false }).isLive]).toEqual([true, false]);
});

it('says whose end it is when calls run side by side', () => {
  const { tell, seen } = outputOf({ live: false });
  const [first, second] = ['a', 'b'].map((id) => ({ ...command, id, argv: [`run ${id}`] }));
  tell(started({ ...first!, status: 'in-progress' }), started({ ...second!, status: 'in-progress' }));
  tell(
    completed({ ...second!, status: 'completed', exitCode: 0 }),
    completed({ ...first!, status: 'failed', exitCode: 4 }),
  );
  expect(seen()).toBe('$ run a\n$ run b\n  [exit 0]\n$ run a\n  [exit 4]\n');
});

it('names a call again at its end where a refused call, a patch or a plan stands between', () => {
  const { tell, seen } = outputOf({ live: false });
  const end = completed({ ...command, output: 'real', status: 'completed', exitCode: 0 });
  const between: readonly (readonly [ThreadEvent, string])[] = [
    [
      {
        kind: 'call-refused',
        turnId,
        callId: 'x',
        tool: 'exec_command',
        item: { ...command, argv: ['rm x'], status: 'in-progress' },
        reason: 'No.',
      },
      '$ rm x\n  No.\n  [refused]\n',
    ],
    [
      completed({ kind: 'file-change', id: 'p', changes: [{ kind: 'add', path: '/a' }], status: 'completed' }),
      'add /a\n  [completed]\n',
    ],
  ];
  for (const [event, shown] of between) {
    tell(started({ ...command, status: 'in-progress' }), event, end);
    expect(seen()).toBe(`$ npm test\n${shown}$ npm test\n  real\n  [exit 0]\n`);
  }
});

it('names calls that run side by side once in a log, with the mark of where they ran', () => {
  const { tell, seen } = outputOf({ live: false });
  const calls = ['a', 'b', 'c'].map((id) => ({ ...command, id, argv: [`run ${id}`] }));
  for (const call of calls) tell({ ...started({ ...call, status: 'in-progress' }), outside: true } as ThreadEvent);
  for (const call of calls) tell(completed({ ...call, status: 'completed', exitCode: 0 }));
  const mark = '\n  [runs outside the sandbox]';
  expect(seen()).toBe(`$ run a${mark}\n  [exit 0]\n$ run b${mark}\n  [exit 0]\n$ run c${mark}\n  [exit 0]\n`);
});

it('costs no more for each piece of a long answer than for the first', () => {
  const { tell, text, seen } = outputOf();
  const piece = 'hello wor ';
  for (let count = 0; count < 100_000; count++) text('m', piece);
  tell(says('m', piece.repeat(100_000)));
  // Blanks are line breaks where lines end, and the last one is.
  expect(seen()).toHaveLength(piece.length * 100_000);
});

it('a thread that waits says how to answer in the way of this run', () => {
  let written = '';
  const stream = { columns: 80, write: (text: string) => (written += text) };
  const run = { approvals: 'my answers.jsonl', limits: { tokens: '20000' } };
  const options = { live: false, verbose: false, resumable: true, ...run };
  const output = new PlainOutput(new StatusScreen({ stream, color: false, live: false }), options);
  const settings = { model: 'm', provider: 'openai', approvals: 'on-request', cwd: '/', sandbox: { type: 'disabled' } };
  output.start({ id: 'T', settings } as unknown as LiveThread);
  output.event({ kind: 'thread-started', threadId: 'T' as ThreadId });
  output.event({ kind: 'turn-suspended', turnId, questions: [] });
  output.event({ kind: 'turn-aborted', turnId });
  expect(written).toContain("To answer: capstan exec resume T --approvals 'my answers.jsonl'\n");
  expect(written).toContain(
    `To resume: capstan exec resume T --approvals 'my answers.jsonl' --max-tokens 20000 "Continue."\n`,
  );
});

describe('a failed turn names a command that works when it is pasted', () => {
  const failing = (code: string, run: Partial<PlainOptions>, ...before: readonly ThreadEvent[]) => {
    const refused = code === 'price-unknown' || code === 'prompt-too-long' ? { isRefused: true as const } : {};
    const { output, tell, seen } = outputOf({ live: false, resumable: true, ...run });
    const settings = {
      model: 'm',
      provider: 'openai',
      approvals: 'on-request',
      cwd: '/',
      sandbox: { type: 'disabled' },
    };
    output.start({ id: 'T', settings } as unknown as LiveThread);
    tell({ kind: 'thread-started', threadId: 'T' as ThreadId }, begins, ...before);
    seen();
    tell({ kind: 'turn-failed', turnId, outcome: { code, message: 'Failed.', next: '' }, ...refused });
    return seen().replace('Failed.\n', '');
  };
  const limits = { limits: { tokens: '100' } };
  const used = { kind: 'usage', turnId, total: noUsage } as unknown as ThreadEvent;

  it('none where the turn was refused: its thread has no file', () => {
    expect(failing('price-unknown', { limits: { cost: '1' } })).toBe('');
    expect(failing('prompt-too-long', {})).toBe('');
    expect(failing('server-error', {})).toBe('To resume: capstan exec resume T "Continue."\n');
  });

  it('none with a limit that stops it again', () => {
    expect(failing('spending-limit', limits)).toBe('To resume without the limit: capstan exec resume T "Continue."\n');
    expect(failing('spending-limit', limits, used)).toBe(
      'To resume: capstan exec resume T --max-tokens 100 "Continue."\n',
    );
    expect(failing('spending-limit', {}, used)).toBe('');
  });
});

describe('while a question is open', () => {
  const question: Question = { ...askedAbout, kind: 'command', scopes: ['call'] };
  const asks = (id = 'q'): ThreadEvent => ({ kind: 'question-asked', turnId, question: { ...question, id } });
  const answers = (id = 'q'): ThreadEvent => {
    return { kind: 'question-answered', turnId, id, callId: 'other', answer: { kind: 'allowed' } };
  };
  const ended = (id: string, text: string): ThreadEvent =>
    completed({ ...command, id, argv: ['sh', '-c', `make ${id}`], status: 'completed', exitCode: 0, output: text });

  it('what other calls print waits, and comes after the answer with the name of its command', () => {
    const { tell, output, seen } = outputOf({ live: false });
    tell(started({ ...command, id: 'a', argv: ['sh', '-c', 'make a'], status: 'in-progress' }), asks());
    output.show('May this command run?');
    tell(ended('a', 'May this command run?\n  $ ls'), {
      kind: 'warning',
      outcome: { code: 'w', message: 'W.', next: '' },
    });
    output.notice({ code: 'n', message: 'N.', next: '' });
    expect(seen()).toBe('$ make a\nMay this command run?\n');
    output.show('  yes, once');
    tell(answers());
    expect(seen()).toBe('  yes, once\n$ make a\n  May this command run?\n    $ ls\n  [exit 0]\nW.\nN.\n');
  });

  it('one that ends without an answer leaves a line where it stood', () => {
    const { tell, output, seen } = outputOf({ live: false });
    const host = { name: 'x.test', port: 80, protocol: 'http' } as const;
    tell({ kind: 'question-asked', turnId, question: { ...question, kind: 'network', host } });
    output.show('May this command connect?');
    const lapses = (id: string): ThreadEvent => ({ ...answers(id), answer: { kind: 'lapsed' } }) as ThreadEvent;
    tell(ended('a', ''), lapses('q'));
    expect(seen()).toBe('May this command connect?\n  no answer: the command ended\n$ make a\n  [exit 0]\n');
    tell(asks('two'), lapses('two'));
    expect(seen()).toBe('  no answer\n');
    tell(lapses('of another run'));
    expect(seen()).toBe('A question of an earlier run was left without an answer.\n');
  });

  it('a warning between a command and its end does not repeat the command, unless another one runs or questions are asked', () => {
    const { tell, seen } = outputOf({ live: false });
    const begins = (id: string): ThreadEvent =>
      started({ ...command, id, argv: ['sh', '-c', `make ${id}`], status: 'in-progress' });
    const warns: ThreadEvent = { kind: 'warning', outcome: { code: 'w', message: 'W.', next: '' } };
    tell(begins('a'), warns, ended('a', 'made'));
    expect(seen()).toBe('$ make a\nW.\n  made\n  [exit 0]\n');
    tell(begins('b'), begins('c'), warns, ended('c', ''), ended('b', ''));
    expect(seen()).toBe('$ make b\nW.\n$ make c\n  [exit 0]\n$ make b\n  [exit 0]\n');
    const asking = outputOf({ live: false, approvals: 'ask' });
    asking.tell(begins('a'), warns, ended('a', ''));
    expect(asking.seen()).toBe('$ make a\nW.\n$ make a\n  [exit 0]\n');
  });

  it('an answer as it arrives waits, too', () => {
    const { tell, text, seen } = outputOf({ live: true });
    tell(asks());
    seen();
    text('m', 'Yes, ');
    text('m', 'done.');
    expect(seen()).not.toContain('Yes');
    tell(answers(), says('m', 'Yes, done.'));
    expect(seen()).toContain('Yes, done.\n');
  });

  it('of two questions, what happened during the first stands above the second', () => {
    const { tell, seen } = outputOf({ live: false });
    tell(asks('one'), ended('a', ''), answers('one'));
    expect(seen()).toBe('$ make a\n  [exit 0]\n');
    tell(asks('two'), ended('b', ''));
    expect(seen()).toBe('');
    tell({ kind: 'turn-aborted', turnId });
    expect(seen()).toBe('$ make b\n  [exit 0]\nThe turn was interrupted.\n');
  });

  it('more than can be held is counted', () => {
    const { tell, seen } = outputOf({ live: false });
    tell(asks(), ...Array.from({ length: 320 }, (_, i) => ended(`c${i}`, '')), answers());
    expect(seen()).toMatch(/\$ make c299\n {2}\[exit 0\]\n20 more steps are not shown: too much happened while the/);
  });

  it('a reviewer, who reads no screen, holds nothing back', () => {
    const { tell, seen } = outputOf({ live: false });
    tell({ ...asks(), to: 'review' } as ThreadEvent, ended('a', ''));
    expect(seen()).toContain('[exit 0]');
  });

  it('names the host that a reviewer decided about', () => {
    const { tell, seen } = outputOf({ live: false });
    const host = { name: 'x.test', port: 80, protocol: 'http' } as const;
    const verdict = { risk: 'low', authorization: 'unknown' } as const;
    tell({ kind: 'question-asked', turnId, question: { ...question, kind: 'network', host }, to: 'review' });
    const answer = { kind: 'declined', by: 'review', verdict } as const;
    tell({ kind: 'question-answered', turnId, id: 'q', callId: 'other', answer });
    expect(seen()).toBe('reviewer: declined x.test:80 (risk low, authorization unknown)\n');
  });
});
