import { fullText } from '../../../protocol/outcome.ts';
import { changesToReview } from '../../../engine/review/changes-to-review.ts';
import { openPage } from '../pages/pager-view.ts';
import { cleanText, withoutTabs } from '../screen/text/clean-text.ts';
import { drawRows } from '../screen/text/draw-row.ts';
import type { Look } from '../screen/text/look.ts';
import { accentStyle, badStyle, boldStyle, goodStyle, type Row, type Style, styled } from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';
import type { TuiSession } from '../session/session.ts';

/** `/diff`: shows the changes since the last commit, new files included. */
export async function showDiff(session: TuiSession): Promise<void> {
  const { stage, engine } = session.parts;
  const sandbox = await engine.openSandbox({ cwd: session.thread.settings.cwd });
  if ('code' in sandbox) return session.notice(fullText(sandbox), 'error');
  const changes = await changesToReview(sandbox, { kind: 'uncommitted' });
  if ('code' in changes) {
    if (changes.code === 'nothing-to-review') return session.notice('Nothing differs from the last commit.', 'info');
    return session.notice(fullText(changes), changes.code === 'no-repository' ? 'info' : 'error');
  }
  const { diff } = changes;
  openPage(stage, { title: 'Diff', rows: (look) => diffRows(diff, look) });
}

const styles: readonly (readonly [start: string, style: Style])[] = [
  ['diff ', boldStyle],
  ['+++', boldStyle],
  ['---', boldStyle],
  ['@@', accentStyle],
  ['+', goodStyle],
  ['-', badStyle],
];

function diffRows(diff: string, look: Look): readonly string[] {
  const rows = cleanText(diff)
    .replace(/\n$/, '')
    .split('\n')
    .flatMap((line): readonly Row[] => {
      const style = styles.find(([start]) => line.startsWith(start))?.[1] ?? {};
      return wrapRow([styled(withoutTabs(line, 4), style)], { width: look.width, breaking: 'anywhere' });
    });
  return drawRows(rows, look);
}
