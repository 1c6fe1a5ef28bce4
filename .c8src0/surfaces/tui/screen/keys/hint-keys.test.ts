import { describe, expect, test } from 'vitest';
import type { TurnId } from '../../../../protocol/ids.ts';
import { commandMustWaitMessage } from '../../draft/draft-message.ts';
import { foldRow } from '../../transcript/cells/folded-output.ts';
import type { Look } from '../text/look.ts';
import { plain } from '../text/style.ts';
import { autoTheme, themeChoices } from '../text/themes.ts';
import { BrowseView } from '../../pages/browse-view.ts';
import { ModelQuestionsView } from '../../questions/model-questions-view.ts';
import { orderedItemsView } from '../../commands/settings/status-line-and-title.ts';
import { planRows } from '../bottom-frame.ts';
import { QuestionView } from '../../questions/question-view.ts';
import { queueView } from '../../commands/conversation/queue.ts';
import { rewindView } from '../../commands/conversation/rewind-view.ts';
import { themeView } from '../../commands/settings/theme.ts';
import { tipRows } from '../../session/status-line.ts';
import type { View } from '../view.ts';
import { hintKeyMapper } from './key-map.ts';
import { parseKeyMap } from './read-key-map.ts';

const keymap = {
  composer: { submit: 'f1', queue: 'f2' },
  chat: { interrupt_turn: 'f3' },
  global: { toggle_plan: 'f4', open_transcript: 'f9' },
  list: { accept: 'f5', cancel: 'f6', page_up: 's' },
  pager: { close: 'z', page_up: 'f7', scroll_down: ['down', 'enter'] },
  approval: { approve: 'f8' },
};
const { map, problems } = parseKeyMap(keymap);
const usual: Look = {
  width: 100,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/w',
  home: '/h',
};
const look: Look = { ...usual, keys: map };
const none = (): void => {};

const views: Readonly<Record<string, readonly [view: View, hint: string]>> = {
  'a list': [
    themeView({ choices: themeChoices, current: autoTheme, preview: none, pick: none, close: none }),
    'F5 chooses and saves, F6 restores',
  ],
  'items to pick': [
    orderedItemsView<'a'>({
      title: 'Items',
      about: { a: '' },
      chosen: [],
      preview: () => [plain('')],
      save: none,
      close: none,
    }),
    'Space picks, Left and Right move, F5 saves, F6 goes back',
  ],
  'the queue, of which a list has a key': [
    queueView({ queued: () => ['a'], move: () => 0, remove: none, edit: none, sendNow: none, close: none }),
    'no key sends now, F5 edits, d deletes, K and J move',
  ],
  'questions of the model': [
    new ModelQuestionsView({
      questions: [{ id: 'a', header: 'H', question: 'Q', options: [] }],
      answer: none,
      showWhole: none,
    }),
    'F5 answers, Tab adds a note, Backspace clears, F6 stops the turn',
  ],
  'a question about a call': [
    new QuestionView({
      question: {
        id: 'q',
        callId: 'c',
        turnId: 'turn-1' as TurnId,
        tool: 'shell',
        item: {},
        kind: 'command',
        argv: ['ls'],
        scopes: ['call'],
      },
      item: undefined,
      waiting: () => 0,
      answer: none,
      showWhole: none,
    }),
    'F5 confirms, Tab adds a note, F6 stops the turn',
  ],
  'what going back would do': [
    rewindView({ prompt: 'P', files: '', pick: none, close: none }),
    'No key chooses · F7 and Page Down scroll · Esc goes back',
  ],
  'pages about a thread': [
    new BrowseView(
      { kind: 'list', title: 'T', length: 1, row: () => [plain('r')], empty: '', open: () => undefined },
      none,
    ),
    'No key opens · Esc closes · z closes',
  ],
};

describe('hints name the keys that are bound', () => {
  test('the key map of these tests has no problem', () => {
    expect(problems).toEqual([]);
  });

  test.each(Object.entries(views))('%s', (_, [view, hint]) => {
    expect(view.frame(look, 24).rows.join('\n')).toContain(hint);
    expect(view.frame(usual, 24).rows.join('\n')).not.toContain(hint);
  });

  test('what stands around the composer', () => {
    const plan = { steps: [{ text: 'a', status: 'pending' as const }], isFolded: true };
    expect(planRows(plan, look).flat().at(-1)?.text).toBe(' (f4 shows all)');
    expect(tipRows(0, { ...look, width: 100 })).toEqual([
      '  Tip: F1 while a turn runs steers it; F2 queues the message for the next turn.',
    ]);
    expect(foldRow(3, look).at(-1)?.text).toContain('(f9 shows all)');
    expect(commandMustWaitMessage('new', look)).toContain('F2 queues it, F3 interrupts the turn.');
  });
});

describe('the name of a key in a hint', () => {
  test('is as it was written where nothing was bound', () => {
    const key = hintKeyMapper(usual, 'pager');
    expect(['Esc', 'space', 'Ctrl+T', 'page up', 'G', 'x'].map((written) => key(written))).toEqual([
      'Esc',
      'space',
      'Ctrl+T',
      'page up',
      'G',
      'x',
    ]);
  });

  test('is Ctrl+C where nothing does what Esc did', () => {
    const unbound = parseKeyMap({ list: { cancel: [], accept: [] } }).map;
    const key = hintKeyMapper({ keys: unbound }, 'list');
    expect([key('Esc'), key('esc'), key('Enter')]).toEqual(['Ctrl+C', 'ctrl+c', 'No key']);
  });

  test('stays for a view that gets keys as they are pressed', () => {
    expect(hintKeyMapper(look, 'raw')('Enter')).toBe('Enter');
  });
});
