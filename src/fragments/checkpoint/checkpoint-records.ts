import type { PutBackFile } from '../../protocol/files-put-back.ts';
import type { ChangedFile, PlanStep } from '../../protocol/turn-item.ts';
import { defineFragment } from '../text/define.ts';
import { escapeMarkup } from '../text/markup.ts';
import { bytesPerToken, sentBytes, truncateMiddle } from '../text/truncate.ts';

export interface CheckpointRecordsText {
  readonly plan?: readonly PlanStep[];
  /** The number of the turn in which the plan was written. */
  readonly planNumber?: number;
  /** What came after the plan, so that it may be out of date; absent: nothing. */
  readonly planIsOlderThan?: keyof typeof since;
  readonly files: readonly ChangedFile[];
  /** Files that the user put back; they are not among the others. */
  readonly putBack?: readonly PutBackFile[];
  /** What the lists may weigh. */
  readonly tokens: number;
}

const since = {
  user: 'The user has written since',
  stop: 'Its turn was stopped or ended early',
  program: 'A program has written since',
  shell: 'The user has run a command since',
} as const;

const sign: Readonly<Record<PlanStep['status'], string>> = {
  completed: '[done]',
  'in-progress': '[in progress]',
  pending: '[to do]',
};

const verb: Readonly<Record<ChangedFile['kind'], string>> = { add: 'added', delete: 'deleted', update: 'changed' };

const mostOfLine = 400;

export const checkpointRecordsFragment = defineFragment<CheckpointRecordsText>({
  id: 'checkpoint-records',
  purpose: 'After a checkpoint: the plan, the changed files and those that the user put back, as recorded.',
  role: 'user',
  markers: ['<checkpoint_records>', '</checkpoint_records>'],
  capTokens: 4200,
  separate: true,
  body({ plan = [], planNumber, planIsOlderThan, files, putBack = [], tokens }) {
    const most = Math.max(0, tokens * bytesPerToken);
    const steps = stepsThatFit(plan, files.length + putBack.length === 0 ? most : Math.floor(most / 2));
    const rest = most - weight(steps.lines);
    const images = newestThatFit(
      files.filter(({ generated }) => generated === true).map(({ path }) => `- ${shown(path)}`),
      rest / 2,
    );
    const patched = files.filter(({ generated }) => generated !== true);
    const back = newestThatFit(putBack.map(putBackLine), (rest - weight(images.lines)) / 2);
    const changed = newestThatFit(patched.map(fileLine), rest - weight(images.lines) - weight(back.lines));
    const lines = [
      'Recorded by the tools while they worked.',
      ...section(planTitle(planNumber, planIsOlderThan), steps),
      ...section('Files that patches changed, oldest change first (what commands changed is not listed):', changed),
      ...section(
        'Files that the user put back to an earlier state, which undid what had been done to them. They may have changed since: look before you rely on this, and repeat nothing unless the user asks:',
        back,
      ),
      ...section('Images that you generated, oldest first:', images),
    ];
    return `\n${lines.join('\n')}\n`;
  },
});

function planTitle(number: number | undefined, newer: CheckpointRecordsText['planIsOlderThan']): string {
  const when = number === undefined ? '' : `, from turn ${number}`;
  return `Plan${when}${newer === undefined ? '' : `. ${since[newer]}, so it may be out of date`}:`;
}

interface Lines {
  readonly lines: readonly string[];
  /** How many lines found no space. */
  readonly left: number;
}

function section(title: string, { lines, left }: Lines): readonly string[] {
  if (lines.length === 0 && left === 0) return [];
  return [title, ...(left === 0 ? [] : [`… and ${left} earlier that are not listed here`]), ...lines];
}

/** The step in progress says where the work stands: it is listed even where those around it are not. */
function stepsThatFit(plan: readonly PlanStep[], bytes: number): Lines {
  const lines = plan.map(stepLine);
  const fitting = newestThatFit(lines, bytes);
  const current = plan.findIndex(({ status }) => status === 'in-progress');
  if (current < 0 || current >= fitting.left) return fitting;
  const line = lines[current]!;
  const gap = (count: number): readonly string[] => (count === 0 ? [] : [`… and ${count} that are not listed here`]);
  const space = bytes - weight([line, ...gap(lines.length)]);
  const { lines: newest, left } = newestThatFit(lines.slice(current + 1), space);
  return { lines: [line, ...gap(left), ...newest], left: current };
}

/** What is newest is most likely still being worked on. */
function newestThatFit(all: readonly string[], bytes: number): Lines {
  let used = 0;
  let from = all.length;
  while (from > 0) {
    used += weight([all[from - 1]!]);
    if (used > bytes) break;
    from--;
  }
  return { lines: all.slice(from), left: from };
}

function weight(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + sentBytes(line) + 2, 0);
}

function stepLine({ text, status }: PlanStep): string {
  return `- ${sign[status]} ${shown(text)}`;
}

function fileLine({ path, kind, movePath }: ChangedFile): string {
  return `- ${movePath === undefined ? verb[kind] : 'moved'} ${shown(path)}${movePath === undefined ? '' : ` to ${shown(movePath)}`}`;
}

function putBackLine({ path, isDeleted, before }: PutBackFile): string {
  const when = before === undefined ? '' : `, as before turn ${before}`;
  return `- ${shown(path)}${isDeleted === true ? ': was deleted' : ': got its earlier content'}${when}`;
}

function shown(text: string): string {
  return escapeMarkup(truncateMiddle(text, { mode: 'bytes', limit: mostOfLine }));
}
