import type { HookEntry, HookRun, ThreadEvent } from '../../../../protocol/thread-event.ts';
import { visibleLine } from '../../../views/terminal/visible-text.ts';
import type { Look } from '../../screen/text/look.ts';
import { badStyle, boldStyle, dimStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import type { Transcript, TranscriptEntry } from '../transcript.ts';
import { type Cell, cellWithHead } from './cell.ts';
import { foldLimits, outputRows } from './folded-output.ts';

const ends: Readonly<Record<HookRun['status'], string>> = {
  completed: 'finished',
  blocked: 'said no',
  stopped: 'ended the turn',
  failed: 'failed',
};

/** A finished hook. One without output is only shown in the transcript view. */
export function hookCell({ event, command, status, entries }: HookRun): Cell {
  return cellWithHead((look) => {
    if (status === 'completed' && entries.length === 0 && look.details === 'folded') return undefined;
    const head = [styled(`${event} hook ${ends[status]}`, boldStyle), plain(`: ${visibleLine(command)}`)];
    const output = entries.flatMap((entry) => entryRows(entry, look));
    return { mark: status === 'completed' ? 'quiet' : 'bad', head, output };
  });
}

type HooksStarted = Extract<ThreadEvent, { kind: 'hook-started' }>;
/** Most hooks end sooner and are not shown while they run. */
const shownAfterMs = 300;

export function runningHooksCell({ event, names }: Pick<HooksStarted, 'event' | 'names'>, startedAt: number): Cell {
  return cellWithHead((look) => {
    if (look.now - startedAt < shownAfterMs) return undefined;
    const title = styled(`Running ${event} ${names.length === 1 ? 'hook' : 'hooks'}`, boldStyle);
    return { mark: 'running', head: [title, plain(`: ${visibleLine(names.join(', '))}`)] };
  });
}

const entryRowsKept = { ...foldLimits.quiet, most: 3, head: 1, tail: 1 };

function entryRows({ kind, text }: HookEntry, look: Look): readonly Row[] {
  const isBad = kind === 'error' || kind === 'warning' || kind === 'stop' || kind === 'feedback';
  const rows = outputRows(`${kind}: ${text}`, isBad ? foldLimits.failed : entryRowsKept, look);
  return isBad
    ? rows.map((row) => row.map((piece) => styled(piece.text, kind === 'error' ? badStyle : dimStyle)))
    : rows;
}

/** Hooks that the turn waits for: a group has a cell until all of it has ended. Their output has cells of its own. */
export class RunningHooks {
  readonly #transcript: Transcript;
  readonly #groups: { readonly entry: TranscriptEntry; readonly event: string; left: number }[] = [];

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  started(started: HooksStarted, startedAt: number | undefined): void {
    const { event, names } = started;
    if (names.length === 0 || startedAt === undefined) return;
    const entry = this.#transcript.add({ cell: runningHooksCell(started, startedAt), isFinal: false });
    this.#groups.push({ entry, event, left: names.length });
  }

  ended(event: string): void {
    const group = this.#groups.find((each) => each.event === event);
    if (group === undefined || --group.left > 0) return;
    this.#groups.splice(this.#groups.indexOf(group), 1);
    this.#transcript.remove(group.entry);
  }

  end(): void {
    for (const { entry } of this.#groups.splice(0)) this.#transcript.remove(entry);
  }
}
