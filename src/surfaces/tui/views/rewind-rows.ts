import { filesAmong } from '../../../protocol/files-among.ts';
import type { RestoreDiff, RestoreReport } from '../../engine/engine-types.ts';
import { plural } from '../../wording/number-words.ts';
import { keptReasons, restoreNotes } from '../../threads/restore-words.ts';
import { diffLinesOf, diffRows } from '../cells/diff-rows.ts';
import { cleanLine, cleanLines } from '../text/clean.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { badStyle, boldStyle, dimStyle, goodStyle, plain, type Row, styled, warnStyle } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';

/** What would happen to files: nothing for a reason, or something. */
export type FilesAhead =
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'known'; readonly report: RestoreReport };

/** Rows of a prompt that are shown above the files. */
const mostPromptRows = 6;

/** What going back means: the message, then each file with its changed lines, then what stays as it is and why. */
export function rewindRows(prompt: string, files: FilesAhead, look: Look): readonly Row[] {
  return [...promptRows(prompt, look), [], ...filesRows(files, look)];
}

/** What a restore is about, without folders: what is counted is files. */
export function rewoundFiles({ restored, deleted, kept }: Pick<RestoreReport, 'restored' | 'deleted' | 'kept'>) {
  const all = [...restored, ...deleted, ...kept.map(({ path }) => path)];
  return {
    restored: filesAmong(restored, all),
    deleted: filesAmong(deleted, all),
    kept: filesAmong(kept, all),
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
  const { restored, deleted, kept } = rewoundFiles(report);
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
