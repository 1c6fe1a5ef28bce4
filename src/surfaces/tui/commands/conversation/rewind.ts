import type { RestoreReport, RestoreTarget, RestoreDiff } from '../../../../engine/undo/restore-files.ts';
import type { ThreadPrompt } from '../../../../engine/store/stored-thread-details.ts';
import { plural } from '../../../../engine/wording.ts';
import type { ThreadId } from '../../../../protocol/ids.ts';
import { outcomeText } from '../../../../protocol/outcome.ts';
import { type RestoredFiles, withoutParentFolders } from '../../../../protocol/turn-item.ts';
import { agoWords } from '../../../views/wording/time-words.ts';
import { imageLabel, renumberElements } from '../../draft/draft-elements.ts';
import { joinAll } from '../../draft/draft-message.ts';
import { type Draft, type DraftElement, draftFromText, escapeCommandDraft } from '../../draft/draft.ts';
import { changeWholeThread } from '../../pages/insight/inspected-thread.ts';
import { type ListView, openList } from '../../pages/list-view.ts';
import { cleanLine, cleanText, cleanLines } from '../../screen/text/clean-text.ts';
import type { TuiSession } from '../../session/session.ts';
import { keptFileReasons, restoreNotes } from '../../../views/threads/rollback-and-restore-words.ts';
import { paddingBlanks, cursorSign, drawCutRows, keyTable, listMargin, listRowStyle } from '../../pages/list-parts.ts';
import { hintKeyMapper } from '../../screen/keys/key-map.ts';
import { drawRows } from '../../screen/text/draw-row.ts';
import { type Look, glyphsOf } from '../../screen/text/look.ts';
import { badStyle, boldStyle, dimStyle, goodStyle, plain, styled, warnStyle } from '../../screen/text/style.ts';
import type { Row } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import type { View } from '../../screen/view.ts';
import { diffLinesOf, diffRows } from '../../transcript/cells/patch-cells.ts';

const mostLeft = 5;

/** `/rewind`: a list. `/rewind undo [THREAD]`: restores files to their state before a rewind. */
export async function rewindOrUndo(session: TuiSession, rest: string): Promise<void> {
  const [word, id, more] = rest.split(/\s+/);
  if (rest === '') return browseRewind(session);
  if (word !== 'undo' || more !== undefined || (id !== undefined && !/^[\da-f-]{36}$/.test(id)))
    return session.notice('Use /rewind, or /rewind undo [THREAD] to undo what it did to files.', 'error');
  return undo(session, (id as ThreadId | undefined) ?? session.thread.id, `/rewind ${rest}`);
}

/** Esc Esc: lists the user's messages to rewind to before one of them. The newest is selected. */
async function browseRewind(session: TuiSession): Promise<void> {
  const { stage, engine, now } = session.parts;
  const { thread } = session;
  const prompts = thread.place === undefined ? [] : await engine.stored.prompts(thread.id);
  if (prompts.length === 0) return session.notice('There is no message to go back to yet.');
  const items = prompts.map(({ words, messages, startedAt }) => ({
    label: cleanLine(words).slice(0, 500) || plural(messages.flatMap(({ pictures }) => pictures).length, 'picture'),
    about: startedAt === undefined ? '' : agoWords(startedAt, now()),
  }));
  let isComparing = false;
  const list = openList(stage, {
    title: 'Go back to before which message?',
    hint: (key) => `${key('Enter')} shows what would change, ${key('Esc')} goes back`,
    items,
    startsAt: items.length - 1,
    isSearched: true,
    keys: { left: () => list.move(-1), right: () => list.move(1) },
    pick(index) {
      if (isComparing) return;
      isComparing = true;
      list.update({ hint: (key) => `Comparing files, ${key('Esc')} goes back` });
      session.inBackground(showRewind(session, prompts[index]!, list));
    },
  });
}

/**
 * Previews the rewind with the changed lines of files. If no turn changed a file there is nothing to choose, and the
 * conversation is rewound at once. The list stays open meanwhile, and the user may close it.
 */
async function showRewind(session: TuiSession, prompt: ThreadPrompt, list: ListView): Promise<void> {
  const { stage, engine } = session.parts;
  const { id } = session.thread;
  const target = { beforeTurn: prompt.turnId };
  const foreseen = await engine.restoreFiles(id, target, { dryRun: true, diffs: true, force: false });
  if (stage.view !== list) return;
  stage.open(undefined);
  if (foreseen.kind === 'refused' && foreseen.outcome.code === 'nothing-to-restore')
    return rewind(session, prompt, 'conversation');
  const leave = (work: () => Promise<void>): void => {
    stage.openPager(undefined);
    session.inBackground(work());
  };
  const view = rewindView({
    prompt: prompt.words,
    files: foreseen.kind === 'refused' ? outcomeText(foreseen.outcome) : foreseen,
    close: () => leave(() => browseRewind(session)),
    pick: (part) => leave(() => rewind(session, prompt, part)),
  });
  stage.openPager(view);
}

/**
 * Restores files first: that compares them again, and keeps changes that others made since the preview. The
 * conversation continues in a fork, so that the former one stays unchanged and can be resumed.
 */
async function rewind(session: TuiSession, prompt: ThreadPrompt, part: RewindPart): Promise<void> {
  const { stage, threads } = session.parts;
  const { id } = session.thread;
  let files: RestoreReport | undefined;
  if (part !== 'conversation') {
    const restored = await restore(session, id, { beforeTurn: prompt.turnId });
    if (restored.kind === 'refused') return session.noticeProblem(restored.outcome);
    files = restored;
  }
  if (files !== undefined && part === 'files') return session.notice(continued(files, '/rewind undo'));
  const told = files === undefined ? 'Files are unchanged.' : filesWords(files, `/rewind undo ${id}`);
  const forked = await threads.fork(id, { kind: 'before', turnId: prompt.turnId });
  if (forked.kind === 'refused') {
    const why = `The conversation did not go back: ${outcomeText(forked.outcome)}`;
    return session.notice(files === undefined ? why : `${why}\n${told}`, 'error');
  }
  session.notice(`Back to before: ${cleanLine(prompt.words).slice(0, 200)}`);
  await session.switchTo(forked, { shows: 'end', goesBack: true });
  const draft = joinAll(prompt.messages.map(({ words, pictures }) => draftWithPictures(cleanText(words), pictures)));
  const shown = draft && stage.composer.giveMessageBack(escapeCommandDraft(draft));
  const aside =
    shown === 'aside' ? '\nWhat you type stays as it is; Up in an empty line brings that message back.' : '';
  session.notice(
    `The conversation is as it was before that message. The former one is kept: /resume ${id}\n${told}${aside}`,
  );
}

/** Undoes the last restore. Running it again redoes that restore. */
async function undo(session: TuiSession, id: ThreadId, typed: string): Promise<void> {
  const { stage } = session.parts;
  const restored = await restore(session, id, { beforeRestore: 'last' });
  if (restored.kind === 'refused') {
    const { code, message } = restored.outcome;
    const isNone = code === 'nothing-to-undo';
    const why = isNone ? `${message}\n${await insteadOfUndo(session, id)}` : outcomeText(restored.outcome);
    stage.composer.giveMessageBack(draftFromText(typed));
    stage.popup.closeFor(stage.composer.draft);
    return session.notice(why, 'error');
  }
  session.notice(continued(restored, id === session.thread.id ? '/rewind undo' : `/rewind undo ${id}`));
}

/** Advice for a thread without a restore: a rewind of the conversation recorded it in the former thread. */
async function insteadOfUndo({ parts: { engine } }: TuiSession, id: ThreadId): Promise<string> {
  const summary = await engine.stored.summary(id);
  const former = 'code' in summary ? undefined : summary.forkedFrom;
  const options = { dryRun: true, force: false };
  const before =
    former === undefined ? undefined : await engine.restoreFiles(former, { beforeRestore: 'last' }, options);
  if (before?.kind === 'restored')
    return `Files went back in the conversation that this one came from.\nTo undo that: /rewind undo ${former}`;
  return '/rewind goes back to before a message, with the files if you want.';
}

/** Tells the open conversation about the same files, but not the turn, since it counts its turns differently. */
async function tellShown(session: TuiSession, { before: _before, ...files }: RestoredFiles): Promise<void> {
  const told = await session.thread.tellPutBack(files);
  if (told.kind === 'refused') session.notice(`The model was not told of it: ${outcomeText(told.outcome)}`, 'error');
}

/** The thread is either the shown one, which stays in this window, or the one it was rewound from. */
async function restore(session: TuiSession, id: ThreadId, target: RestoreTarget) {
  const { threads, engine } = session.parts;
  let files: RestoredFiles | undefined;
  const told = (named: RestoredFiles): void => void (files = named);
  const work = () => engine.restoreFiles(id, target, { dryRun: false, force: false, told });
  if (id === session.thread.id) return changeWholeThread(session, work);
  const done = await threads.whole(id, work);
  if (files !== undefined) await tellShown(session, files);
  return done;
}

const continued = (files: RestoreReport, undoing: string): string =>
  `${filesWords(files, undoing)}${leftWords(files)}\nThe conversation continues as it is.`;

function leftWords(files: RestoreReport): string {
  const paths = countRewoundFiles(files).kept.map(({ path }) => cleanLine(path));
  const more = paths.length > mostLeft ? `, and ${paths.length - mostLeft} more` : '';
  return paths.length === 0 ? '' : `\nLeft as now: ${paths.slice(0, mostLeft).join(', ')}${more}`;
}

function filesWords(report: RestoreReport, undoing: string): string {
  const { failed } = report;
  const { restored, deleted, kept } = countRewoundFiles(report);
  const counts = [
    ...countPhrase(restored, 'file', 'restored'),
    ...countPhrase(deleted, 'file', 'deleted'),
    ...countPhrase(kept, 'file', 'left as now'),
    ...failed.map(({ path, reason }) => `${cleanLine(path)} could not be restored (${cleanLine(reason)})`),
  ];
  const done = counts.length === 0 ? 'No file had to change.' : `${counts.join(', ')}.`;
  return report.restored.length + report.deleted.length === 0 ? done : `${done}\nTo undo that: ${undoing}`;
}

/** Makes a draft from a sent message. Pictures go where its words name them by number, others before the words. */
export function draftWithPictures(words: string, pictures: readonly string[]): Draft {
  const placed = pictures.map((source, index) => ({ source, label: imageLabel(index + 1) }));
  const unnamed = placed.filter(({ label }) => !words.includes(label)).map(({ label }) => label);
  const text = [...unnamed, words].filter((part) => part !== '').join(' ');
  const elements = placed.map(({ source, label }): DraftElement => {
    const start = text.indexOf(label);
    return { start, end: start + label.length, payload: { kind: 'image', source } };
  });
  const ordered = elements.toSorted((one, other) => one.start - other.start);
  return renumberElements({ ...draftFromText(text), elements: ordered });
}

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
    return wrapRow([plain(line)], { width: look.width, first, rest: listMargin });
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
  wrapRow([plain(text)], { width: look.width, first: [styled(`${verb} `, style)], rest: listMargin });

const words = (text: string, look: Look, style: typeof boldStyle = {}): readonly Row[] =>
  wrapRow([styled(cleanLine(text), style)], { width: look.width });
