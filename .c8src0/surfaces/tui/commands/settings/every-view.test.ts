import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { bottomRows } from '../../screen/bottom-frame.ts';
import { helpRows } from '../../pages/help.ts';
import { earlyNotice } from '../../boot/open-tui.ts';
import { Composer } from '../../draft/composer.ts';
import { draftFromText } from '../../draft/draft.ts';
import type { Frame } from '../../screen/view.ts';
import { keyPress } from '../../screen/terminal/terminal-port.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { countColumns } from '../../../../base/text-columns.ts';
import type { Look } from '../../screen/text/look.ts';
import { plain } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import { autoTheme, themeChoices } from '../../screen/text/themes.ts';
import { orderedItemsView } from './status-line-and-title.ts';
import { KeyCaptureView } from './key-press-views.ts';
import { ListView } from '../../pages/list-view.ts';
import { PagerView } from '../../pages/pager-view.ts';
import { QuestionView } from '../../questions/question-view.ts';
import { SlashPopup } from '../slash-popup.ts';
import { slashCommands } from '../slash-commands.ts';
import { themeView } from './theme.ts';
import { sampleQuestion } from '../../../../../test/harness/sample-question.ts';
import { anyCharacter } from '../../../../testing/test-inputs.ts';

const none = (): void => {};

/** All that stands at the bottom of the screen or on a screen of its own, with a text in all of its places. */
function framesWith(text: string, look: Look, height: number): Readonly<Record<string, Frame>> {
  const list = new ListView({
    title: 'List',
    items: Array.from({ length: 12 }, (_, at) => ({ label: `${text}${at}`, about: text, isCurrent: at === 3 })),
    isSearched: true,
    pick: none,
    close: none,
  });
  list.input(keyPress('down'));
  const question = new QuestionView({
    question: sampleQuestion({ tool: text, argv: [text], justification: text, scopes: ['call', 'session'] }),
    item: undefined,
    waiting: () => 2,
    answer: none,
    showWhole: none,
  });
  const detailed = new ListView({
    title: text,
    items: [{ label: text, about: text }],
    isSearched: true,
    leastRows: 6,
    details: (_, each) => wrapRow([plain(cleanLine(text))], { width: each.width }),
    pick: none,
    close: none,
  });
  const capture = new KeyCaptureView({
    action: { context: 'list', name: 'accept', keys: [], does: 'choose the row' },
    note: () => cleanLine(text),
    captured: none,
    reported: none,
    now: () => 0,
    draw: none,
    close: none,
  });
  capture.input({ kind: 'key', name: [...text][0] ?? 'a', text: '' });
  const composer = new Composer();
  composer.draft = draftFromText(text);
  const items = orderedItemsView<'a' | 'b'>({
    title: 'Items',
    about: { a: text, b: text },
    chosen: ['a'],
    preview: (chosen) => [plain(chosen.join())],
    save: none,
    close: none,
  });
  const close = none;
  const theme = themeView({ choices: themeChoices, current: autoTheme, preview: none, pick: none, close });
  const pager = new PagerView({ title: 'Pager', rows: (each) => helpRows(slashCommands, each), close });
  const busy = { header: 'Working', since: 0, detail: text };
  const plan = { steps: [{ text, status: 'in-progress' as const }], isFolded: false };
  const waiting = { steers: [text], refused: [text], queued: [text] };
  return {
    list: list.frame(look, height),
    detailed: detailed.frame(look, height),
    capture: capture.frame(look, height),
    question: question.frame(look, height),
    composer: composer.frame(look, height, 'Ask Capstan'),
    items: items.frame(look, height),
    theme: theme.frame(look, height),
    pager: pager.frame(look, height),
    popup: { rows: new SlashPopup().rows(draftFromText('/'), look, height) },
    bottom: {
      rows: bottomRows({ busy, failed: undefined, plan, background: { commands: 2, agents: 0 }, waiting }, look),
    },
    notice: { rows: earlyNotice(text, 'error').rows(look) },
  };
}

const texts = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 80 }),
  fc.constantFrom(
    'שלום עולם, this is right to left',
    'مرحبا بالعالم ١٢٣',
    '漢字かな交じり文と絵文字👩‍👩‍👧‍👦🇩🇪',
    'e\u0301\u0302\u0303 n\u0303 กำ़',
    '\u001B]0;owned\u0007\u001B[2J\u202Etxt',
    'x'.repeat(700),
  ),
);
const looks = fc.record({
  width: fc.oneof(fc.constantFrom(1, 2, 20, 300), fc.integer({ min: 1, max: 300 })),
  glyphs: fc.constantFrom('unicode' as const, 'ascii' as const, 'words' as const),
  colours: fc.constantFrom('none' as const, 'sixteen' as const, 'true' as const),
});
const usual = { palette: 'dark', details: 'folded', now: 5000, cwd: '/w', home: '/h' } as const;

describe('every view', () => {
  it('has rows that fit, with nothing but text and colours, and its cursor in sight', () => {
    fc.assert(
      fc.property(texts, looks, fc.integer({ min: 2, max: 40 }), (text, some, height) => {
        for (const [name, { rows, cursor }] of Object.entries(framesWith(text, { ...usual, ...some }, height))) {
          const wrong = rows.filter((row) => {
            const bare = row.replaceAll(/\u001B\[[\d;]*m/g, '');
            return countColumns(bare) > some.width || /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(bare);
          });
          expect([name, wrong]).toEqual([name, []]);
          const { row, column } = cursor ?? { row: 0, column: 0 };
          expect([name, row < rows.length || rows.length === 0, column < some.width]).toEqual([name, true, true]);
        }
      }),
      { numRuns: 60 * inject('runFactor') },
    );
  });

  it('is ASCII where nothing else was given and the terminal has nothing else', () => {
    for (const glyphs of ['ascii', 'words'] as const) {
      for (const frame of Object.values(framesWith('plain', { ...usual, width: 100, colours: 'none', glyphs }, 30)))
        expect(frame.rows.join('\n')).toMatch(/^[\n -~]*$/);
    }
  });
});
