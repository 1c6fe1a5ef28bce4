import { countColumns } from '../../../../base/text-columns.ts';
import { plural } from '../../../../engine/wording.ts';
import type { Json } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { StoryTurn, ThreadStory } from '../../../views/context/thread-story.ts';
import {
  envelopeFieldText,
  envelopeTurnLine,
  envelopeView,
  missingEnvelopeReason,
  valueDifferences,
} from '../../../views/threads/envelope-page.ts';
import type { ChangedField, ShownField } from '../../../views/threads/envelope-page.ts';
import { clockTimeOf } from '../../../views/wording/time-words.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { dimStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import { type BrowseList, type BrowsePage, figureRow, listPage, sentenceRows, browsableText } from '../browse-view.ts';
import type { TuiSession } from '../../session/session.ts';
import { browseThread, parseTurnNumber } from './inspected-thread.ts';

/** `/envelope`: the contract of the newest turn. `/envelope 3`: its differences from turn 3. */
export function showEnvelope(host: TuiSession, rest: string): Promise<void> {
  const { id } = host.thread;
  return browseThread(host, 'Envelope', ({ story }) => {
    const turn = parseTurnNumber(rest, story);
    if (turn !== undefined && typeof turn !== 'number') return void host.noticeProblem(turn);
    const page = turn === undefined ? envelopeBrowse(id, story) : differencePage(id, story, turn);
    if ('code' in page) return void host.noticeProblem(page);
    return page;
  });
}

const widestOrigin = 24;

/** The contract of the newest turn: its groups with their fields, and the differences from another turn. */
export function envelopeBrowse(id: string, story: ThreadStory): BrowsePage | Outcome {
  const view = envelopeView(id, story, { turn: undefined, diff: undefined });
  if ('code' in view) return view;
  if (view.kind !== 'envelope' || view.fields === undefined) {
    const context = JSON.stringify(view.turn.context ?? {}, undefined, 2);
    return browsableText({ title: 'Envelope', about: [missingEnvelopeReason(view.turn)], text: () => context });
  }
  const { fields, turn } = view;
  const groups = [...new Set(fields.map(({ field }) => groupOf(field)))];
  const fieldsOf = (group: string) => fields.filter(({ field }) => groupOf(field) === group);
  return listPage('Envelope', story.turns.length > 1 ? [...groups, undefined] : groups, {
    head: (look) => sentenceRows([envelopeTurnLine(id, turn, story.turns.length)], look),
    row(group, look) {
      if (group === undefined) return [plain('compare with another turn')];
      return figureRow([plain(group)], look, [plural(fieldsOf(group).length, 'field'), 10]);
    },
    open: (group) => (group === undefined ? turnsPage(id, story, turn) : groupPage(group, fieldsOf(group))),
  });
}

export function differencePage(id: string, story: ThreadStory, against: number): BrowsePage | Outcome {
  const view = envelopeView(id, story, { turn: undefined, diff: against });
  if ('code' in view) return view;
  const changes = view.kind === 'difference' ? view.changes : [];
  const { number } = view.turn;
  return listPage(`turn ${against} and turn ${number}`, changes, {
    row: changeRow,
    open: (change) => changePage(change, against, number),
    empty: `Nothing differs between turn ${against} and turn ${number}.`,
  });
}

function turnsPage(id: string, story: ThreadStory, newest: StoryTurn): BrowseList {
  const others = story.turns.filter(({ number }) => number !== newest.number).toReversed();
  return listPage('Compare with', others, {
    row({ number, at, compacts }) {
      return [plain(`turn ${number}`), styled(`  ${clockTimeOf(at)}${compacts ? ', a compaction' : ''}`, dimStyle)];
    },
    open({ number }) {
      const page = differencePage(id, story, number);
      if (!('code' in page)) return page;
      return browsableText({ title: 'No difference', text: () => `${page.message}\n${page.next}` });
    },
  });
}

function groupPage(group: string, fields: readonly ShownField[]): BrowseList {
  const names = fields.map(({ field }) => field.slice(group.length + 1));
  const wide = Math.max(...names.map(countColumns));
  const origins = Math.min(widestOrigin, Math.max(...fields.map(({ origin }) => countColumns(cleanLine(origin)))));
  return listPage(group, fields, {
    row({ field, value, origin }, look, index) {
      const name = plain(names[index]!.padEnd(Math.min(wide, Math.floor(look.width / 3)) + 2));
      const words = [name, styled(valueLine(field, value), dimStyle)];
      return figureRow(words, look, [cleanLine(origin).slice(0, widestOrigin), origins]);
    },
    open: fieldPage,
  });
}

function fieldPage({ field, value, origin, roles, consumers, awaits }: ShownField): BrowsePage {
  const about = [
    `From: ${origin}`,
    ...(roles.length === 0 ? [] : [`Read by: ${roles.join(', ')} (${consumers.join(', ')})`]),
    ...(awaits === undefined ? [] : [`Later: ${awaits}`]),
  ];
  return browsableText({ title: field, about, text: () => wholeValue(field, value) });
}

function changeRow({ field, from, to }: ChangedField, look: Look): Row {
  const [before, now] = [from, to].map((value) => (value === undefined ? 'none' : valueLine(field, value)));
  return [plain(`${field}  `), styled(`${before} ${glyphsOf(look).arrow} ${now}`, dimStyle)];
}

function changePage({ field, from, to, origin }: ChangedField, before: number, now: number): BrowsePage {
  const shown = (value: Json | undefined): string => (value === undefined ? 'none' : wholeValue(field, value));
  const differences = valueDifferences(from, to).map(
    (each) => `${field}${each.path}\n  turn ${before}: ${shown(each.from)}\n  turn ${now}: ${shown(each.to)}`,
  );
  const about = origin === undefined ? [] : [`From: ${origin}`];
  return browsableText({ title: field, about, text: () => differences.join('\n\n') });
}

const groupOf = (field: string): string => field.slice(0, field.indexOf('.'));
/** Bounds the work; long values are cut at the row end anyway. */
const longestLine = 400;

const valueLine = (field: string, value: Json): string =>
  cleanLine(envelopeFieldText(field, value).slice(0, longestLine));

function wholeValue(field: string, value: Json): string {
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value, undefined, 2)
    : envelopeFieldText(field, value);
}
