import type { WorkProgress } from '../../ports/work-progress.ts';
import { progressText } from './bar.ts';
import { beforeSignal } from './before-signal.ts';
import type { Span } from './look.ts';
import { isLive, openScreen } from './open-screen.ts';
import type { ScreenStream } from './screen.ts';
import { durationWords } from '../wording/duration-words.ts';
import { count } from '../wording/number-words.ts';
import { terminalWidth } from './terminal-width.ts';

export interface ProgressOptions {
  /** What is done, as the beginning of a line: `Reading threads`. */
  readonly label: string;
  /** How an amount is written; by default as a number. */
  readonly amount?: (value: number) => string;
  readonly stream?: ScreenStream;
}

/** Faster work shows nothing: a line that comes and goes at once only flickers. */
const quietMs = 300;
/** So often the line may change, however often the work reports. */
const pauseMs = 100;
/** From here on the time is shown, too. */
const longMs = 2000;

/**
 * Does work, and shows on a terminal how far it is. The line leaves nothing behind, whether the work ends, fails or is
 * interrupted. Elsewhere nothing is shown.
 */
export async function withProgress<Result>(
  { label, amount = count, stream = process.stderr }: ProgressOptions,
  work: (report: WorkProgress) => Promise<Result>,
): Promise<Result> {
  if (!isLive(stream)) return work(() => undefined);
  const screen = openScreen(stream);
  const began = performance.now();
  let at: { readonly done: number; readonly total: number | undefined } | 'waiting' | undefined;
  let [isOver, next] = [false, began + quietMs];
  const status = (): readonly Span[] => {
    const took = performance.now() - began;
    const time = took < longMs ? '' : ` · ${durationWords(took)}`;
    const width = (terminalWidth(stream) ?? 80) - 1 - time.length;
    if (at === undefined) return [label, time === '' ? ' …' : time];
    if (at === 'waiting') return [`${label}: waiting for another process`, time];
    const { done, total } = at;
    return [
      total === undefined ? `${label} ${amount(done)}` : progressText(label, { done, total, width, amount }),
      time,
    ];
  };
  const show = (): void => {
    if (!isOver) screen.status(status);
  };
  const end = (): void => {
    isOver = true;
    screen.end();
  };
  const timer = setTimeout(show, quietMs).unref();
  const stop = beforeSignal(end);
  try {
    return await work((done, total) => {
      at = done === 'waiting' ? done : { done, total };
      const now = performance.now();
      if (now < next) return undefined;
      next = now + pauseMs;
      show();
      return new Promise((resolve) => void setImmediate(resolve));
    });
  } finally {
    clearTimeout(timer);
    stop();
    end();
  }
}
