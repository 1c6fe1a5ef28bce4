import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import type { ProvisionalEvent, ThreadEvent } from '../../../protocol/thread-event.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { answerCell } from './cells/answer-cells.ts';
import type { Look } from '../screen/text/look.ts';
import { EventEntries } from './event-entries.ts';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import { Transcript } from './transcript.ts';

const look: Look = {
  ...defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' }),
  width: 40,
  now: 0,
  details: 'folded',
};
const turnId = 't' as TurnId;

/** Every word is another one, so that what is lost or shown twice is seen. */
const block = fc.constantFrom('para', 'list', 'loose', 'quote', 'code', 'table');
const text = fc.array(block, { minLength: 1, maxLength: 8 }).map((kinds) => {
  let count = 0;
  const words = (most: number): string => Array.from({ length: most }, () => `w${++count}x`).join(' ');
  const made = {
    para: () => words(12),
    list: () => `- ${words(4)}\n- ${words(9)}\n  - ${words(3)}`,
    loose: () => `- ${words(3)}\n\n- ${words(3)}`,
    quote: () => `> ${words(5)}\n> ${words(2)}`,
    code: () => `\`\`\`\n${words(1)}\n${words(1)}\n\`\`\``,
    table: () => `| ${words(1)} | ${words(1)} |\n|---|---|\n| ${words(1)} | ${words(3)} |`,
  };
  return kinds.map((kind) => made[kind]()).join('\n\n');
});
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('delta' as const), size: fc.integer({ min: 1, max: 60 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('draw' as const), size: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resize' as const), size: fc.integer({ min: 12, max: 100 }) }) },
);

/** In one order: columns of a narrow table stand below each other. */
function wordsIn(rows: readonly string[]): readonly string[] {
  return (rows.join('\n').match(/w\d+x/g) ?? []).toSorted();
}

it('an answer that arrives while the screen changes is printed once and whole', () => {
  fc.assert(
    fc.property(text, fc.array(step, { maxLength: 40 }), fc.boolean(), (whole, steps, isResizedAtEnd) => {
      const transcript = new Transcript();
      const entries = new EventEntries(transcript, () => true);
      const printed: string[] = [];
      const shown: [seen: readonly string[], said: readonly string[]][] = [];
      let [width, at] = [40, 0];
      const now = (): Look => ({ ...look, width });
      const resize = (to: number): void => {
        width = to;
        transcript.resized(now());
      };
      const send = (size: number): void => {
        const piece = whole.slice(at, at + size);
        at += piece.length;
        if (piece !== '')
          entries.preview({ provisional: true, kind: 'text', turnId, itemId: 'm', text: piece } as ProvisionalEvent);
      };
      for (const { do: what, size } of steps) {
        if (what === 'delta') send(size);
        else if (what === 'draw') printed.push(...transcript.takeFinished(now()));
        else resize(size);
        // The printed and the live rows make the text so far.
        if (what === 'draw')
          shown.push([wordsIn([...printed, ...transcript.unfinishedRows(now())]), wordsIn([whole.slice(0, at)])]);
      }
      entries.event({ kind: 'item-completed', turnId, item: { kind: 'agent-message', id: 'm', text: whole } }, 1);
      if (isResizedAtEnd) resize(27);
      printed.push(...transcript.takeFinished(now()));
      expect(wordsIn(printed)).toEqual(wordsIn([whole]));
      expect(shown.map(([seen]) => seen)).toEqual(shown.map(([, said]) => said));
    }),
    { numRuns: 300 * inject('runFactor') },
  );
});

it.each([1, 7, 1000])('a plan that arrives is printed once, below its heading (%i characters at a time)', (size) => {
  const said = 'Before.\n\n<proposed_plan>\n# Build it\n\n- first\n\n- second\n</proposed_plan>\n\nAfter.';
  const plan = '# Build it\n\n- first\n\n- second';
  const transcript = new Transcript();
  const entries = new EventEntries(transcript, () => true);
  const printed: string[] = [];
  for (let at = 0; at < said.length; at += size) {
    const piece = said.slice(at, at + size);
    entries.preview({ provisional: true, kind: 'text', turnId, itemId: 'm', text: piece } as ProvisionalEvent);
    printed.push(...transcript.takeFinished(look));
    const shown = [...printed, ...transcript.unfinishedRows(look)].join('\n');
    const named = shown.match(/Proposed Plan|Build/g) ?? [];
    expect(['', 'Proposed Plan', 'Proposed Plan,Build']).toContain(named.join(','));
    expect(shown).not.toMatch(/<\/?proposed/);
  }
  const item = { kind: 'agent-message', id: 'm', text: said, plan } as const;
  entries.event({ kind: 'item-completed', turnId, item }, 1);
  printed.push(...transcript.takeFinished(look));
  expect(printed).toEqual(['', ...answerCell(item).rows(look)]);
});

it('a compaction that fails says so once', () => {
  const transcript = new Transcript();
  const entries = new EventEntries(transcript, () => true);
  const outcome = { code: 'compaction-failed', message: 'It would not free enough space.', next: 'Nothing.' } as const;
  const failed = { turnId, outcome, usage: undefined } as unknown as ThreadEvent;
  entries.event({ ...failed, kind: 'checkpoint-failed', paused: false } as ThreadEvent, 1);
  entries.event({ ...failed, kind: 'turn-failed' } as ThreadEvent, 2);
  const rows = transcript.takeFinished({ ...look, width: 100 }).join('\n');
  expect(rows.match(/would not free/g)).toHaveLength(1);
});
