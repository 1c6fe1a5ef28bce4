import type { CheckpointReport } from '../../protocol/checkpoint-report.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { NextRequest } from '../../thread/preview.ts';
import { usageFields } from '../../state/usage-fields.ts';
import { complain } from '../complain.ts';
import { loadLookingEngine } from '../threads/looking-engine.ts';
import { outlastReaders } from '../outlast-readers.ts';
import { print, printNote } from '../print.ts';
import { readThread, type ReadThread } from '../read-thread.ts';
import { type ContextArguments, contextUsage, parseContextArguments } from './arguments.ts';
import { changesText, changesView } from './show-changes.ts';
import { checkpointView, checkpointViewText, chooseCheckpoint } from './show-checkpoint.ts';
import { chooseRequest, requestBody, requestText } from './show-request.ts';
import { threadLine, windowText, type WindowView, windowView } from './show-window.ts';
import { tellStory, type ThreadStory } from './thread-story.ts';

/** `capstan context`. 0: shown; 1: there is no such thread or request; 2: wrong usage. */
export async function runContext(words: readonly string[]): Promise<number> {
  const asked = parseContextArguments(words);
  if ('code' in asked) return complain(asked, 2);
  if (asked.command === 'help') {
    print(contextUsage, 'text');
    return 0;
  }
  const thread = await readThread(asked.thread);
  if ('code' in thread) return complain(thread, 1);
  const story = tellStory(thread.lines);
  const next = asked.command === 'window' ? await nextRequest(thread.id, story) : undefined;
  const answer = answerTo(asked, thread, story, next);
  if (typeof answer !== 'string') return complain(answer, 1);
  // A pager that is left early is no error.
  const output = outlastReaders();
  print(answer, asked.json ? (asked.command === 'request' ? 'exact json' : 'json') : 'text');
  if (thread.skipped > 0) printNote(`${thread.skipped} lines of the thread could not be read.`);
  const lost = await output.finish();
  return lost === undefined ? 0 : complain(lost, 1);
}

function answerTo(
  asked: Exclude<ContextArguments, { command: 'help' }>,
  { id }: ReadThread,
  story: ThreadStory,
  next: NextRequest | Outcome | undefined,
): string | Outcome {
  if (asked.command === 'request') {
    const request = chooseRequest(story, asked.number);
    if ('code' in request) return request;
    return asked.json ? requestBody(request) : requestText(story, request, screenWidth());
  }
  const head = `${threadLine(id, story)}\n`;
  if (asked.command === 'checkpoint') {
    const checkpoint = chooseCheckpoint(story, asked.number, id);
    if ('code' in checkpoint) return checkpoint;
    return asked.json
      ? json({ thread: id, ...checkpointView(story, checkpoint) })
      : `${head}\n${checkpointViewText(story, checkpoint, screenWidth())}`;
  }
  if (asked.command === 'changes') {
    const turns = changesView(story);
    return asked.json ? json({ thread: id, turns }) : `${head}\n${changesText(turns)}`;
  }
  const view = windowView(story, next);
  return asked.json
    ? json({ thread: id, ...view, ...countedFields(view) })
    : `${threadLine(id, story, view.next?.model)}\n${windowText(view, reportsOf(story))}`;
}

/** What the next turn begins with, as the configuration and the folder of the thread are now. */
async function nextRequest(id: ThreadId, { state }: ThreadStory): Promise<NextRequest | Outcome> {
  const looking = await loadLookingEngine();
  return 'code' in looking ? looking : looking.engine.preview(id, state);
}

function reportsOf({ checkpoints }: ThreadStory): readonly CheckpointReport[] {
  return checkpoints.flatMap(({ report }) => (report === undefined ? [] : [report]));
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
