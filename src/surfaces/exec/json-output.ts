import { fullText, type Outcome } from '../../protocol/outcome.ts';
import { endedAtOnce } from '../terminal/end-on-signal.ts';
import { complain, print, printNote } from '../terminal/print.ts';
import type { Screen } from '../terminal/screen.ts';
import { Announcement } from './announcement.ts';
import type { ExecContextEvent } from './context-events.ts';
import { type ExecEvent, execEvents, failedTurn, isNote } from './events.ts';
import { HeldBack } from './held-back.ts';
import { sayNews } from './news.ts';
import type { Output } from './output.ts';

/** One JSON event per line on standard output, nothing else there. */
export function jsonOutput(
  screen: Screen,
  {
    context,
    verbose,
    recordIfNews,
  }: { readonly context: boolean; readonly verbose: boolean; recordIfNews(outcome: Outcome): boolean },
): Output {
  const toExecEvents = execEvents({ context });
  let told = false;
  const printAll = (events: readonly (ExecEvent | ExecContextEvent)[]): void => {
    for (const event of events) {
      if (!told || event.type !== 'turn.failed') print(`${JSON.stringify(event)}\n`, 'json');
    }
  };
  // On one screen with the question, events would be printed into it.
  const isShared = process.stdout.isTTY && process.stderr.isTTY;
  const held = new HeldBack(() => {});
  const announcement = new Announcement(printNote, printNote, { verbose });
  return {
    start: (opened) => announcement.opened(opened),
    notice: (outcome) => announcement.notice(fullText(outcome)),
    show: (...spans) => screen.note(...spans),
    typing: (text) => screen.typing(text),
    event(event) {
      if (event.kind === 'thread-started') announcement.started();
      const say = (): void => {
        if (event.kind === 'warning' && isNote(event.outcome) && recordIfNews(event.outcome))
          printNote(fullText(event.outcome));
        sayNews(screen, event, verbose);
        printAll(toExecEvents(event));
      };
      held.before(event);
      held.printAll(say);
      if (isShared) held.after(event);
    },
    lost(fault) {
      held.release();
      announcement.end();
      printAll(failedTurn(fault));
      // Here too: the disk that is lost may be the one that the events go to.
      complain(fault, 1);
    },
    endedAtOnce: () => printNote(endedAtOnce),
    toldToEnd() {
      told = true;
    },
  };
}
