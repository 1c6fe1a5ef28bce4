import { outcomeText } from '../../../protocol/outcome.ts';
import { findChangesToReview } from '../../../engine/review/changes-to-review.ts';
import { openPage } from '../pages/pager-view.ts';
import { cleanText, withoutTabs } from '../screen/text/clean-text.ts';
import { accentStyle, badStyle, boldStyle, goodStyle, type Row, type Style, styled } from '../screen/text/style.ts';
import { wrappedRows } from '../screen/text/wrap-row.ts';
import type { TuiSession } from '../session/session.ts';

/** `/diff`: shows the changes since the last commit, new files included. */
export async function showDiff(session: TuiSession): Promise<void> {
  const { stage, engine } = session.parts;
  const sandbox = await engine.openSandbox({ cwd: session.thread.settings.cwd });
  if ('code' in sandbox) return session.noticeProblem(sandbox);
  const changes = await findChangesToReview(sandbox, { kind: 'uncommitted' });
  if ('code' in changes) {
    if (changes.code === 'nothing-to-review') return session.notice('Nothing differs from the last commit.', 'info');
    return session.notice(outcomeText(changes), changes.code === 'no-repository' ? 'info' : 'error');
  }
  const lines = cleanText(changes.diff).replace(/\n$/, '').split('\n').map(diffLine);
  openPage(stage, { title: 'Diff', rows: (look) => wrappedRows(lines, look, 'anywhere') });
}

const styles: readonly (readonly [start: string, style: Style])[] = [
  ['diff ', boldStyle],
  ['+++', boldStyle],
  ['---', boldStyle],
  ['@@', accentStyle],
  ['+', goodStyle],
  ['-', badStyle],
];

const styleOf = (line: string): Style => styles.find(([start]) => line.startsWith(start))?.[1] ?? {};
const diffLine = (line: string): Row => [styled(withoutTabs(line, 4), styleOf(line))];
