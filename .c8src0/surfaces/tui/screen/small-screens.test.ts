import { describe, expect, it } from 'vitest';
import type { TerminalPort } from './terminal/terminal-port.ts';
import { countColumns } from '../../../base/text-columns.ts';
import { ModelQuestionsView } from '../questions/model-questions-view.ts';
import { ListView } from '../pages/list-view.ts';
import { QuestionView } from '../questions/question-view.ts';
import { queueView } from '../commands/conversation/queue.ts';
import { sampleInput, sampleQuestion } from '../../../../test/harness/sample-question.ts';
import type { View } from './view.ts';
import { noticeCell } from '../transcript/cells/notice-cells.ts';
import { draftFromText } from '../draft/draft.ts';
import { slashCommands } from '../commands/slash-commands.ts';
import { TypingPause } from '../questions/typing-pause.ts';
import { bottomFrame, bottomRows } from './bottom-frame.ts';
import { KeyboardController } from '../session/keyboard-controller.ts';
import { TerminalContext } from '../session/terminal-context.ts';
import { defaultScreenLook, TuiScreen } from './tui-screen.ts';

const plain = defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
const question = sampleQuestion({
  argv: ['bash', '-lc', 'echo a long command with 漢字 in it'],
  prefix: ['echo', 'a'],
  scopes: ['call', 'session', 'rule'],
});
const nothing = (): void => {};
const asked = sampleInput('漢字');

const views: Readonly<Record<string, () => View>> = {
  question: () =>
    new QuestionView({ question, item: undefined, waiting: () => 2, answer: nothing, showWhole: nothing }),
  input: () =>
    new ModelQuestionsView({ questions: [asked, { ...asked, id: 'b' }], answer: nothing, showWhole: nothing }),
  queue: () =>
    queueView({
      queued: () => ['one message', 'another 漢字 message'],
      move: (at) => at,
      remove: nothing,
      edit: nothing,
      sendNow: nothing,
      close: nothing,
    }),
  list: () =>
    new ListView({
      title: 'A title',
      items: [{ label: 'an item', about: 'about 漢字' }],
      pick: nothing,
      close: nothing,
    }),
};
const key = (name: string) => ({ kind: 'key', name, text: name.length === 1 ? name : '' }) as const;
const sizes = [0, 1, 2, 3, 7, 20].flatMap((width) => [0, 1, 2, 5].map((height) => [width, height] as const));
const busy = { header: 'Working on something long', since: 0, detail: 'a detail 漢字', until: 5000 };
const waiting = { steers: ['one 漢字'], refused: ['two'], queued: ['three three three three'] };
const plan = { steps: [{ text: 'a step 漢字', status: 'in-progress' as const }], isFolded: false };

it('says when a request is sent again, however narrow the screen is', () => {
  const detail = 'The provider received too many requests or tokens in a short time.';
  for (const width of [30, 40, 60, 100]) {
    const look = { ...plain, width, now: 0, details: 'folded' as const };
    const rows = bottomRows(
      {
        busy: { header: 'Trying again 1/5', since: 0, detail, until: 17_000 },
        failed: undefined,
        plan: undefined,
        background: { commands: 0, agents: 0 },
        waiting: { steers: [], refused: [], queued: [] },
      },
      look,
    );
    expect(rows.map((row) => row.trim()).join(' ')).toContain('again in 17s');
    const failed = { opensAt: 3_700_000, holdsQueue: true };
    const background = { commands: 0, agents: 0 };
    const waiting = { steers: [], refused: [], queued: [] };
    const over = bottomRows({ busy: undefined, failed, plan: undefined, background, waiting }, look);
    expect(over.map((row) => row.trim()).join(' ')).toMatch(/may work in 1h 01m 40s · the queue waits$/);
    expect(rows.length).toBeLessThanOrEqual(5);
  }
});

/** A terminal of that size. */
function sized(columns: number, rows: number): TerminalPort {
  return {
    columns,
    rows,
    marksPastes: true,
    keepsScreen: true,
    write: nothing,
    start: nothing,
    stop: nothing,
    suspend: nothing,
    lend: (work) => work(),
  };
}

describe('a list for a draft', () => {
  /** The list for a draft, with a `frame` that draws its rows. */
  function listed(rows: number, text: string) {
    const terminal = sized(80, rows);
    const stage = new TuiScreen({ terminal, look: plain, isFull: true, reflows: true, now: () => 0 });
    stage.footer = () => ['  the status line'];
    stage.composer.draft = draftFromText(text);
    const state = { busy, failed: undefined, background: { commands: 0, agents: 0 } };
    const look = { ...plain, width: 80, now: 0, details: 'folded' as const };
    return { stage, frame: () => bottomFrame(stage, state, look, rows).rows };
  }

  it.each([2, 3, 5, 8, 9, 10, 14, 24])('has as many rows as a window of %i, with the chosen one', (rows) => {
    const { stage, frame } = listed(rows, '/');
    for (let at = 0; at < 3; at++) {
      const drawn = frame();
      expect(drawn.length).toBeLessThanOrEqual(rows);
      expect(drawn.length).toBeGreaterThanOrEqual(Math.min(rows, 10));
      expect(drawn.join('\n')).toContain(`› /${stage.popup.chosen(stage.composer.draft)?.name}`);
      stage.popup.move(stage.composer.draft, 1);
    }
    expect(listed(rows, '').frame().join('\n')).toContain('the status line');
  });

  it.each([1, 2])('takes no key where it is not drawn, in a window of %i', (rows) => {
    const { stage } = listed(rows, '/');
    const sent: string[] = [];
    const surroundings = new TerminalContext({
      stage,
      terminal: sized(80, rows),
      env: {},
      pause: new TypingPause(() => 0),
    });
    const controller = new KeyboardController({
      stage,
      surroundings,
      conversation: () => undefined,
      notice: nothing,
      suspend: nothing,
      editOutside: nothing,
      showHelp: nothing,
      quit: nothing,
    });
    for (const name of ['down', 'tab']) controller.input(key(name));
    sent.push(stage.composer.draft.text, ...stage.waiting.queued);
    // Without a list, Tab sends what is typed.
    expect(sent).toEqual(rows === 1 ? ['', '/'] : [`/${slashCommands[1]!.name} `]);
  });
});

it('the rows of a view that are shown are those that it made last', () => {
  for (const rows of [1, 2, 3, 5, 8, 12, 30])
    for (const wanted of [1, 4, 9, 40]) {
      let last: readonly string[] = [];
      const view: View = {
        frame(_look, height) {
          last = Array.from({ length: Math.min(wanted, height) }, (_, at) => `row ${at} of ${height}`);
          return { rows: last };
        },
        input: nothing,
      };
      const terminal = sized(80, rows);
      const stage = new TuiScreen({ terminal, look: plain, isFull: true, reflows: true, now: () => 0 });
      stage.open(view);
      const look = { ...plain, width: 80, now: 0, details: 'folded' as const };
      const drawn = bottomFrame(
        stage,
        { busy, failed: undefined, background: { commands: 0, agents: 0 } },
        look,
        rows,
      ).rows;
      expect(drawn.filter((row) => row.startsWith('row '))).toEqual(last);
    }
});

describe.each(sizes)('a screen of %i by %i', (width, height) => {
  const look = { ...plain, width, now: 0, details: 'folded' as const };

  it.each(Object.keys(views))('draws a %s that fits its width', (name) => {
    const view = views[name]!();
    for (const press of ['down', 'tab', 'x']) {
      for (const row of view.frame(look, height).rows)
        expect(countColumns(row)).toBeLessThanOrEqual(Math.max(2, width));
      view.input(key(press));
    }
  });

  it('draws what runs and waits', () => {
    for (const row of bottomRows({ busy, failed: {}, plan, background: { commands: 2, agents: 1 }, waiting }, look))
      expect(countColumns(row)).toBeLessThanOrEqual(Math.max(2, width));
  });

  it.each([true, false])('draws all of it, full screen: %s', (isFull) => {
    const terminal = sized(width, height);
    const stage = new TuiScreen({ terminal, look: plain, isFull, reflows: true, now: () => 0 });
    stage.begin();
    stage.transcript.add({
      cell: noticeCell('error', { message: 'Something 漢字 failed.', next: 'Try.' }),
      isFinal: true,
    });
    Object.assign(stage, { busy, waiting, plan });
    stage.composer.input({ kind: 'paste', text: 'some words\nin two lines' });
    stage.drawNow();
    for (const make of Object.values(views)) {
      stage.open(make());
      stage.drawNow();
    }
    stage.resized();
    stage.end(['bye']);
    expect(stage.isFull).toBe(isFull);
  });
});
