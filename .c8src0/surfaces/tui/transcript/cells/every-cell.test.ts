import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import type { CodeReview } from '../../../../protocol/thread-event.ts';
import type { TurnId } from '../../../../protocol/ids.ts';
import type { Question } from '../../../../protocol/question.ts';
import type { CommandItem, TurnItem } from '../../../../protocol/turn-item.ts';
import { countColumns } from '../../../../base/text-columns.ts';
import type { Look } from '../../screen/text/look.ts';
import { themes } from '../../screen/text/themes.ts';
import { eventCell, itemCell } from './item-and-event-cells.ts';
import type { Cell } from './cell.ts';
import { noticeCell } from './notice-cells.ts';
import { reviewCell, reviewStartCell } from './review-cells.ts';
import { anyCharacter } from '../../../../testing/test-inputs.ts';

const look: Look = {
  width: 60,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/home/ada/engine',
  home: '/home/ada',
};
const turnId = 'turn-1' as TurnId;

const command = (script: string, rest: Partial<CommandItem> = {}): CommandItem => ({
  kind: 'command',
  id: 'c',
  argv: ['bash', '-lc', script],
  cwd: '/home/ada/engine',
  status: 'completed',
  output: '',
  exitCode: 0,
  ...rest,
});

/** Every cell with the same text in all of its places. */
function cellsWith(text: string, number: number): readonly Cell[] {
  const question = {
    id: 'q',
    callId: 'c',
    turnId,
    tool: text,
    item: {},
    kind: 'command',
    argv: [text],
    justification: text,
    scopes: ['call'],
  } satisfies Question;
  const outcome = { code: 'x', message: text, next: text };
  const call = {
    kind: 'tool-call',
    id: 'c',
    arguments: { [text]: text, message: text, name: text, target: text, chars: text, path: text },
    output: text,
  } as const;
  const items: readonly TurnItem[] = [
    { kind: 'user-message', id: 'i', text, images: [text] },
    { kind: 'agent-message', id: 'i', text },
    { kind: 'agent-message', id: 'i', text: `a\n<proposed_plan>\n${text}\n</proposed_plan>`, plan: text },
    { kind: 'reasoning', id: 'i', summary: [text, text] },
    { kind: 'web-search', id: 'i', query: text },
    { kind: 'image-view', id: 'i', path: text, problem: text },
    { kind: 'image-generation', id: 'i', status: 'failed', prompt: text, path: text, problem: text },
    {
      kind: 'plan',
      id: 'i',
      steps: (['completed', 'in-progress', 'pending'] as const).map((status) => ({ text, status })),
    },
    ...(['in-progress', 'completed', 'failed', 'declined'] as const).map((status) =>
      command(text, { status, output: text.repeat(number), durationMs: number }),
    ),
    { ...command(text), argv: [text, text], exitCode: 3 },
    ...(['completed', 'failed'] as const).map((status): TurnItem => ({
      kind: 'file-change',
      id: 'i',
      status,
      problem: text,
      changes: [
        {
          path: text,
          kind: 'update',
          movePath: text,
          diff: `@@ -1,2 +${number},3 @@ ${text}\n+${text}\n-${text}\n ${text}`,
        },
        { path: `${text}.ts`, kind: 'add', diff: `+${text}` },
      ],
    })),
    ...(['in-progress', 'completed', 'failed'] as const).flatMap((status) => [
      { ...call, tool: text, server: text, status },
      { ...call, tool: 'spawn_agent', status },
      { ...call, tool: 'wait_agent', status, output: JSON.stringify({ status: { [text]: text } }) },
      { ...call, tool: 'write_stdin', status },
      {
        ...call,
        tool: 'request_user_input',
        status,
        arguments: {
          questions: [
            { id: 'a', header: 'h', question: `q${text}`, options: [{ label: `o${text}`, description: text }] },
          ],
        },
        output: JSON.stringify({ answers: { a: { answers: [text] } } }),
      },
    ]),
    { kind: text, id: 'i', text } as unknown as TurnItem,
  ];
  const review: CodeReview = {
    findings: [{ title: text, body: text, priority: 1, place: { path: text, from: 1, to: number } }],
    correctness: text,
    explanation: text,
  };
  const events = [
    eventCell({ kind: 'warning', outcome }),
    eventCell({ kind: 'retrying', outcome, reason: outcome.message, waitMs: number * 1000, attempt: 1, of: 3 }),
    eventCell({ kind: 'turn-failed', turnId, outcome }),
    eventCell({ kind: 'call-refused', turnId, callId: 'c', tool: text, reason: text }),
    eventCell({ kind: 'model-switched', turnId, from: text, to: text, changes: [{ field: text, from: text }] }),
    eventCell(
      { kind: 'question-answered', turnId, id: 'q', callId: 'c', answer: { kind: 'declined', note: text } },
      { question },
    ),
    eventCell({
      kind: 'hook-completed',
      turnId,
      run: {
        id: 'h',
        key: 'k',
        event: 'Stop',
        command: text,
        status: 'failed',
        durationMs: 1,
        entries: [
          { kind: 'error', text },
          { kind: 'context', text },
        ],
      },
    }),
    eventCell({
      kind: 'context',
      turnId,
      itemId: 'i',
      content: 'subagent_notification',
      cause: 'event',
      text,
      value: { agentPath: text, status: { kind: 'completed', answer: text } },
    }),
  ].filter((cell) => cell !== undefined);
  return [
    ...items.map((item) => itemCell(item)),
    ...events,
    noticeCell('info', outcome),
    reviewCell(review),
    reviewStartCell({ kind: 'words', words: text }),
  ];
}

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\u001B[31m',
        '\u001B]0;x\u0007',
        '\u001B[2J',
        '\u009B1A',
        '\r',
        '\n',
        '\t',
        '\b',
        '\u202E',
        '\u0000',
        'word ',
        '漢字',
        '👩‍👩‍👧',
        'e\u0301',
        '- ',
        '| a | b |\n|-|-|\n',
        '```\n',
        '**',
        'Error: ',
      ),
      fc.string({ unit: anyCharacter, maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const asciiText = fc.string({ maxLength: 60 }).map((text) => text.replaceAll(/[^\n -~]/g, ' '));
const anyLook = fc.record({
  width: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 13, max: 300 }), fc.constantFrom(20, 300)),
  details: fc.constantFrom('folded' as const, 'whole' as const),
  glyphs: fc.constantFrom('unicode' as const, 'ascii' as const, 'words' as const),
  colours: fc.constantFrom('none' as const, 'sixteen' as const, '256' as const, 'true' as const),
  palette: fc.constantFrom(...(Object.keys(themes) as (keyof typeof themes)[])),
});

function isFine(row: string, { width, colours }: Pick<Look, 'width' | 'colours'>): boolean {
  const bare = row.replaceAll(/\u001B\[[\d;]*m/g, '');
  const hasControls = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(bare);
  // The last sequence of a row is a reset.
  const isOpen = /\u001B\[(?!0m)[\d;]*m[^\u001B]*$/.test(row);
  return !hasControls && !isOpen && countColumns(bare) <= width && (colours !== 'none' || row === bare);
}

describe('every cell', () => {
  it('has rows that fit and hold nothing but text and colours, whatever comes', () => {
    fc.assert(
      fc.property(hostile, fc.nat(40), anyLook, (text, number, some) => {
        const rows = cellsWith(text, number).flatMap((cell) => cell.rows({ ...look, ...some }));
        expect(rows.filter((row) => !isFine(row, some))).toEqual([]);
      }),
      { numRuns: 60 * inject('runFactor') },
    );
  });

  it('prints ASCII alone in that mode, if what came was', () => {
    fc.assert(
      fc.property(asciiText, fc.nat(40), anyLook, (text, number, some) => {
        for (const cell of cellsWith(text, number)) {
          for (const glyphs of ['ascii', 'words'] as const)
            expect(cell.rows({ ...look, ...some, glyphs, colours: 'none' }).join('\n')).toMatch(/^[\n -~]*$/);
        }
      }),
      { numRuns: 60 * inject('runFactor') },
    );
  });
});
