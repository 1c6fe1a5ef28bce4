import type { Outcome } from '../../../protocol/outcome.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { envelopeCommand } from '../table/threads-read-commands.ts';
import { readThreadStory, type ThreadStory } from '../../views/context/thread-story.ts';
import type { Span } from '../../views/terminal/styled-text.ts';
import { type PageForm, pageForm, printPage } from '../../views/terminal/page.ts';
import { print } from '../../views/terminal/print.ts';
import { loadThread } from '../../views/command-line/command-engine.ts';
import {
  diffPage,
  envelopeJson,
  envelopePage,
  envelopeTurnLine,
  envelopeView,
  turnContextPage,
} from '../../views/threads/envelope-page.ts';

type Options = CommandArguments<typeof envelopeCommand>['options'];

/** Exit codes: 0: shown; 1: no such thread or turn; 2: wrong usage. */
export async function run(given: CommandArguments<typeof envelopeCommand>): Promise<number | Outcome> {
  const thread = await loadThread(given.thread);
  if ('code' in thread) return thread;
  const form = pageForm();
  const answer = answerTo(given.options, thread.id, readThreadStory(thread.lines), form);
  if (typeof answer === 'string') print(answer, 'json');
  else if ('code' in answer) return answer;
  else printPage(answer, form);
  return 0;
}

function answerTo(asked: Options, id: string, story: ThreadStory, form: PageForm): string | readonly Span[] | Outcome {
  const view = envelopeView(id, story, asked);
  if ('code' in view) return view;
  if (asked.json) return json(envelopeJson(id, view));
  const { turn } = view;
  const head = `${envelopeTurnLine(id, turn, story.turns.length)}\n\n`;
  if (view.kind === 'difference')
    return [head, ...diffPage(view.changes, { from: view.against, to: turn.number }, form)];
  return [head, ...(view.fields === undefined ? turnContextPage(turn, form) : envelopePage(view.fields, form))];
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
