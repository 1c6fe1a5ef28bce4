import { describe, expect, it } from 'vitest';
import { declinedByUserText, outcomeUnknownText, stoppedByUserText, unknownToolText } from './tool-calls.ts';
import { refusedByReviewText, reviewFailedText } from './refusals.ts';

describe('a call that did not run', () => {
  it("marks what the user said as the user's words", () => {
    expect(declinedByUserText('Not today.')).toBe('Not run: the user declined it. The user says: Not today.');
    expect(stoppedByUserText('Enough.')).toMatch(/stopped the turn\. The user says: Enough\.$/);
  });
});

it('a call that waited for an answer while it ran says about what', () => {
  const about = { waitedFor: ['whether it may connect to a.test:443'] };
  expect(outcomeUnknownText('gone', about)).toContain(
    "while this call was under way. It waited for the user's answer whether it may connect to a.test:443, and got none. It may",
  );
  expect(outcomeUnknownText('gone')).not.toContain('waited');
});

describe('a review', () => {
  it('that failed says once to tell the user', () => {
    const text = refusedByReviewText({ kind: 'declined', by: 'review', note: reviewFailedText('no answer') });
    expect(text.match(/tell the user/gi)).toHaveLength(1);
  });
});

describe('a tool that does not exist', () => {
  const many = Array.from({ length: 200 }, (_, index) => `mcp__server_${index % 7}__do_something_long_number_${index}`);
  const known = ['exec_command', 'write_stdin', 'update_plan', 'apply_patch', 'mcp__fs__read_file', ...many];

  it.each([
    ['exec_comand', 'exec_command'],
    ['read_file', 'mcp__fs__read_file'],
    ['mcp__files__read_file', 'mcp__fs__read_file'],
    ['Update_Plan', 'update_plan'],
  ])('%s is answered with the nearest names', (name, nearest) => {
    const text = unknownToolText(name, known);
    expect(text).toMatch(new RegExp(`^There is no tool named "${name}"\\. The nearest of 205 tools: ${nearest}, `));
    expect(text.split(', ')).toHaveLength(5);
  });

  it('the answer is short, however many and long the names are', () => {
    for (const name of ['x', '\u0001'.repeat(5000), 'y'.repeat(1_000_000)])
      expect(Buffer.byteLength(unknownToolText(name, [...many, 'z'.repeat(5000)]))).toBeLessThan(900);
    expect(unknownToolText('x', ['a', 'b'])).toBe('There is no tool named "x". Tools: a, b.');
    expect(unknownToolText('x', [])).toBe('There is no tool named "x". No tools are offered.');
  });
});
