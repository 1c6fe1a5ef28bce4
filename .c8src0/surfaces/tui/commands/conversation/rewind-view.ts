import type { RestoreDiff, RestoreReport } from '../../../../engine/undo/restore-files.ts';
import { plural } from '../../../../engine/wording.ts';
import { withoutParentFolders } from '../../../../protocol/turn-item.ts';
import { keptFileReasons, restoreNotes } from '../../../views/threads/rollback-and-restore-words.ts';
import { paddingBlanks, cursorSign, drawCutRows, keyTable, margin, listRowStyle } from '../../pages/list-parts.ts';
import { hintKeyMapper } from '../../screen/keys/key-map.ts';
import { cleanLine, cleanLines } from '../../screen/text/clean-text.ts';
import { drawRows } from '../../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { badStyle, boldStyle, dimStyle, goodStyle, plain, styled, warnStyle } from '../../screen/text/style.ts';
import type { Row } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import type { View } from '../../screen/view.ts';
import { diffLinesOf, diffRows } from '../../transcript/cells/patch-cells.ts';

export type RewindPart = 'both' | 'conversation' | 'files';

interface RewindOptions {
  readonly prompt: string;
  readonly files: FilesAhead;
  pick(part: RewindPart): void;
  close(): void;
}

const allParts: readonly { readonly part: RewindPart; readonly label: string; readonly about: string }[] = [
  { part: 'both', label: 'conversation and files', about: 'the message comes back' },
  { part: 'conversation', label: 'conversation only', about: 'files stay as they are now' },
  { part: 'files', label: 'files only', about: 'the conversation goes on' },
];

/** The changes of a rewind, and below them the parts to choose from. */
export function rewindView({ prompt, files, pick, close }: RewindOptions): View {
  const hasChanges = typeof files !== 'string' && files.restored.length + files.deleted.length > 0;
  const parts = allParts.filter(({ part }) => hasChanges || part === 'conversation');
  const widest = Math.max(0, ...parts.map(({ label }) => label.length));
  let [at, from, room] = [0, 0, 1];
  const pickAt = (index: number): void => {
    const chosen = parts[index];
    if (chosen !== undefined) pick(chosen.part);
  };
  const keys = keyTable<() => void>({
    'escape q ctrl+c': close,
    'up k': () => (at = Math.max(0, at - 1)),
    'down j': () => (at = Math.min(parts.length - 1, at + 1)),
    pageup: () => (from -= room),
    'pagedown space': () => (from += room),
    enter: () => pickAt(at),
  });
  return {
    frame(look, height) {
      const choices = parts.map(({ label, about }, index): Row => {
        const isChosen = index === at;
        const name = styled(`${index + 1}. ${label}`, listRowStyle(isChosen));
        const blanks = plain(`${paddingBlanks(widest, label.length)}  `);
        return [cursorSign(isChosen, look), name, blanks, styled(about, dimStyle)];
      });
      const key = hintKeyMapper(look, 'pager');
      const hint = `${key('Enter')} chooses · ${key('Page Up')} and ${key('Page Down')} scroll · ${key('Esc')} goes back`;
      const rule = styled(glyphsOf(look).rule.repeat(look.width), dimStyle);
      const foot: readonly Row[] = [[rule], ...choices, [styled(hint, dimStyle)]];
      const whole: Look = { ...look, details: 'whole' };
      const all = drawRows([...promptRows(prompt, whole), [], ...filesRows(files, whole)], look);
      room = Math.max(1, height - foot.length - 1);
      from = Math.max(0, Math.min(from, all.length - room));
      const shown = all.slice(from, from + room);
      const blanks = Array.from({ length: room - shown.length }, () => '');
      const head = drawCutRows([[styled('Go back to before this message', boldStyle)]], look);
      return { rows: [...head, ...shown, ...blanks, ...drawCutRows(foot, look)].slice(0, height) };
    },
    input(input) {
      if (input.kind === 'wheel') from += input.direction === 'up' ? -3 : 3;
      if (input.kind !== 'key') return;
      if (/^[1-9]$/.test(input.name)) pickAt(Number(input.name) - 1);
      else keys.get(input.name)?.();
    },
  };
}

/** Text: why no file would change. */
type FilesAhead = string | RestoreReport;

const mostPromptRows = 6;

/** Counts files only, without folders. */
export function countRewoundFiles({ restored, deleted, kept }: Pick<RestoreReport, 'restored' | 'deleted' | 'kept'>) {
  const all = [...restored, ...deleted, ...kept.map(({ path }) => path)];
  return {
    restored: withoutParentFolders(restored, all),
    deleted: withoutParentFolders(deleted, all),
    kept: withoutParentFolders(kept, all),
  };
}

/** `2 files restored`. Empty: there are none. */
export const countPhrase = (list: readonly unknown[], what: string, does: string): readonly string[] =>
  list.length === 0 ? [] : [`${plural(list.length, what)} ${does}`];

function promptRows(prompt: string, look: Look): readonly Row[] {
  const { prompt: sign, ellipsis } = glyphsOf(look);
  const rows = cleanLines(prompt.trimEnd()).flatMap((line, at) => {
    const first = [styled(at === 0 ? `${sign} ` : '  ', boldStyle)];
    return wrapRow([plain(line)], { width: look.width, first, rest: margin });
  });
  if (rows.length <= mostPromptRows) return rows;
  return [...rows.slice(0, mostPromptRows - 1), [styled(`  ${ellipsis}`, dimStyle)]];
}

function filesRows(files: FilesAhead, look: Look): readonly Row[] {
  if (typeof files === 'string') return words(`No file would change: ${files}`, look);
  const { root, diffs = [] } = files;
  const { restored, deleted, kept } = countRewoundFiles(files);
  const counts = [
    ...countPhrase(restored, 'file', 'would go back'),
    ...countPhrase(deleted, 'new file', 'would be deleted'),
    ...countPhrase(kept, 'file', 'would stay as now'),
  ];
  const head = counts.length === 0 ? 'No file would change.' : `In ${root}: ${counts.join(', ')}.`;
  return [
    ...words(head, look, boldStyle),
    ...diffs.flatMap((diff) => [[], ...fileRows(diff, look)]),
    ...(kept.length === 0 ? [] : [[]]),
    ...kept.flatMap(({ path, why }) =>
      listed('stays', warnStyle, `${cleanLine(path)} (${keptFileReasons[why].words})`, look),
    ),
    ...restoreNotes(files).flatMap((note) => [[], ...words(note, look, warnStyle)]),
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

const listed = (verb: string, style: typeof boldStyle, text: string, look: Look): readonly Row[] =>
  wrapRow([plain(text)], { width: look.width, first: [styled(`${verb} `, style)], rest: margin });

const words = (text: string, look: Look, style: typeof boldStyle = {}): readonly Row[] =>
  wrapRow([styled(cleanLine(text), style)], { width: look.width });
