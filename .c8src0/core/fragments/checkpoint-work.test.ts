import { expect, test } from 'vitest';
import { checkpointRecordsFragment } from './checkpoint-work.ts';
import { renderFragment } from './text/define-fragment.ts';

/** The lines of a plan of forty steps whose step in progress is the one at this place. */
function listed(current: number, tokens: number): readonly string[] {
  const plan = Array.from({ length: 40 }, (_, at) => ({
    text: `Step ${at}`,
    status: at < current ? ('completed' as const) : at === current ? ('in-progress' as const) : ('pending' as const),
  }));
  const { text } = renderFragment(checkpointRecordsFragment, { plan, files: [], tokens });
  return text.split('\n').filter((line) => /^[-…]/.test(line));
}

test.each([0, 1, 20, 38, 39])('in a long plan the step in progress (%d) is listed, whatever is left out', (current) => {
  const lines = listed(current, 40);
  expect(lines.filter((line) => line.includes('[in progress]'))).toEqual([`- [in progress] Step ${current}`]);
  const missing = lines.reduce((sum, line) => sum + Number(/… and (\d+)/.exec(line)?.[1] ?? 0), 0);
  expect(missing + lines.filter((line) => line.startsWith('- ')).length).toBe(40);
});

test('a plan that fits is listed as it is', () => {
  expect(listed(20, 4000)).toHaveLength(40);
});
