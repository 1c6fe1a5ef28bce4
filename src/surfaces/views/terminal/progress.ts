import { formatDuration, formatCount } from '../../../engine/wording.ts';
import type { WorkProgress } from '../../../ports/thread-store.ts';
import { progressText } from './tables.ts';
import { canRewriteLines, openStatusScreen, type ScreenStream } from './screen.ts';
import type { Span } from './styled-text.ts';
import { terminalWidth } from './visible-text.ts';

export interface ProgressOptions {
  /** The beginning of the line, such as `Reading threads`. */
  readonly label: string;
  readonly amount?: (value: number) => string;
  readonly stream?: ScreenStream;
}

/** Faster work shows nothing: a line that disappears at once only flickers. */
const quietMs = 300;
const pauseMs = 100;
const longMs = 2000;

/** Shows the progress of work on a terminal only. The line leaves nothing behind, however the work ends. */
export async function withProgress<Result>(
  { label, amount = formatCount, stream = process.stderr }: ProgressOptions,
  work: (report: WorkProgress) => Promise<Result>,
): Promise<Result> {
  if (!canRewriteLines(stream)) return work(() => undefined);
  const screen = openStatusScreen(stream);
  const began = performance.now();
  let at: { readonly done: number; readonly total: number | undefined } | 'waiting' | undefined;
  let [isOver, next] = [false, began + quietMs];
  const status = (): readonly Span[] => {
    const took = performance.now() - began;
    const time = took < longMs ? '' : ` · ${formatDuration(took)}`;
    const width = (terminalWidth(stream) ?? 80) - 1 - time.length;
    if (at === undefined) return [label, time === '' ? ' …' : time];
    if (at === 'waiting') return [`${label}: waiting for another process`, time];
    const { done, total } = at;
    if (total === undefined) return [`${label} ${amount(done)}`, time];
    return [progressText(label, { done, total, width, amount }), time];
  };
  const show = (): void => {
    if (!isOver) screen.status(status);
  };
  const end = (): void => {
    isOver = true;
    screen.end();
  };
  const timer = setTimeout(show, quietMs).unref();
  const stop = tidyOnSignal(end);
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

type EndedProcess = Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'listenerCount' | 'pid'>;
const names = ['SIGINT', 'SIGTERM'] as const;

/** At SIGINT or SIGTERM calls `tidy`, then ends the process if there is no other listener. Returns a stop function. */
export function tidyOnSignal(tidy: () => void, self: EndedProcess = process): () => void {
  const stop = (): void => names.forEach((name) => void self.off(name, onSignal));
  const onSignal = (name: NodeJS.Signals): void => {
    stop();
    tidy();
    if (self.listenerCount(name) === 0) self.kill(self.pid, name);
  };
  for (const name of names) self.on(name, onSignal);
  return stop;
}

/** Runs blocking work that a signal must not interrupt: the signal ends the process afterwards. */
export async function runBeforeAnySignal<Result>(work: () => Result, self: EndedProcess = process): Promise<Result> {
  const stop = tidyOnSignal(() => {}, self);
  try {
    return work();
  } finally {
    // A signal during the work is only delivered by the event loop.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    stop();
  }
}
