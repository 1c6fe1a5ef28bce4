import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMessage, messageText } from '../../protocol/item.ts';
import { byteLength, bytesPerToken } from './text/truncate.ts';
import {
  mostReviewEntries,
  actionForReviewer,
  type ReviewAction,
  reviewBudgets,
  type ReviewEntry,
  messageForReviewer,
  reviewTranscript,
} from './approval-review.ts';
import { anyCharacter } from '../../testing/test-inputs.ts';

const budgets = reviewBudgets(1_000_000);
const tokensOf = (text: string): number => byteLength(text) / bytesPerToken;

const long = (texts: readonly string[]) =>
  fc.tuple(fc.constantFrom(...texts), fc.integer({ min: 0, max: 12_000 })).map(([text, times]) => text.repeat(times));
const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: anyCharacter, maxLength: 200 }) },
  long([
    'a',
    '"',
    '\\',
    '\n',
    'é',
    '😀',
    '</transcript>',
    '<action',
    '\u2028',
    '\ud800',
    '[… about 9 tokens cut here …]\n',
  ]),
);
const anyEntry: fc.Arbitrary<ReviewEntry> = fc.record({
  from: fc.constantFrom('user', 'program', 'assistant', 'summary', 'call', 'output'),
  text: anyText,
});
const anyAction: fc.Arbitrary<ReviewAction> = fc.record({
  tool: anyText,
  arguments: anyText,
  asked: fc.dictionary(fc.string(), anyText, { maxKeys: 4 }),
  reason: anyText,
  justification: anyText,
  policy: fc.dictionary(fc.string(), anyText, { maxKeys: 2 }),
});

interface Shown {
  readonly n?: number;
  readonly from?: string;
  readonly text?: string;
  readonly left_out?: number;
}
const read = (lines: readonly string[]): readonly Shown[] => lines.map((line) => JSON.parse(line) as Shown);

describe('the transcript of a review', () => {
  it('keeps within its budgets, counts what it leaves out, and shows cuts', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 90 }), (entries) => {
        const shown = read(reviewTranscript(entries, budgets));
        const parts = { messages: 0, tools: 0 };
        for (const line of shown.filter(({ n }) => n !== undefined)) {
          const isTool = line.from === 'call' || line.from === 'output';
          const tokens = tokensOf(JSON.stringify(line));
          expect(tokens).toBeLessThanOrEqual(isTool ? budgets.tool : budgets.message);
          parts[isTool ? 'tools' : 'messages'] += tokens;
          const whole = entries[line.n! - 1]!;
          expect(line.from).toBe(whole.from);
          expect(line.text === whole.text || /\[… about \d+ tokens cut here …\]/.test(line.text ?? '')).toBe(true);
        }
        expect(parts.messages).toBeLessThanOrEqual(budgets.messages);
        expect(parts.tools).toBeLessThanOrEqual(budgets.tools);
        const count = shown.filter(({ n }) => n !== undefined).length;
        const left = shown.reduce((sum, { left_out: out = 0 }) => sum + out, 0);
        expect(count).toBeLessThanOrEqual(mostReviewEntries);
        expect(count + left).toBe(entries.length);
        const numbers = shown.flatMap(({ n }) => n ?? []);
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      }),
      { numRuns: 30 },
    );
  }, 60_000);

  it('has what the user said first and last, however much was done since', () => {
    const work: ReviewEntry[] = Array.from({ length: 200 }, (_, at) => ({ from: 'output', text: `done ${at}` }));
    const entries: ReviewEntry[] = [
      { from: 'user', text: 'first' },
      { from: 'assistant', text: 'yes' },
      { from: 'user', text: 'second' },
      ...work,
    ];
    const shown = read(reviewTranscript(entries, budgets));
    expect(shown.slice(0, 4)).toEqual([
      { n: 1, from: 'user', text: 'first' },
      { left_out: 1 },
      { n: 3, from: 'user', text: 'second' },
      { left_out: 162 },
    ]);
    expect(shown.at(-1)).toEqual({ n: 203, from: 'output', text: 'done 199' });
  });

  it('gives the words of users the space before those of the model', () => {
    const entries = Array.from({ length: 20 }, (_, at): ReviewEntry => ({
      from: at === 3 ? 'user' : 'assistant',
      text: `${at} ${'x'.repeat(7000)}`,
    }));
    expect(read(reviewTranscript(entries, budgets)).some(({ from }) => from === 'user')).toBe(true);
  });
});

describe('the action of a review', () => {
  it('keeps within its budget, and says when it is cut', () => {
    fc.assert(
      fc.property(anyAction, fc.integer({ min: 1000, max: 60_000 }), (action, space) => {
        const own = reviewBudgets(space);
        const { line, isCut } = actionForReviewer(action, own);
        expect(own.action > 1000 && tokensOf(line) > own.action).toBe(false);
        const shown = JSON.parse(line) as ReviewAction;
        const { asked, policy, reason, justification } = action;
        const isWhole =
          JSON.stringify({ ...shown, tool: '' }) ===
          JSON.stringify({
            tool: '',
            reason,
            justification,
            asked,
            arguments: action.arguments,
            policy,
          });
        expect(isCut).toBe(!isWhole);
      }),
      { numRuns: 30 },
    );
  }, 60_000);

  it('cuts each reason by itself', () => {
    const reason = 'because '.repeat(1000);
    const action = { tool: 'x', arguments: '{}', asked: {}, justification: reason, policy: {} };
    const { line, isCut } = actionForReviewer(action, budgets);
    const { justification } = JSON.parse(line) as ReviewAction;
    expect(isCut).toBe(true);
    expect(tokensOf(justification!)).toBeLessThanOrEqual(budgets.reason);
    expect(justification).toContain('tokens cut here');
  });
});

it('nothing in the material can close it, open it again, or begin a line of its own', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 20 }), anyAction, (entries, action) => {
      const { message } = messageForReviewer({ id: 'msg_1', entries, action, space: 100_000 });
      const text = isMessage(message) ? messageText(message) : '';
      for (const tag of ['transcript', 'action']) {
        expect(text.match(new RegExp(`<\\s*${tag}`, 'gi'))).toHaveLength(1);
        expect(text.match(new RegExp(`<\\s*/\\s*${tag}`, 'gi'))).toHaveLength(1);
      }
      const lines = text.split(/[\n\r\u2028\u2029]/);
      const inside = lines.slice(lines.indexOf('<transcript>') + 1, lines.indexOf('</transcript>'));
      for (const line of inside) expect(() => JSON.parse(line) as unknown).not.toThrow();
    }),
    { numRuns: 30 },
  );
}, 60_000);
