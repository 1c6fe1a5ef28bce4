import { resolve } from 'node:path';
import { defined } from '../../../protocol/defined.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../../protocol/json.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Question } from '../../../protocol/question.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ThreadQuery, ThreadSummary } from '../../../protocol/thread-summary.ts';
import { oneLine } from '../../../state/one-line.ts';
import { askedFields } from '../../wording/asked-fields.ts';
import { visibleLine } from '../../terminal/visible-text.ts';
import { plural } from '../../wording/number-words.ts';
import { snakeCased } from '../../wording/snake-cased.ts';
import { readAfter, standingIn } from '../../engine/live/place-cursor.ts';
import type { ServerTool } from '../offer/server-tool.ts';
import { askedText } from './turn-answers.ts';
import { answered, refusedAnswer } from './call-answers.ts';
import { readLines } from './read-lines.ts';
import { findThreadId } from './find-thread-by-name.ts';
import { itemPage } from './thread-items.ts';
import type { ToolParts } from './tool-parts.ts';
import { choiceOf, yesOrNo, inputOfTool, list, outputOfTool, text, whole } from './tool-schema.ts';

const looks = { readOnlyHint: true, idempotentHint: true } as const;
const queryArguments: JsonObject = {
  cwd: text(),
  archived: yesOrNo,
  limit: whole('default 25', 1),
  cursor: text('next of the page before'),
};

export function threadListTool(parts: ToolParts): ServerTool {
  return {
    name: 'thread_list',
    title: 'List threads',
    description: 'The stored threads, newest first, also those of other programs.',
    input: inputOfTool(
      { text: text('in name or preview'), sort: choiceOf('updated', 'created'), ...queryArguments },
      [],
    ),
    output: outputOfTool({ threads: list, next: text() }, ['threads']),
    annotations: looks,
    async call(args) {
      const page = await parts.engine.stored.list(queryFrom(args, parts.cwd));
      if ('code' in page) return refusedAnswer(withCursor(page));
      const { next } = page;
      const threads = page.threads.map((thread) => withOpenQuestions(parts, thread));
      const lines = threads.map(threadLine);
      return answered(pageText(lines, 'No threads.', next), {
        threads: threads.map(summaryFields),
        ...defined({ next }),
      });
    },
  };
}

export function threadSearchTool(parts: ToolParts): ServerTool {
  return {
    name: 'thread_search',
    title: 'Search threads',
    description: 'Threads in which the user or the model said all of the words. Words in quotes stay together.',
    input: inputOfTool({ query: text(), ...queryArguments }, ['query']),
    output: outputOfTool({ hits: list, next: text() }, ['hits']),
    annotations: looks,
    async call(args) {
      const found = await parts.engine.stored.search(stringAt(args, 'query') ?? '', queryFrom(args, parts.cwd));
      if ('code' in found) return refusedAnswer(withCursor(found));
      const { hits, next } = found;
      const lines = hits.map(({ thread, turn, excerpt }) => `${thread.id} turn ${turn}: ${shortLine(excerpt, 120)}`);
      const shown = hits.map(({ thread, ...hit }) => ({ thread: summaryFields(thread), ...hit }));
      return answered(pageText(lines, 'No matches.', next), { hits: shown, ...defined({ next }) });
    },
  };
}

/** What a running call asks, about a host or another try, is no part of what is stored. */
function withOpenQuestions({ runs }: ToolParts, thread: ThreadSummary): ThreadSummary {
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

/** Words of a thread in one line, without characters that an eye or a terminal would miss. */
function shortLine(words: string, characters: number): string {
  return visibleLine(oneLine(words, characters));
}

function pageText(lines: readonly string[], none: string, next: string | undefined): string {
  if (lines.length === 0) return none;
  return [...lines, ...(next === undefined ? [] : [`More: call again with cursor ${JSON.stringify(next)}.`])].join(
    '\n',
  );
}

function queryFrom(args: JsonObject, here: string): ThreadQuery {
  const cwd = stringAt(args, 'cwd');
  return {
    ...(cwd !== undefined && { cwd: resolve(here, cwd) }),
    ...(args['archived'] === true && { archived: true }),
    ...defined({ text: stringAt(args, 'text'), cursor: stringAt(args, 'cursor') }),
    limit: Math.min(numberAt(args, 'limit') ?? 25, 100),
    sort: args['sort'] === 'created' ? 'created' : 'updated',
  };
}

function withCursor(outcome: Outcome): Outcome {
  if (outcome.code !== 'cursor-unknown') return outcome;
  return { ...outcome, next: 'Use next of the page before as cursor, or leave cursor out.' };
}

function summaryFields({ location, ...summary }: ThreadSummary): JsonObject {
  return { ...snakeCased(summary), path: location };
}

const mostItems = 500;
const mostCharacters = 4000;

export function threadReadTool(parts: ToolParts): ServerTool {
  return {
    name: 'thread_read',
    title: 'Read a thread',
    description: 'What happened in a thread: items with their message kind, in pages. Continue with after = next.',
    input: inputOfTool({
      thread_id: text(),
      after: { type: ['integer', 'string'], description: 'next, or ordinal or cursor of an event' },
      last: whole('only the newest items', 1),
      limit: whole('default 50', 1),
      max_text: whole('characters per text; default 4000', 1),
    }),
    output: outputOfTool({
      thread_id: text(),
      turns: list,
      items: list,
      next: text(),
      rewound: { type: 'integer' },
      questions: list,
    }),
    annotations: looks,
    async call(args) {
      const id = await findThreadId(parts, stringAt(args, 'thread_id') ?? '');
      if (typeof id !== 'string') return refusedAnswer(id);
      const after = readAfter(args['after'] ?? -1);
      if (after === undefined) return refusedAnswer(placeUnknown, { thread_id: id });
      const { lines } = await readLines(parts.engine, id);
      const standing = standingIn(lines, id, after);
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
        ...page.items.map(itemLine),
        ...(page.next === undefined ? [] : [`More: call again with after ${page.next}.`]),
        ...questions.map((question) => `Open question ${askedText(question)}`),
      ];
      return answered(shown.length === 0 ? 'Nothing to read here.' : shown.join('\n'), {
        thread_id: id,
        ...page,
        ...(isRewound && { rewound: standing }),
        ...(questions.length > 0 && { questions: questions.map(askedFields) }),
      });
    },
  };
}

const placeUnknown: Outcome = {
  code: 'place-unknown',
  message: '"after" is not a place in a thread.',
  next: 'Use next of the page before, the ordinal or cursor of an event, or leave after out.',
};

/** In a turn that runs here, or that is suspended in the file. */
async function openQuestions({ live, engine }: ToolParts, id: ThreadId): Promise<readonly Question[]> {
  const loaded = live.loaded.find((thread) => thread.id === id);
  return loaded?.questions ?? engine.stored.questions(id);
}

function itemLine(item: JsonObject): string {
  return `${String(item['ordinal'])} turn ${String(item['turn'])} ${String(item['type'])}: ${wordsOf(item)}`;
}

/** Of a call the heads of what was asked and what came back. */
function wordsOf(item: JsonObject): string {
  const name = stringAt(item, 'name');
  if (name === undefined) return shortLine(stringAt(item, 'text') ?? '', 160);
  const [input, output] = [objectAt(item, 'input'), objectAt(item, 'output')].map((each) => stringAt(each, 'text'));
  const back = output === undefined ? '' : ` → ${shortLine(output, 160)}`;
  return `${name} ${shortLine(input ?? '', 160)}${back}`;
}
