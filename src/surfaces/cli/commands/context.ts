import { liveThreads } from '../../../engine/live/live-threads.ts';
import type { ForeseenRequest } from '../../../engine/preview-thread.ts';
import { plural, describeSkippedLines } from '../../../engine/wording.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { loadCommandEngine, withReadOnlyThread } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { contextChangesPage, contextChangesView } from '../../views/context/changes-page.ts';
import { checkpointPage, checkpointView } from '../../views/context/checkpoint-page.ts';
import { requestBody, requestPage } from '../../views/context/request-page.ts';
import { readThreadStory, type ThreadStory } from '../../views/context/thread-story.ts';
import { threadSummaryLine, contextWindowPage } from '../../views/context/window-page.ts';
import { contextWindowFields, contextWindowView } from '../../views/context/window-view.ts';
import { type PageForm, pageForm, prettyJson as json, printPage, wrapSentences } from '../../views/terminal/tables.ts';
import { print, printNote } from '../../views/terminal/print.ts';
import { takenBackWords } from '../../views/threads/replay-report.ts';
import type { contextCommand } from '../table/threads-read-commands.ts';

type Options = CommandArguments<typeof contextCommand>['options'];

/** Exit codes: 0: shown; 1: no such thread or request; 2: wrong usage. */
export const run = withReadOnlyThread<typeof contextCommand>(async ({ options }, thread) => {
  const { request } = options;
  const form = pageForm();
  const answer = await answerTo(options, thread.id, readThreadStory(thread.lines), form);
  const isOfRequest = request !== undefined && typeof answer !== 'string';
  const more = isOfRequest ? takenBackWords(thread.id, await thread.takenBack()) : undefined;
  if (typeof answer === 'string') print(answer, request === undefined ? 'json' : 'exact json');
  else if ('code' in answer) return more === undefined ? answer : { ...answer, next: `${answer.next}\n${more}` };
  else printPage(answer, form);
  if (more !== undefined) printNote(more);
  if (thread.skipped > 0) printNote(describeSkippedLines(thread));
  return 0;
});

async function answerTo(asked: Options, id: ThreadId, story: ThreadStory, form: PageForm) {
  const { requests, checkpoints } = story;
  if (asked.request !== undefined) {
    const request = chooseNumbered('request', requests, asked.request, 'Run a turn first.');
    if ('code' in request) return request;
    return asked.json ? requestBody(request) : requestPage(story, request, form);
  }
  const head = [wrapSentences(threadSummaryLine(id, story), form), '\n'];
  if (asked.checkpoint !== undefined) {
    const toMakeOne = `Make one with \`capstan threads compact ${id}\`.`;
    const checkpoint = chooseNumbered('checkpoint', checkpoints, asked.checkpoint, toMakeOne);
    if ('code' in checkpoint) return checkpoint;
    return asked.json
      ? json({ thread: id, ...checkpointView(story, checkpoint) })
      : [...head, ...checkpointPage(story, checkpoint, form)];
  }
  if (asked.changes) {
    const turns = contextChangesView(story);
    return asked.json ? json({ thread: id, turns }) : [...head, ...contextChangesPage(turns, form)];
  }
  const view = contextWindowView(story, await nextRequest(id, story));
  return asked.json
    ? json({ thread: id, ...contextWindowFields(view) })
    : [wrapSentences(threadSummaryLine(id, story, view.next?.model), form), ...contextWindowPage(view, story, form)];
}

async function nextRequest(id: ThreadId, { state }: ThreadStory): Promise<ForeseenRequest | Outcome> {
  const loaded = await loadCommandEngine();
  // A command resumes a thread as a live one, which may start agents, so preview that.
  return 'code' in loaded ? loaded : liveThreads(loaded.engine).preview(id, state);
}

function chooseNumbered<Each extends object>(
  noun: 'request' | 'checkpoint',
  all: readonly Each[],
  asked: number | 'last',
  whenNone: string,
): Each | Outcome {
  const next = all.length === 0 ? whenNone : `Name one from 1 to ${all.length}, or last.`;
  const none = { code: `no-${noun}`, message: `The thread has ${plural(all.length, noun)}.`, next };
  return (asked === 'last' ? all.at(-1) : all[asked - 1]) ?? none;
}
