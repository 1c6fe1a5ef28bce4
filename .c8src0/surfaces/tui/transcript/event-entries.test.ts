import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { CommandItem } from '../../../protocol/turn-item.ts';
import { noUsage } from '../../../protocol/usage.ts';
import type { Look } from '../screen/text/look.ts';
import { EventEntries } from './event-entries.ts';
import { Transcript } from './transcript.ts';

const turnId = 'turn-1' as TurnId;
const plain = defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
const look: Look = { ...plain, width: 100, details: 'folded', now: 0 };

const command = (id: string, script: string, rest: Partial<CommandItem>): CommandItem => ({
  kind: 'command',
  id,
  argv: ['bash', '-lc', script],
  cwd: '/w',
  status: 'completed',
  output: '',
  ...rest,
});
const begun = (id: string, script: string): ThreadEvent => ({
  kind: 'item-started',
  turnId,
  item: command(id, script, { status: 'in-progress' }),
});
const ended = (id: string, script: string, exitCode = 0): ThreadEvent => ({
  kind: 'item-completed',
  turnId,
  item: command(id, script, { status: exitCode === 0 ? 'completed' : 'failed', exitCode, output: `of ${id}` }),
});
const over: ThreadEvent = { kind: 'turn-completed', turnId, usage: noUsage };

function thread() {
  const transcript = new Transcript();
  const entries = new EventEntries(transcript, () => true);
  return {
    entries,
    transcript,
    after(...events: readonly ThreadEvent[]) {
      for (const event of events) entries.event(event, undefined);
      return transcript.entries.map(({ cell, isFinal }) => `${isFinal ? '' : 'live: '}${cell.rows(look).join(' / ')}`);
    },
  };
}

describe('a call that did not run', () => {
  const question = { id: 'q', callId: 'a', kind: 'command', argv: ['bash', '-lc', 'make'] } as unknown as Question;
  const asked: ThreadEvent = { kind: 'question-asked', turnId, question };
  const answered = (answer: Answer): ThreadEvent => ({
    kind: 'question-answered',
    turnId,
    id: 'q',
    callId: 'a',
    answer,
  });
  const refused: ThreadEvent = { kind: 'call-refused', turnId, callId: 'a', tool: 'exec_command', reason: 'Why.' };

  it.each<Answer>([
    { kind: 'declined' },
    { kind: 'declined', note: 'Not today.' },
    { kind: 'declined', by: 'hook' },
    { kind: 'declined', by: 'review' },
    { kind: 'stopped' },
  ])('is shown once where it was declined: %o', (answer) => {
    expect(thread().after(asked, answered(answer), refused)).toHaveLength(1);
  });

  it('has a cell with the reason where the answer does not say it', () => {
    for (const kind of ['allowed', 'lapsed'] as const) {
      const cells = thread().after(asked, answered({ kind }), refused);
      expect(cells).toHaveLength(2);
      expect(cells[1]).toMatch(/^✗ Not run: make .*Why\./);
    }
    expect(thread().after(refused)).toEqual([expect.stringMatching(/^✗ Not run: exec_command .*Why\./)]);
    const call = { kind: 'tool-call', id: 'a', server: 'notes', tool: 'add', arguments: {}, status: 'failed' } as const;
    expect(thread().after({ ...refused, tool: 'mcp__notes__add', item: call })).toEqual([
      expect.stringMatching(/^✗ Not run: notes\.add .*Why\./),
    ]);
    // An answer counts for its turn: the call of another one may have the same id.
    expect(
      thread()
        .after(asked, answered({ kind: 'declined' }), over, refused)
        .at(-1),
    ).toMatch(/Not run/);
  });
});

describe('an answer that does not come to its end', () => {
  const text = (itemId: string, said: string) =>
    ({ provisional: true, kind: 'text', turnId, itemId, text: said }) as const;
  const dropped = (itemId: string) => ({ provisional: true, kind: 'dropped', turnId, itemId }) as const;
  const aborted: ThreadEvent = { kind: 'turn-aborted', turnId, usage: noUsage };
  const outcome = { code: 'stream-cut', message: 'Cut.', next: '' };

  it('stays when the user interrupts the turn, and the notice says that it is not finished', () => {
    for (const isDropped of [true, false]) {
      const { entries, after } = thread();
      entries.preview(text('m', 'Half an ans'));
      if (isDropped) entries.preview(dropped('m'));
      expect(after(aborted)).toEqual([
        '• Half an ans',
        expect.stringMatching(/interrupted\. The answer above is not finished\./),
      ]);
    }
    expect(thread().after(aborted)[0]).not.toContain('not finished');
  });

  it('goes when the model is asked again, or the turn fails', () => {
    for (const next of [{ kind: 'turn-failed', turnId, outcome } as const, over]) {
      const { entries, after } = thread();
      entries.preview(text('m', 'Half an ans'));
      entries.preview(dropped('m'));
      expect(after(next).join('\n')).not.toContain('Half');
    }
    const { entries, after } = thread();
    entries.preview(text('m', 'Half an ans'));
    entries.preview(dropped('m'));
    expect(after()).toEqual(['live: • Half an ans']);
    expect(after({ kind: 'retrying', outcome, reason: 'Cut.', waitMs: 1, attempt: 1, of: 2 })).toEqual([]);
    entries.preview(text('n', 'Another'));
    entries.preview(dropped('n'));
    entries.preview(text('o', 'A third'));
    expect(after().at(-1)).toBe('live: • A third');
    expect(after().join('\n')).not.toContain('Another');
  });
});

describe('events that come in an unusual order', () => {
  it('an end without a beginning has a cell of its own, and ends nothing else', () => {
    const { after } = thread();
    expect(after(begun('a', 'make'), ended('b', 'npm test'))).toEqual([
      expect.stringMatching(/^live: • Running make/),
      expect.stringMatching(/^• Ran npm test/),
    ]);
    // In the order in which they ended.
    expect(after(ended('a', 'make'))).toEqual([
      expect.stringMatching(/^• Ran npm test/),
      expect.stringMatching(/^• Ran make/),
    ]);
  });

  it('reads that overlap share a cell, which is live until the last has ended', () => {
    const { after } = thread();
    after(begun('a', 'cat one'), begun('b', 'cat two'), ended('b', 'cat two'), begun('c', 'make'));
    expect(after()).toEqual([
      expect.stringMatching(/^live: • Exploring .*Read two, one/),
      expect.stringMatching(/^live: • Running make/),
    ]);
    expect(after(ended('a', 'cat one'), ended('c', 'make'))).toEqual([
      expect.stringMatching(/^• Explored .*Read two, one/),
      expect.stringMatching(/^• Ran make/),
    ]);
  });

  it('a read that fails leaves its group and stands alone', () => {
    const { after } = thread();
    const cells = after(
      begun('a', 'cat one'),
      begun('b', 'cat two'),
      ended('a', 'cat one'),
      ended('b', 'cat two', 1),
      begun('c', 'cat three'),
      ended('c', 'cat three'),
      over,
    );
    expect(cells.slice(0, 3)).toEqual([
      '• Explored /   └ Read one',
      expect.stringMatching(/^✗ .*cat two.*of b/),
      '• Explored /   └ Read three',
    ]);
  });

  it('any number of reads is one cell, and each has its name in it', () => {
    const { after } = thread();
    const names = Array.from({ length: 60 }, (_, at) => `file${at}`);
    const cells = after(...names.flatMap((name) => [begun(name, `cat ${name}`), ended(name, `cat ${name}`)]), over);
    expect(cells[0]?.match(/file\d+/g)).toEqual(names);
    expect(cells.filter((cell) => cell.includes('Explored'))).toHaveLength(1);
  });

  it('a turn that cannot record its end leaves nothing that seems to run', () => {
    const { after, entries } = thread();
    after(begun('a', 'make'), begun('b', 'cat one'));
    entries.preview({ kind: 'output', itemId: 'a', text: 'half' } as Parameters<typeof entries.preview>[0]);
    entries.broken();
    expect(after()).toEqual([
      expect.stringMatching(/^✗ Interrupted: make .*half/),
      expect.stringMatching(/^• Explor.*Read one/),
    ]);
  });

  it('hooks that have not ended when the turn does are not shown as running any more', () => {
    const { after, entries } = thread();
    entries.event({ kind: 'hook-started', turnId, event: 'PreToolUse', names: ['check'] }, -1000);
    expect(after()).toEqual(['live: • Running PreToolUse hook: check']);
    expect(after(over).join('\n')).not.toContain('hook');
  });

  it('what a command prints after the turn has ended changes nothing; its end has a cell', () => {
    const { after, entries } = thread();
    const before = after(begun('a', 'make'), over);
    expect(before.every((cell) => !cell.startsWith('live'))).toBe(true);
    entries.preview({ kind: 'output', itemId: 'a', text: 'late' } as Parameters<typeof entries.preview>[0]);
    expect(after()).toEqual(before);
    expect(after(ended('a', 'make')).at(-1)).toMatch(/^• Ran make .*of a/);
  });
});

describe('calls that run side by side', () => {
  const reads = ['cat one', 'ls two', 'rg three four'];
  const usage = { kind: 'usage', turnId } as unknown as ThreadEvent;

  it('those that look around share a cell, whatever runs or fails beside them', () => {
    const { after } = thread();
    after(begun('a', 'cat one'), begun('b', 'make'), begun('c', 'ls two'), begun('d', 'cat three'), usage);
    expect(after().filter((cell) => cell.includes('Explor'))).toHaveLength(1);
    expect(after(ended('d', 'cat three', 1), ended('a', 'cat one'), ended('b', 'make'), ended('c', 'ls two'))).toEqual([
      expect.stringMatching(/^✗ .*cat three/),
      expect.stringMatching(/^• Ran make/),
      'live: • Explored /   └ Read one /     List two',
    ]);
    expect(after(begun('e', 'cat five'), usage, ended('e', 'cat five'), over).slice(0, 3)).toEqual([
      expect.stringMatching(/^✗ .*cat three/),
      expect.stringMatching(/^• Ran make/),
      '• Explored /   └ Read one /     List two /     Read five',
    ]);
  });

  it('leave what was looked at before where it is, if something else ended between', () => {
    const { after } = thread();
    after(begun('a', 'cat one'), usage, ended('a', 'cat one'));
    after(begun('b', 'cat two'), begun('c', 'make'), begun('d', 'ls three'), usage);
    expect(after(ended('b', 'cat two'), ended('c', 'make'), ended('d', 'ls three'), over).slice(0, 3)).toEqual([
      '• Explored /   └ Read one',
      expect.stringMatching(/^• Ran make/),
      '• Explored /   └ Read two /     List three',
    ]);
  });

  it('thoughts between looks around leave them one cell, and stand where they were thought', () => {
    const { after, transcript } = thread();
    const thought = (id: string): ThreadEvent => ({
      kind: 'item-completed',
      turnId,
      item: { kind: 'reasoning', id, summary: [`thought ${id}`] },
    });
    after(thought('r1'), begun('a', 'cat one'), usage, ended('a', 'cat one'));
    after(thought('r2'), begun('b', 'cat two'), usage, ended('b', 'cat two'), over);
    expect(after().filter((cell) => cell !== '')).toEqual(['• Explored /   └ Read one, two', expect.any(String)]);
    const whole = transcript.entries.flatMap(({ cell }) => cell.rows({ ...look, details: 'whole' })).join('\n');
    expect(whole).toMatch(/thought r1[^]*cat one[^]*thought r2[^]*cat two/);
  });

  it('stand on the screen as a file has them: with all that ended between two answers of the model', () => {
    const call = fc.record({ script: fc.constantFrom(...reads, 'make', 'npm test'), fails: fc.boolean() });
    const batch = fc.array(call, { minLength: 1, maxLength: 5 }).chain((calls) =>
      fc.record({
        calls: fc.constant(calls),
        order: fc.shuffledSubarray([...calls.keys()], { minLength: calls.length }),
      }),
    );
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 4 }), fc.infiniteStream(fc.boolean()), (batches, draws) => {
        const printed = (isLive: boolean): string => {
          const { after, transcript } = thread();
          const rows: string[] = [];
          const draw = (): void => void (isLive && draws.next().value && rows.push(...transcript.takeFinished(look)));
          for (const [at, { calls, order }] of batches.entries()) {
            if (isLive)
              for (const [nth, { script }] of calls.entries()) {
                after(begun(`${at}.${nth}`, script));
                draw();
              }
            after(usage);
            for (const nth of order) {
              after(ended(`${at}.${nth}`, calls[nth]!.script, calls[nth]!.fails ? 1 : 0));
              draw();
            }
          }
          after(over);
          return [...rows, ...transcript.takeFinished(look)].join('\n');
        };
        expect(printed(true)).toBe(printed(false));
      }),
      { numRuns: 300 * inject('runFactor') },
    );
  });
});

describe('how long a turn took', () => {
  const started: ThreadEvent = { kind: 'turn-started', turnId, usage: noUsage };
  const done: ThreadEvent = { ...over, lastMessage: 'Done.' } as ThreadEvent;
  const outcome = { code: 'quota', message: 'No quota.', next: '' };
  const shown = (...events: readonly (readonly [ThreadEvent, number])[]) => {
    const transcript = new Transcript();
    const entries = new EventEntries(transcript, () => true);
    for (const [event, seconds] of events) entries.event(event, seconds * 1000);
    return transcript.entries.flatMap(
      ({ cell }) =>
        cell
          .rows(look)
          .join('\n')
          .match(/Worked for \S+/) ?? [],
    );
  };

  it('begins with its own start, also after a turn without an end', () => {
    expect(shown([started, 0], [started, 60_000], [done, 60_005])).toEqual(['Worked for 5s']);
  });

  it('begins with the turn that another model continues', () => {
    const passedOn: ThreadEvent = { kind: 'turn-failed', turnId, outcome, continuedBy: 'other' };
    expect(shown([started, 0], [passedOn, 10], [started, 10], [done, 15])).toEqual(['Worked for 15s']);
  });

  it('is not known of a turn that a later process ended', () => {
    const usage = { ...noUsage, total: 500, input: 500, cost: { nanoUsd: 5_000_000, unpriced: 0 } };
    const aborted = (more: object): ThreadEvent => ({ kind: 'turn-aborted', turnId, usage, ...more });
    expect(shown([started, 0], [aborted({}), 20])).toEqual(['Worked for 20s']);
    expect(shown([started, 0], [aborted({ leftOpen: true }), 90])).toEqual([]);
  });
});
