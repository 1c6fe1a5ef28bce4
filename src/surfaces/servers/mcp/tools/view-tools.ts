import { formatCount, plural } from '../../../../engine/wording.ts';
import { defined } from '../../../../base/objects.ts';
import type { ThreadId } from '../../../../protocol/ids.ts';
import { type Json, numberAt } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import { readThreadStory } from '../../../views/context/thread-story.ts';
import { contextWindowFields, contextWindowView } from '../../../views/context/window-view.ts';
import { envelopeJson, envelopeView, missingEnvelopeReason } from '../../../views/threads/envelope-page.ts';
import type { EnvelopeView } from '../../../views/threads/envelope-page.ts';
import {
  isNotReproduced,
  replayReport,
  replayRequests,
  replaySummaryText,
} from '../../../views/threads/replay-report.ts';
import type { ReplayedRequest } from '../../../views/threads/replay-report.ts';
import { toOneLine } from '../../../../core/state/turns/turn-words.ts';
import { toolAnswer, refusalAnswer } from './tool-answers.ts';
import { withThreadId, readThreadLines } from './find-thread.ts';
import { readOnlyHints, schemaParts, type UnboundTool, type ToolServices } from './tool-definition.ts';

export const threadContextTool: UnboundTool = {
  name: 'thread_context',
  title: 'Context usage',
  description: 'What fills the window, by family, and the budgets. parts: every single one.',
  input: schemaParts.input('thread_id, parts: boolean'),
  output: schemaParts.output('thread_id, total: count, families: list, budgets: list'),
  annotations: readOnlyHints,
  call: withThreadId(async (parts, id, args) => {
    const view = await threadContextView(parts, id);
    const { parts: single, ...short } = view;
    const percents = view.families.map(({ family, tokens }) => `${family} ${tokens}`).join(', ');
    return toolAnswer(`${formatCount(view.total)} tokens (${view.measure}): ${percents}.`, {
      thread_id: id,
      ...short,
      ...(args['parts'] === true && { parts: single }),
    });
  }),
};

export async function threadContextView({ engine, live }: Pick<ToolServices, 'engine' | 'live'>, id: ThreadId) {
  const story = readThreadStory((await readThreadLines(engine, id)).lines);
  return contextWindowFields(contextWindowView(story, await live.preview(id, story.state)));
}

export const threadEnvelopeTool: UnboundTool = {
  name: 'thread_envelope',
  title: 'Envelope of a turn',
  description: 'The contract of a turn, field by field, or what differs from another turn.',
  input: schemaParts.input({
    ...schemaParts.fields('thread_id'),
    turn: schemaParts.wholeNumber('default: the newest', 1),
    diff: schemaParts.wholeNumber('turn to compare with', 1),
  }),
  output: schemaParts.output('thread_id, turn: count'),
  annotations: readOnlyHints,
  call: withThreadId(async (parts, id, args) => {
    const view = await threadEnvelopeView(parts, id, { turn: numberAt(args, 'turn'), diff: numberAt(args, 'diff') });
    if ('code' in view) return refusalAnswer(view, { thread_id: id });
    const { thread, ...shown } = envelopeJson(id, view);
    return toolAnswer(envelopeText(view), { thread_id: thread, ...defined(shown) });
  }),
};

function envelopeText(view: EnvelopeView): string {
  const { turn } = view;
  if (view.kind === 'difference') {
    const rows = view.changes.map(({ field, from, to }) => `${field}: ${shortJson(from)} → ${shortJson(to)}`);
    return [`Turn ${turn.number} differs from turn ${view.against} in ${plural(rows.length, 'field')}.`, ...rows].join(
      '\n',
    );
  }
  if (view.fields === undefined) return missingEnvelopeReason(turn);
  const rows = view.fields.map(({ field, value }) => `${field}: ${shortJson(value)}`);
  return [`The envelope of turn ${turn.number}:`, ...rows].join('\n');
}

const shortJson = (value: Json | undefined): string =>
  value === undefined ? '-' : toOneLine(JSON.stringify(value), 100);

export const threadEnvelopeView = async (
  { engine }: Pick<ToolServices, 'engine'>,
  id: ThreadId,
  asked: { readonly turn: number | undefined; readonly diff: number | undefined },
): Promise<ReturnType<typeof envelopeView>> =>
  envelopeView(id, readThreadStory((await readThreadLines(engine, id)).lines), asked);

export const threadReplayTool: UnboundTool = {
  name: 'thread_replay',
  title: 'Replay',
  description: 'Rebuilds and compares requests. all: shows all.',
  input: schemaParts.input('thread_id, all: boolean'),
  output: schemaParts.output('thread_id, ok: boolean, counts: object, taken_back: count, requests: list'),
  annotations: readOnlyHints,
  call: withThreadId(async (parts, id, args, context) => {
    const { lines, skipped } = await readThreadLines(parts.engine, id);
    const all: ReplayedRequest[] = [];
    for await (const { shown } of replayRequests(lines)) {
      if (context.signal.aborted) return refusalAnswer(cancelled);
      all.push(shown);
    }
    const report = replayReport({ id, skipped }, all, await parts.engine.stored.takenBack(id));
    const isShown = args['all'] === true ? () => true : (_: unknown, at: number) => isNotReproduced(all[at]!);
    const requests = report.requests.filter(isShown);
    // A request that cannot be compared is not proven.
    const ok = all.every(({ result }) => result === 'same');
    return toolAnswer(replaySummaryText(all), { ...report, ok, requests });
  }),
};

const cancelled: Outcome = { code: 'cancelled', message: 'The check was cancelled.', next: '' };
