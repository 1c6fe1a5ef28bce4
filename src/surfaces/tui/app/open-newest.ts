import { PagerView } from '../views/pager-view.ts';
import type { TuiStage } from './stage.ts';

/** Opens the details of the newest quiet line. False: there is none. */
export function openNewest(stage: TuiStage): boolean {
  const entry = stage.transcript.entries.findLast(({ opens }) => opens === true);
  if (entry === undefined) return false;
  stage.openPager(
    new PagerView({
      title: 'Details',
      rows: (look) => entry.cell.rows(look),
      close: () => stage.openPager(undefined),
    }),
  );
  return true;
}
