import { formatCount } from '../../engine/wording.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { StatusScreen } from '../views/terminal/screen.ts';
import { dim } from '../views/terminal/styled-text.ts';
import {
  brokenPrefix,
  checkpointCauseWords,
  checkpointLine,
  failedCheckpointLine,
} from '../views/wording/checkpoint-words.ts';
import { answerFields, questionJson, contextFields } from '../views/wording/json-fields.ts';
import type { AnswerFields, QuestionJson } from '../views/wording/json-fields.ts';
import { agentEndText, hookLines } from '../views/wording/turn-lines.ts';

/** Shows checkpoints, changes by hooks and ended agents; with `--verbose` all that the model receives, and its cost. */
export function showContextNews(screen: StatusScreen, event: ThreadEvent, verbose: boolean): void {
  if (event.kind === 'checkpoint-installed') screen.message(checkpointLine(event.report), { look: 'dim' });
  if (event.kind === 'checkpoint-failed') screen.message(failedCheckpointLine(event), { look: 'yellow' });
  if (event.kind === 'hook-completed') for (const each of hookLines(event.run)) screen.message(each, { look: 'dim' });
  const ended = event.kind === 'context' ? agentEndText(event) : undefined;
  if (ended !== undefined) screen.note(dim(ended));
  const line = verbose && isContextNews(event) ? contextLine(event) : undefined;
  if (line !== undefined) screen.note(dim(line));
}

const types = {
  settings: 'thread.settings',
  context: 'context.added',
  'model-switched': 'context.model_switched',
  usage: 'context.usage',
  'prefix-broken': 'context.prefix_broken',
  'checkpoint-started': 'context.checkpoint',
  'checkpoint-installed': 'context.checkpoint',
  'checkpoint-failed': 'context.checkpoint',
} as const;

/** Events about what the model receives. Printed only on request: other readers of events do not know them. */
export type ContextNews = Extract<ThreadEvent, { kind: keyof typeof types }>;

export interface ExecContextEvent {
  readonly type: (typeof types)[ContextNews['kind']] | 'context.warning';
  readonly [key: string]: unknown;
}

export const isContextNews = (event: ThreadEvent): event is ContextNews => Object.hasOwn(types, event.kind);

export function execContextEvent(event: ContextNews): ExecContextEvent {
  // The three kinds of checkpoint news share one type.
  const [, state] = /^checkpoint-(.+)$/.exec(event.kind) ?? [];
  return { type: types[event.kind], ...contextFields(event), ...(state !== undefined && { state }) };
}

/** A line or two for the user. Undefined if the event is shown elsewhere. */
export function contextLine(event: ContextNews): string | undefined {
  switch (event.kind) {
    case 'context': {
      if (event.cause === 'user') return undefined;
      const why = event.why === undefined ? '' : ` after ${event.why}`;
      return `context: ${event.content} (${event.cause}${why}, ${formatCount(event.text.length)} characters)`;
    }
    case 'model-switched': {
      const moved = event.changes.map(({ field }) => field).join(', ');
      return `model: ${event.from} -> ${event.to}${moved === '' ? '' : `; with it: ${moved}`}`;
    }
    case 'usage': {
      const about = event.measure === 'exact' ? '' : 'about ';
      return `window: ${about}${formatCount(event.tokens)} of ${formatCount(event.effectiveWindow)} tokens, ${event.percentRemaining} % left`;
    }
    case 'checkpoint-started':
      return `checkpoint: ${event.model} compacts about ${formatCount(event.tokens)} tokens (${event.strategy}; ${checkpointCauseWords(event)})`;
    case 'prefix-broken':
      return event.breaks.map((each) => `cache: ${brokenPrefix(each)}`).join('\n');
    case 'settings':
    case 'checkpoint-installed':
    case 'checkpoint-failed':
      return undefined;
    default:
      return event satisfies never;
  }
}

/** Printed by `exec --json` only with `--approvals` or a reviewer: otherwise there are no questions. */
export type ExecQuestionEvent =
  | { readonly type: 'question.asked'; readonly question: QuestionJson }
  | ({ readonly type: 'question.answered'; readonly question_id: string } & AnswerFields);

export const execQuestion = (
  event: Extract<ThreadEvent, { kind: 'question-asked' | 'question-answered' }>,
): ExecQuestionEvent =>
  event.kind === 'question-asked'
    ? { type: 'question.asked', question: questionJson(event.question) }
    : { type: 'question.answered', question_id: event.id, ...answerFields(event.answer) };
