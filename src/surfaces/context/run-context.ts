import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { usageFields } from '../../state/usage-fields.ts';
import { loadCommandEngine } from '../commands/command-engine.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { contextCommand } from '../commands/view-commands.ts';
import type { ForeseenRequest } from '../engine/preview-thread.ts';
import { print, printNote } from '../terminal/print.ts';
import { plural } from '../terminal/table.ts';
import { loadThread } from '../commands/load-thread.ts';
import { changesText, changesView } from './show-changes.ts';
import { checkpointView, checkpointViewText } from './show-checkpoint.ts';
import { requestBody, requestText } from './show-request.ts';
import { threadLine, windowText, windowView } from './show-window.ts';
import { tellStory, type ThreadStory } from './thread-story.ts';

type Options = CommandArguments<typeof contextCommand>['options'];

/** `capstan context`. 0: shown; 1: there is no such thread or request; 2: wrong usage. */
export async function run(given: CommandArguments<typeof contextCommand>): Promise<number | Outcome> {
  const { request, json: isJson } = given.options;
  const thread = await loadThread(given.thread);
  if ('code' in thread) return thread;
  const answer = await answerTo(given.options, thread.id, tellStory(thread.lines));
  if (typeof answer !== 'string') return answer;
  print(answer, isJson ? (request === undefined ? 'json' : 'exact json') : 'text');
  if (thread.skipped > 0) printNote(`${thread.skipped} lines of the thread could not be read.`);
  return 0;
}

async function answerTo(asked: Options, id: ThreadId, story: ThreadStory): Promise<string | Outcome> {
  const { requests, checkpoints } = story;
  if (asked.request !== undefined) {
    const request = choose('request', requests, asked.request, 'Run a turn first.');
    if ('code' in request) return request;
    return asked.json ? requestBody(request) : requestText(story, request, screenWidth());
  }
  const head = `${threadLine(id, story)}\n`;
  if (asked.checkpoint !== undefined) {
    const toMakeOne = `Make one with \`capstan threads compact ${id}\`.`;
    const checkpoint = choose('checkpoint', checkpoints, asked.checkpoint, toMakeOne);
    if ('code' in checkpoint) return checkpoint;
    return asked.json
      ? json({ thread: id, ...checkpointView(story, checkpoint) })
      : `${head}\n${checkpointViewText(story, checkpoint, screenWidth())}`;
  }
  if (asked.changes) {
    const turns = changesView(story);
    return asked.json ? json({ thread: id, turns }) : `${head}\n${changesText(turns, screenWidth())}`;
  }
  const view = windowView(story, await nextRequest(id, story));
  const { counted } = view;
  // Counts under the names that rollouts and events have for them.
  return asked.json
    ? json({ thread: id, ...view, ...(counted && { counted: { ...counted, usage: usageFields(counted.usage) } }) })
    : `${threadLine(id, story, view.next?.model)}\n${windowText(view, story, screenWidth())}`;
}

/** What the next turn begins with, as the configuration and the folder of the thread are now. */
async function nextRequest(id: ThreadId, { state }: ThreadStory): Promise<ForeseenRequest | Outcome> {
  const loaded = await loadCommandEngine();
  return 'code' in loaded ? loaded : loaded.engine.preview(id, state);
}

function choose<Each extends object>(
  noun: 'request' | 'checkpoint',
  all: readonly Each[],
  asked: number | 'last',
  whenNone: string,
): Each | Outcome {
  const next = all.length === 0 ? whenNone : `Name one from 1 to ${all.length}, or last.`;
  const none = { code: `no-${noun}`, message: `The thread has ${plural(all.length, noun)}.`, next };
  return (asked === 'last' ? all.at(-1) : all[asked - 1]) ?? none;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Between 80 and 120 columns, however wide the terminal is. */
function screenWidth(): number {
  return Math.min(120, Math.max(80, process.stdout.columns ?? 100));
}
