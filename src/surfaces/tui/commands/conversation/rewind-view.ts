import type { RestoreDiff, RestoreReport } from '../../../../engine/undo/restore-files.ts';
import { plural } from '../../../../engine/wording.ts';
import { withoutParentFolders } from '../../../../protocol/turn-item.ts';
import { keptReasons, restoreNotes } from '../../../views/threads/rollback-and-restore-words.ts';
import { hintKeys } from '../../screen/keys/key-map.ts';
import type { TerminalInput } from '../../screen/terminal/terminal-port.ts';
import { cleanLine, cleanLines } from '../../screen/text/clean-text.ts';
import { cutRow, drawRow, drawRows } from '../../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import {
  accentStyle,
  badStyle,
  boldStyle,
  dimStyle,
  goodStyle,
  plain,
  type Row,
  styled,
  warnStyle,
} from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import type { Frame, View } from '../../screen/view.ts';
import { diffLinesOf, diffRows } from '../../transcript/cells/patch-cells.ts';

export type RewindPart = 'both' | 'conversation' | 'files';

export interface RewindOptions {
  readonly prompt: string;
  readonly files: FilesAhead;
  pick(part: RewindPart): void;
  close(): void;
}

const parts: readonly { readonly part: RewindPart; readonly label: string; readonly about: string }[] = [
  { part: 'both', label: 'conversation and files', about: 'the message comes back' },
  { part: 'conversation', label: 'conversation only', about: 'files stay as they are now' },
  { part: 'files', label: 'files only', about: 'the conversation goes on' },
];

export class RewindView implements View {
  readonly #options: RewindOptions;
  #at = 0;
  #from = 0;
  #room = 1;

  constructor(options: RewindOptions) {
    this.#options = options;
  }

  get #parts(): typeof parts {
    const { files } = this.#options;
    const changes = files.kind === 'known' && hasChanges(files.report);
    return parts.filter(({ part }) => changes || part === 'conversation');
  }

  frame(look: Look, height: number): Frame {
    const drawn = (row: Row): string => drawRow(cutRow(row, look.width, look), look);
    const widest = Math.max(0, ...this.#parts.map(({ label }) => label.length));
    const choices = this.#parts.map(({ label, about }, at): Row => {
      const isChosen = at === this.#at;
      const sign = styled(isChosen ? `${glyphsOf(look).prompt} ` : '  ', accentStyle);
      const name = styled(`${at + 1}. ${label}`, isChosen ? { ...accentStyle, ...boldStyle } : {});
      const blanks = plain(' '.repeat(widest - label.length + 2));
      return [sign, name, blanks, styled(about, dimStyle)];
    });
    const key = hintKeys(look, 'pager');
    const foot: readonly Row[] = [
      [styled(glyphsOf(look).rule.repeat(look.width), dimStyle)],
      ...choices,
      [
        styled(
          `${key('Enter')} chooses · ${key('Page Up')} and ${key('Page Down')} scroll · ${key('Esc')} goes back`,
          dimStyle,
        ),
      ],
    ];
    const all = drawRows(rewindRows(this.#options.prompt, this.#options.files, { ...look, details: 'whole' }), look);
    this.#room = Math.max(1, height - foot.length - 1);
    this.#from = Math.max(0, Math.min(this.#from, all.length - this.#room));
    const shown = all.slice(this.#from, this.#from + this.#room);
    const blanks = Array.from({ length: this.#room - shown.length }, () => '');
    const head: Row = [styled('Go back to before this message', boldStyle)];
    return { rows: [drawn(head), ...shown, ...blanks, ...foot.map(drawn)].slice(0, height) };
  }

  input(input: TerminalInput): void {
    if (input.kind === 'wheel') this.#from += input.direction === 'up' ? -3 : 3;
    if (input.kind !== 'key') return;
    const choices = this.#parts;
    switch (input.name) {
      case 'escape':
      case 'q':
      case 'ctrl+c':
        return this.#options.close();
      case 'up':
      case 'k':
        this.#at = Math.max(0, this.#at - 1);
        return;
      case 'down':
      case 'j':
        this.#at = Math.max(0, Math.min(choices.length - 1, this.#at + 1));
        return;
      case 'pageup':
        this.#from -= this.#room;
        return;
      case 'pagedown':
      case 'space':
        this.#from += this.#room;
        return;
      case 'enter':
        return this.#pick(this.#at);
      default:
        if (/^[1-9]$/.test(input.name)) this.#pick(Number(input.name) - 1);
    }
  }

  #pick(index: number): void {
    const chosen = this.#parts[index];
    if (chosen !== undefined) this.#options.pick(chosen.part);
  }
}

function hasChanges({
  restored,
  deleted,
}: {
  readonly restored: readonly unknown[];
  readonly deleted: readonly unknown[];
}) {
  return restored.length + deleted.length > 0;
}

type FilesAhead =
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'known'; readonly report: RestoreReport };

const mostPromptRows = 6;

function rewindRows(prompt: string, files: FilesAhead, look: Look): readonly Row[] {
  return [...promptRows(prompt, look), [], ...filesRows(files, look)];
}

/** Counts files only, without folders. */
export function countRewoundFiles({ restored, deleted, kept }: Pick<RestoreReport, 'restored' | 'deleted' | 'kept'>) {
  const all = [...restored, ...deleted, ...kept.map(({ path }) => path)];
  return {
    restored: withoutParentFolders(restored, all),
    deleted: withoutParentFolders(deleted, all),
    kept: withoutParentFolders(kept, all),
  };
}

function promptRows(prompt: string, look: Look): readonly Row[] {
  const { prompt: sign, ellipsis } = glyphsOf(look);
  const rows = cleanLines(prompt.trimEnd()).flatMap((line, at) =>
    wrapRow([plain(line)], {
      width: look.width,
      first: [styled(at === 0 ? `${sign} ` : '  ', boldStyle)],
      rest: [plain('  ')],
    }),
  );
  if (rows.length <= mostPromptRows) return rows;
  return [...rows.slice(0, mostPromptRows - 1), [styled(`  ${ellipsis}`, dimStyle)]];
}

function filesRows(files: FilesAhead, look: Look): readonly Row[] {
  if (files.kind === 'none') return words(`No file would change: ${files.why}`, look);
  const { report } = files;
  const { diffs = [] } = report;
  const { restored, deleted, kept } = countRewoundFiles(report);
  const counts = [
    ...(restored.length === 0 ? [] : [`${plural(restored.length, 'file')} would go back`]),
    ...(deleted.length === 0 ? [] : [`${plural(deleted.length, 'new file')} would be deleted`]),
    ...(kept.length === 0 ? [] : [`${plural(kept.length, 'file')} would stay as now`]),
  ];
  const head = counts.length === 0 ? 'No file would change.' : `In ${report.root}: ${counts.join(', ')}.`;
  return [
    ...words(head, look, boldStyle),
    ...diffs.flatMap((diff) => [[], ...fileRows(diff, look)]),
    ...(kept.length === 0 ? [] : [[]]),
    ...kept.flatMap(({ path, why }) =>
      listed('stays', warnStyle, `${cleanLine(path)} (${keptReasons[why].words})`, look),
    ),
    ...restoreNotes(report).flatMap((note) => [[], ...words(note, look, warnStyle)]),
  ];
}

const verbs = {
  added: ['comes back', goodStyle],
  changed: ['changes back', boldStyle],
  deleted: ['is deleted', badStyle],
} as const;

const noLines = {
  binary: 'a binary file, not shown',
  large: 'a large file, not shown',
  mode: 'only its permissions change',
  'not-kept': 'its content is not in the snapshots',
} as const;

function fileRows({ path, kind, diff }: RestoreDiff, look: Look): readonly Row[] {
  const [verb, style] = verbs[kind];
  const head = listed(verb, style, cleanLine(path), look);
  if (diff.kind !== 'lines') return [...head, [styled(`    (${noLines[diff.kind]})`, dimStyle)]];
  return [...head, ...diffRows(diffLinesOf({ diff: diff.text, kind: 'update' }), path, look)];
}

function listed(verb: string, style: typeof boldStyle, text: string, look: Look): readonly Row[] {
  return wrapRow([plain(text)], { width: look.width, first: [styled(`${verb} `, style)], rest: [plain('  ')] });
}

function words(text: string, look: Look, style: typeof boldStyle = {}): readonly Row[] {
  return wrapRow([styled(cleanLine(text), style)], { width: look.width });
}
