import { PagerView } from '../views/pager-view.ts';
import type { TuiStage } from './stage.ts';
import { TranscriptRows } from './transcript-rows.ts';

/** Opens the conversation with all details. `goBack`: the user wants to go back to an earlier message. */
export function openTranscript({ stage, now }: { readonly stage: TuiStage; now(): number }, goBack: () => void): void {
  const rows = new TranscriptRows(stage.transcript, { now, redraw: () => stage.draw() });
  const close = (): void => stage.openPager(undefined);
  stage.openPager(
    new PagerView({
      title: 'Transcript',
      drawMore: (look) => rows.drawMore(look),
      rows: (look) => rows.rows(look),
      stops: (look) => rows.stops(look),
      startsAtEnd: true,
      escape: {
        does: 'goes back to a message',
        run() {
          close();
          goBack();
        },
      },
      close,
    }),
  );
}
