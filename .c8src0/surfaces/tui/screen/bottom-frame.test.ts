import { expect, it } from 'vitest';
import { Composer } from '../draft/composer.ts';
import { QuestionView } from '../questions/question-view.ts';
import { sampleQuestion } from '../../../../test/harness/sample-question.ts';
import { SlashPopup } from '../commands/slash-popup.ts';
import { bottomFrame, noneWaiting } from './bottom-frame.ts';
import { defaultScreenLook } from './tui-screen.ts';

const plain = defaultScreenLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' });
const look = { ...plain, width: 80, now: 0, details: 'folded' as const };

/** The part of a question about a command of several lines that a window of so many rows shows, while a turn runs. */
function windowOf(height: number, lines: number): string {
  const view = new QuestionView({
    question: sampleQuestion({
      argv: ['bash', '-lc', Array.from({ length: lines }, (_, at) => `line ${at}`).join('\n')],
      reason: 'It would run outside the sandbox.',
      justification: 'It is needed. '.repeat(10),
      prefix: ['line'],
      scopes: ['call', 'session', 'rule'],
    }),
    item: undefined,
    waiting: () => 0,
    answer: () => undefined,
    showWhole: () => undefined,
  });
  const bottom = {
    composer: new Composer(),
    popup: new SlashPopup(),
    view,
    plan: undefined,
    waiting: noneWaiting,
    placeholder: '',
    pendingKey: undefined,
    footer: () => [],
    under: undefined,
  };
  const state = { busy: { header: 'Working', since: 0 }, failed: undefined, background: { commands: 0, agents: 0 } };
  const { rows } = bottomFrame(bottom, state, look, height);
  expect(rows.length).toBeLessThanOrEqual(height);
  return rows.join('\n');
}

it('what runs gives its rows to a question that has to leave something out', () => {
  for (const [height, lines] of [
    [10, 2],
    [11, 3],
    [12, 4],
    [13, 5],
  ] as const) {
    const text = windowOf(height, lines);
    for (let line = 0; line < lines; line++) expect(text).toContain(`line ${line}`);
    expect(text).toContain('more rows: ctrl+a shows all');
    expect(text).not.toContain('Working');
  }
  expect(windowOf(24, 2)).toContain('Working');
  expect(windowOf(24, 2)).not.toContain('more rows');
});

it('the answer that Enter gives is in sight, with the beginning of the command', () => {
  const text = windowOf(5, 2);
  for (const shown of ['$ line 0', 'more rows: ctrl+a shows all', '› 1. yes, once (y)']) expect(text).toContain(shown);
});
