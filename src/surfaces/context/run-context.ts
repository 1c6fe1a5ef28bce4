import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { usageFields } from '../../state/usage-fields.ts';
import { loadCommandEngine } from '../commands/command-engine.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { contextCommand } from '../commands/view-commands.ts';
import type { ForeseenRequest } from '../engine/preview-thread.ts';
import { print, printNote } from '../terminal/print.ts';
import { loadThread, type ReadThread } from '../commands/load-thread.ts';
import { changesText, changesView } from './show-changes.ts';
import { checkpointView, checkpointViewText, chooseCheckpoint } from './show-checkpoint.ts';
import { chooseRequest, requestBody, requestText } from './show-request.ts';
import { threadLine, windowText, type WindowView, windowView } from './show-window.ts';
import { tellStory, type ThreadStory } from './thread-story.ts';

type Options = CommandArguments<typeof contextCommand>['options'];

/** `capstan context`. 0: shown; 1: there is no such thread or request; 2: wrong usage. */
export async function run({
  thread: name,
  options,
}: CommandArguments<typeof contextCommand>): Promise<number | Outcome> {
  const thread = await loadThread(name);
  if ('code' in thread) return thread;
  const story = tellStory(thread.lines);
  const { changes, request, checkpoint, json: isJson } = options;
  const isWindow = !changes && request === undefined && checkpoint === undefined;
  const next = isWindow ? await nextRequest(thread.id, story) : undefined;
  const answer = await answerTo(options, thread, story, next);
  if (typeof answer !== 'string') return answer;
  print(answer, isJson ? (request === undefined ? 'json' : 'exact json') : 'text');
  if (thread.skipped > 0) printNote(`${thread.skipped} lines of the thread could not be read.`);
  return 0;
}

async function answerTo(
  asked: Options,
  { id }: ReadThread,
  story: ThreadStory,
  next: ForeseenRequest | Outcome | undefined,
): Promise<string | Outcome> {
  if (asked.request !== undefined) {
    const request = chooseRequest(story, asked.request);
    if ('code' in request) return request;
    return asked.json ? requestBody(request) : requestText(story, request, screenWidth());
  }
  const head = `${threadLine(id, story)}\n`;
  if (asked.checkpoint !== undefined) {
    const checkpoint = chooseCheckpoint(story, asked.checkpoint, id);
    if ('code' in checkpoint) return checkpoint;
    return asked.json
      ? json({ thread: id, ...checkpointView(story, checkpoint) })
      : `${head}\n${checkpointViewText(story, checkpoint, screenWidth())}`;
  }
  if (asked.changes) {
    const turns = changesView(story);
    return asked.json ? json({ thread: id, turns }) : `${head}\n${changesText(turns, screenWidth())}`;
  }
  const view = windowView(story, next);
  return asked.json
    ? json({ thread: id, ...view, ...countedFields(view) })
    : `${threadLine(id, story, view.next?.model)}\n${windowText(view, story, screenWidth())}`;
}

/** What the next turn begins with, as the configuration and the folder of the thread are now. */
async function nextRequest(id: ThreadId, { state }: ThreadStory): Promise<ForeseenRequest | Outcome> {
  const loaded = await loadCommandEngine();
  return 'code' in loaded ? loaded : loaded.engine.preview(id, state);
}

/** Counts under the names that rollouts and events have for them. */
function countedFields({ counted }: WindowView): object {
  return counted === undefined ? {} : { counted: { ...counted, usage: usageFields(counted.usage) } };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Between 80 and 120 columns, however wide the terminal is. */
function screenWidth(): number {
  return Math.min(120, Math.max(80, process.stdout.columns ?? 100));
}
