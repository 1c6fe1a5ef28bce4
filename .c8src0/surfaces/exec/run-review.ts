import { defined } from '../../base/objects.ts';
import { resolve } from 'node:path';
import { parseReviewFindings, reviewHint, reviewText } from '../../core/fragments/code-review.ts';
import type { ReviewTarget, ThreadEvent } from '../../protocol/thread-event.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { Fault, type Outcome } from '../../protocol/outcome.ts';
import type { ReviewArguments } from '../views/command-line/surface-commands.ts';
import { quoteShellCommand } from '../../protocol/shell.ts';
import { currentFolder, diskLossAsOutcome, endOnSignal } from '../views/terminal/process.ts';
import { dim } from '../views/terminal/styled-text.ts';
import { print } from '../views/terminal/print.ts';
import { visibleLine } from '../views/terminal/visible-text.ts';
import { liveThreads } from '../../engine/live/live-threads.ts';
import type { AnnouncedThread } from './output.ts';
import { createOutput } from './create-output.ts';
import { checkLastMessageFile, writeLastMessage } from './option-files.ts';
import { loadEngine } from '../views/command-line/load-engine.ts';
import { readPrompt } from './stdin.ts';

/** Runs a review in a thread of its own, and makes a new thread that knows the findings. */
export async function run({ options, words }: ReviewArguments): Promise<number | Outcome> {
  const here = currentFolder();
  if ('code' in here) return here;
  const target = await targetOf(options, words);
  if ('code' in target) return target;
  const cwd = resolve(here.path, options.cwd ?? '.');
  const engine = await loadEngine(options, here.path);
  if (engine.kind === 'refused') return engine.outcome;
  const folder = engine.lookAtFolder(cwd);
  if ('code' in folder) return folder;
  if (folder.repository === undefined && target.kind !== 'words') {
    const message = `${cwd} is not in a git repository.`;
    return { code: 'not-a-repository', message, next: 'Go to one, or say in words what to review.' };
  }
  const lastMessageFile = checkLastMessageFile(options, here.path, engine.config.writableFolders);
  if (lastMessageFile !== undefined && 'code' in lastMessageFile) return lastMessageFile;
  // The reviewer's own thread is not kept: an unfinished review is started again.
  const output = createOutput(options, { engine }, { resumable: false });
  for (const notice of engine.notices) output.notice(notice);
  const threads = liveThreads(engine);
  const { ephemeral, model } = options;
  const parent = await threads.start({ cwd, ephemeral, compactsAfterTurns: false, unattended: true });
  if (parent.kind === 'refused') return parent.outcome;
  const opened = (settings: AnnouncedThread['settings']): void => {
    output.start({ id: parent.id, settings, profileName: undefined, restored: undefined });
    for (const notice of parent.notices) output.notice(notice);
    output.show(dim(visibleLine(`review of ${reviewHint(target)}`)));
  };
  const onSecond = (): void => output.endedAtOnce();
  const { signal, over } = endOnSignal({ onSignal: () => output.interrupted?.(), onSecond });
  const listener = (event: ThreadEvent): void => {
    for (const each of shown(event, parent.id)) output.event(each);
  };
  const result = await diskLossAsOutcome(async () => {
    try {
      return await engine.review({ target, parent, signal, listener, opened, model });
    } finally {
      await threads.close();
      over();
    }
  });
  if (result instanceof Fault) {
    output.lost(result);
    return 1;
  }
  if (result.kind === 'refused') return result.outcome;
  if (result.kind !== 'reviewed') {
    if (!options.json) output.show(dim(visibleLine(`To review again: ${reviewAgain(target)}`)));
    return 1;
  }
  const { review, text } = result;
  if (options.json) print(`${JSON.stringify({ type: 'review.completed', review })}\n`, 'json');
  const completed = { kind: 'completed', lastMessage: text } as const;
  const written = lastMessageFile === undefined ? undefined : writeLastMessage(lastMessageFile, completed);
  if (written !== undefined) output.notice(written);
  return written?.code === 'last-message-unwritten' ? 1 : 0;
}

/** A command that can be pasted and run. Very long words are not repeated. */
function reviewAgain(target: ReviewTarget): string {
  switch (target.kind) {
    case 'uncommitted':
      return 'capstan review';
    case 'base':
      return quoteShellCommand(['capstan', 'review', '--base', target.branch]);
    case 'commit':
      return quoteShellCommand(['capstan', 'review', '--commit', target.commit]);
    case 'words':
      return target.words.length > 200 ? 'capstan review -' : quoteShellCommand(['capstan', 'review', target.words]);
  }
}

async function targetOf(
  { base, commit, title, uncommitted }: ReviewArguments['options'],
  [word]: readonly string[],
): Promise<ReviewTarget | Outcome> {
  const named = [word, base, commit, uncommitted ? '' : undefined].filter((given) => given !== undefined);
  const next = 'Give only one of --uncommitted, --base, --commit and words.';
  if (named.length > 1) return { code: 'usage', message: 'The review has more than one target.', next };
  if (base !== undefined) return { kind: 'base', branch: base };
  if (commit !== undefined) return { kind: 'commit', commit, ...defined({ title }) };
  if (word === undefined) return { kind: 'uncommitted' };
  const words = word === '-' ? await readPrompt(word) : word;
  return typeof words === 'string' ? { kind: 'words', words } : words;
}

/** The reviewer's events to show, under the id of the thread that gets the findings. Its answer is for programs. */
function shown(event: ThreadEvent, threadId: ThreadId): readonly ThreadEvent[] {
  switch (event.kind) {
    case 'thread-started':
      return [{ ...event, threadId }];
    case 'settings':
      return [];
    case 'item-started':
    case 'item-updated':
    case 'item-completed':
      return event.item.kind === 'agent-message' ? [] : [event];
    case 'turn-completed': {
      const text = reviewText(parseReviewFindings(event.lastMessage ?? ''));
      const item = { kind: 'agent-message', id: `review_${event.turnId}`, text } as const;
      return [
        { kind: 'item-completed', turnId: event.turnId, item },
        { ...event, lastMessage: text },
      ];
    }
    default:
      return [event];
  }
}
