import { entryFromLine } from '../../../../core/history/entry.ts';
import { contextEvents, type RecordedItem } from '../../../../core/state/recorded/conversation-items.ts';
import { readTurnItems } from '../../../../core/state/turns/turn-items.ts';
import { toOneLine } from '../../../../core/state/turns/turn-words.ts';
import { fragmentFamilyName } from '../../../../core/world/catalog.ts';
import { cursorAt, lastValidPlaceIn, parseAfterPlace } from '../../../../engine/live/line-cursor.ts';
import { plural } from '../../../../engine/wording.ts';
import type { ThreadId, TurnId } from '../../../../protocol/ids.ts';
import { asItem } from '../../../../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../../../protocol/json.ts';
import type { Line } from '../../../../protocol/line.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { Question } from '../../../../protocol/question.ts';
import type { ThreadQuery, ThreadSummary } from '../../../../protocol/thread.ts';
import { visibleLine } from '../../../views/terminal/visible-text.ts';
import { questionJson, snakeCased } from '../../../views/wording/json-fields.ts';
import { withThreadId, readThreadLines } from './find-thread.ts';
import { toolAnswer, refusalAnswer } from './tool-answers.ts';
import { readOnlyHints, schemaParts, type UnboundTool, type ToolServices } from './tool-definition.ts';
import { questionText } from './turn-answers.ts';
import { resolve } from 'node:path';

const queryArguments: JsonObject = {
  ...schemaParts.fields('cwd, archived: boolean'),
  limit: schemaParts.wholeNumber('default 25', 1),
  cursor: schemaParts.text('next of the page before'),
};

export const threadListTool: UnboundTool = {
  name: 'thread_list',
  title: 'List threads',
  description: 'The stored threads, newest first, also those of other programs.',
  input: schemaParts.input(
    { text: schemaParts.text('in name or preview'), sort: schemaParts.choice('updated', 'created'), ...queryArguments },
    [],
  ),
  output: schemaParts.output('threads: list, next', ['threads']),
  annotations: readOnlyHints,
  async call(parts, args) {
    const page = await parts.engine.stored.list(queryFrom(args, parts.cwd));
    if ('code' in page) return refusalAnswer(withCursor(page));
    const { next } = page;
    const threads = page.threads.map((thread) => withOpenQuestions(parts, thread));
    const lines = threads.map(threadLine);
    return toolAnswer(pageText(lines, 'No threads.', next), { threads: threads.map(summaryFields), next });
  },
};

export const threadSearchTool: UnboundTool = {
  name: 'thread_search',
  title: 'Search threads',
  description: 'Threads in which the user or the model said all of the words. Words in quotes stay together.',
  input: schemaParts.input({ ...schemaParts.fields('query'), ...queryArguments }, ['query']),
  output: schemaParts.output('hits: list, next', ['hits']),
  annotations: readOnlyHints,
  async call(parts, args) {
    const found = await parts.engine.stored.search(stringAt(args, 'query') ?? '', queryFrom(args, parts.cwd));
    if ('code' in found) return refusalAnswer(withCursor(found));
    const { hits, next } = found;
    const lines = hits.map(({ thread, turn, excerpt }) => `${thread.id} turn ${turn}: ${shortLine(excerpt, 120)}`);
    const shown = hits.map(({ thread, ...hit }) => ({ thread: summaryFields(thread), ...hit }));
    return toolAnswer(pageText(lines, 'No matches.', next), { hits: shown, next });
  },
};

/** Counts a running call's questions about a host or another try, too, which are not stored. */
function withOpenQuestions({ runs }: ToolServices, thread: ThreadSummary): ThreadSummary {
  const open = runs.current(thread.id)?.questions.length ?? 0;
  return open > (thread.questions ?? 0) ? { ...thread, questions: open } : thread;
}

function threadLine({ id, name, preview, turns, forkedFrom, questions = 0 }: ThreadSummary): string {
  const more = [
    plural(turns, 'turn'),
    ...(forkedFrom === undefined ? [] : [`fork of ${forkedFrom}`]),
    ...(questions === 0 ? [] : ['a question waits']),
  ];
  return `${id} ${shortLine(name ?? preview, 80)} (${more.join(', ')})`;
}

/** Thread text in one line, without characters that are invisible to a reader or a terminal. */
const shortLine = (words: string, characters: number): string => visibleLine(toOneLine(words, characters));

function pageText(lines: readonly string[], none: string, next: string | undefined): string {
  const more = next === undefined ? [] : [`More: call again with cursor ${JSON.stringify(next)}.`];
  return lines.length === 0 ? none : [...lines, ...more].join('\n');
}

function queryFrom(args: JsonObject, here: string): ThreadQuery {
  const cwd = stringAt(args, 'cwd');
  return {
    cwd: cwd === undefined ? undefined : resolve(here, cwd),
    archived: args['archived'] === true || undefined,
    text: stringAt(args, 'text'),
    cursor: stringAt(args, 'cursor'),
    limit: Math.min(numberAt(args, 'limit') ?? 25, 100),
    sort: args['sort'] === 'created' ? 'created' : 'updated',
  };
}

function withCursor(outcome: Outcome): Outcome {
  const next = 'Use next of the page before as cursor, or leave cursor out.';
  return outcome.code === 'cursor-unknown' ? { ...outcome, next } : outcome;
}

function summaryFields({ location, ...summary }: ThreadSummary): JsonObject {
  return { ...snakeCased(summary), path: location };
}

const mostItems = 500;
const mostCharacters = 4000;

export const threadReadTool: UnboundTool = {
  name: 'thread_read',
  title: 'Read a thread',
  description: 'What happened in a thread: items with their message kind, in pages. Continue with after = next.',
  input: schemaParts.input({
    ...schemaParts.fields('thread_id'),
    after: { type: ['integer', 'string'], description: 'next, or ordinal or cursor of an event' },
    last: schemaParts.wholeNumber('only the newest items', 1),
    limit: schemaParts.wholeNumber('default 50', 1),
    max_text: schemaParts.wholeNumber('characters per text; default 4000', 1),
  }),
  output: schemaParts.output('thread_id, turns: list, items: list, next, rewound: integer, questions: list'),
  annotations: readOnlyHints,
  call: withThreadId(async (parts, id, args) => {
    const after = parseAfterPlace(args['after'] ?? -1);
    if (after === undefined) return refusalAnswer(placeUnknown, { thread_id: id });
    const { lines } = await readThreadLines(parts.engine, id);
    const standing = lastValidPlaceIn(lines, id, after);
    const page = itemPage(lines, {
      after: standing,
      limit: Math.min(numberAt(args, 'last') ?? numberAt(args, 'limit') ?? 50, mostItems),
      isNewest: numberAt(args, 'last') !== undefined,
      most: numberAt(args, 'max_text') ?? mostCharacters,
    });
    const questions = await openQuestions(parts, id);
    const isRewound = standing < after.place;
    const shown = [
      ...(isRewound ? [`The thread was rolled back: forget what you read after ${standing}.`] : []),
      ...page.items.map((item) => `${item.ordinal} turn ${item.turn} ${item.type}: ${wordsOf(item)}`),
      ...(page.next === undefined ? [] : [`More: call again with after ${page.next}.`]),
      ...questions.map((question) => `Open question ${questionText(question)}`),
    ];
    return toolAnswer(shown.length === 0 ? 'Nothing to read here.' : shown.join('\n'), {
      thread_id: id,
      ...page,
      ...(isRewound && { rewound: standing }),
      ...(questions.length > 0 && { questions: questions.map(questionJson) }),
    });
  }),
};

const placeUnknown: Outcome = {
  code: 'place-unknown',
  message: '"after" is not a place in a thread.',
  next: 'Use next of the page before, the ordinal or cursor of an event, or leave after out.',
};

/** Questions of a turn that runs here, or that is suspended in the file. */
const openQuestions = async ({ live, engine }: ToolServices, id: ThreadId): Promise<readonly Question[]> =>
  live.loaded.find((thread) => thread.id === id)?.questions ?? engine.stored.questions(id);

function wordsOf(item: JsonObject): string {
  const name = stringAt(item, 'name');
  if (name === undefined) return shortLine(stringAt(item, 'text') ?? '', 160);
  const [input, output] = [objectAt(item, 'input'), objectAt(item, 'output')].map((each) => stringAt(each, 'text'));
  const back = output === undefined ? '' : ` → ${shortLine(output, 160)}`;
  return `${name} ${shortLine(input ?? '', 160)}${back}`;
}

/** `most`: characters of one text; a cut is marked. */
type PageOptions = Readonly<Record<'after' | 'limit' | 'most', number> & { isNewest: boolean }>;

/** Items in order with place, turn and message kind, and their turns. `next`: the `after` of the next page, if any. */
export function itemPage(lines: readonly Line[], { after, limit, isNewest, most }: PageOptions) {
  const { turns, places } = readTurnItems(lines);
  const standing = turns.filter(({ isTakenBack }) => !isTakenBack);
  const all = standing.flatMap((turn) => turn.items.map((item) => ({ turn, item, ordinal: places.get(item) ?? 0 })));
  const behind = all.filter(({ ordinal }) => ordinal > after);
  const shown = isNewest ? behind.slice(-limit) : behind.slice(0, limit);
  const last = shown.at(-1)?.ordinal;
  const byPlace = new Map(lines.map((line, index) => [line.ordinal ?? index, line]));
  const named = new Set(shown.map(({ turn }) => turn));
  return {
    turns: standing
      .filter((turn) => named.has(turn))
      .map(({ number, id, startedAt, status, error }) => ({ number, id, started_at: startedAt, status, error })),
    items: shown.map(({ turn, item, ordinal }) => ({
      ordinal,
      turn: turn.number,
      type: item.kind,
      message_kind: messageKind(item),
      ...contentOf(item, most),
      ...(item.kind === 'context' && valuesIn(byPlace.get(ordinal), most)),
    })),
    next: !isNewest && behind.length > shown.length && last !== undefined ? cursorOf(lines, last) : undefined,
  };
}

/** Values of context, as far as its line has them, so that no reader has to parse the text. */
function valuesIn(line: Line | undefined, most: number): JsonObject {
  const item = line === undefined ? undefined : asItem(line.payload);
  if (line === undefined || item === undefined) return {};
  const told = contextEvents(entryFromLine(item, line.metadata), line.metadata, { turnId: '' as TurnId, place: 0 });
  const known = told.filter(({ value }) => value !== undefined && JSON.stringify(value).length <= most);
  if (known.length === 0) return {};
  return { values: known.map(({ content, cause, value }) => ({ kind: content, cause, value: value ?? null })) };
}

/** Lines of the old form have no ordinals, and are never removed. */
function cursorOf(lines: readonly Line[], place: number): string {
  const line = lines.find(({ ordinal }) => ordinal === place);
  return line === undefined ? String(place) : cursorAt(place, line);
}

/** `plain` for words of the user or the model; for the program's context its subject, by the names of events. */
function messageKind(item: RecordedItem): string {
  if (item.kind === 'context') return item.title.split(', ').map(fragmentFamilyName).join(', ');
  return item.kind === 'user' || item.kind === 'assistant' ? 'plain' : item.kind;
}

function contentOf(item: RecordedItem, most: number): JsonObject {
  switch (item.kind) {
    case 'user':
      return { author: item.author, ...cut(item.texts.join('\n'), most), images: item.pictures.length || undefined };
    case 'assistant':
      return { ...cut(item.text, most), phase: item.phase };
    case 'call':
      return { name: item.name, input: cut(item.input, most), output: item.output && cut(item.output.text, most) };
    default:
      return cut(item.text, most);
  }
}

const cut = (text: string, most: number): JsonObject =>
  text.length <= most ? { text } : { text: text.slice(0, most).toWellFormed(), cut_at: most, characters: text.length };
