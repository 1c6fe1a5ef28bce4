import { count } from '../../wording/number-words.ts';
import { defined } from '../../../protocol/defined.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { type Json, numberAt, stringAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { tellStory } from '../../context/thread-story.ts';
import { windowFields, windowView } from '../../context/window-view.ts';
import { envelopeJson, envelopeView, type EnvelopeView } from '../../envelope/envelope-view.ts';
import { whyNoEnvelope } from '../../envelope/show-envelope.ts';
import { isUnlike, type ReplayedRequest } from '../../replay/replayed-request.ts';
import { replayRequests } from '../../replay/replay-requests.ts';
import { replayReport, summaryWords } from '../../replay/report.ts';
import { oneLine } from '../../../state/one-line.ts';
import { plural } from '../../wording/number-words.ts';
import type { ServerTool } from '../offer/server-tool.ts';
import { answered, refusedAnswer } from './call-answers.ts';
import { readLines } from './read-lines.ts';
import { findThreadId } from './find-thread-by-name.ts';
import type { ToolParts } from './tool-parts.ts';
import { anObject, yesOrNo, inputOfTool, list, outputOfTool, text, whole } from './tool-schema.ts';

const looks = { readOnlyHint: true, idempotentHint: true } as const;

export function threadContextTool(parts: ToolParts): ServerTool {
  return {
    name: 'thread_context',
    title: 'Context usage',
    description: 'What fills the window, by family, and the budgets. parts: every single one.',
    input: inputOfTool({ thread_id: text(), parts: yesOrNo }),
    output: outputOfTool({ thread_id: text(), total: whole(), families: list, budgets: list }),
    annotations: looks,
    async call(args) {
      const id = await findThreadId(parts, stringAt(args, 'thread_id') ?? '');
      if (typeof id !== 'string') return refusedAnswer(id);
      const view = await contextOf(parts, id);
      const { parts: single, ...short } = view;
      const percents = view.families.map(({ family, tokens }) => `${family} ${tokens}`).join(', ');
      return answered(`${count(view.total)} tokens (${view.measure}): ${percents}.`, {
        thread_id: id,
        ...short,
        ...(args['parts'] === true && { parts: single }),
      });
    },
  };
}

/** What `capstan context --json` shows of the window. */
export async function contextOf({ engine, live }: Pick<ToolParts, 'engine' | 'live'>, id: ThreadId) {
  const story = tellStory((await readLines(engine, id)).lines);
  return windowFields(windowView(story, await live.preview(id, story.state)));
}

export function threadEnvelopeTool(parts: ToolParts): ServerTool {
  return {
    name: 'thread_envelope',
    title: 'Envelope of a turn',
    description: 'The contract of a turn, field by field, or what differs from another turn.',
    input: inputOfTool({
      thread_id: text(),
      turn: whole('default: the newest', 1),
      diff: whole('turn to compare with', 1),
    }),
    output: outputOfTool({ thread_id: text(), turn: whole() }),
    annotations: looks,
    async call(args) {
      const id = await findThreadId(parts, stringAt(args, 'thread_id') ?? '');
      if (typeof id !== 'string') return refusedAnswer(id);
      const view = await envelopeOf(parts, id, { turn: numberAt(args, 'turn'), diff: numberAt(args, 'diff') });
      if ('code' in view) return refusedAnswer(view, { thread_id: id });
      const { thread, ...shown } = envelopeJson(id, view);
      return answered(envelopeText(view), { thread_id: thread, ...defined(shown) });
    },
  };
}

function envelopeText(view: EnvelopeView): string {
  const { turn } = view;
  if (view.kind === 'difference') {
    const rows = view.changes.map(({ field, from, to }) => `${field}: ${shortJson(from)} → ${shortJson(to)}`);
    return [`Turn ${turn.number} differs from turn ${view.against} in ${plural(rows.length, 'field')}.`, ...rows].join(
      '\n',
    );
  }
  if (view.fields === undefined) return whyNoEnvelope(turn);
  const rows = view.fields.map(({ field, value }) => `${field}: ${shortJson(value)}`);
  return [`The envelope of turn ${turn.number}:`, ...rows].join('\n');
}

function shortJson(value: Json | undefined): string {
  return value === undefined ? '-' : oneLine(JSON.stringify(value), 100);
}

export async function envelopeOf(
  { engine }: Pick<ToolParts, 'engine'>,
  id: ThreadId,
  asked: { readonly turn: number | undefined; readonly diff: number | undefined },
): Promise<ReturnType<typeof envelopeView>> {
  return envelopeView(id, tellStory((await readLines(engine, id)).lines), asked);
}

export function threadReplayTool(parts: ToolParts): ServerTool {
  return {
    name: 'thread_replay',
    title: 'Replay',
    description: 'Rebuilds and compares requests. all: shows all.',
    input: inputOfTool({ thread_id: text(), all: yesOrNo }),
    output: outputOfTool({ thread_id: text(), ok: yesOrNo, counts: anObject, taken_back: whole(), requests: list }),
    annotations: looks,
    async call(args, context) {
      const id = await findThreadId(parts, stringAt(args, 'thread_id') ?? '');
      if (typeof id !== 'string') return refusedAnswer(id);
      const { lines, skipped } = await readLines(parts.engine, id);
      const all: ReplayedRequest[] = [];
      for await (const { shown } of replayRequests(eachLine(lines))) {
        if (context.signal.aborted) return refusedAnswer(cancelled);
        all.push(shown);
      }
      const back = await parts.engine.stored.takenBack(id);
      const report = replayReport({ id, skipped }, all, back);
      const isShown = args['all'] === true ? () => true : (_: unknown, at: number) => isUnlike(all[at]!);
      const requests = report.requests.filter(isShown);
      // One that has nothing to be compared with is not proven.
      const ok = all.every(({ result }) => result === 'same');
      return answered(summaryWords(all), { ...report, ok, requests });
    },
  };
}

async function* eachLine<Line>(lines: readonly Line[]): AsyncGenerator<Line> {
  yield* lines;
}

const cancelled: Outcome = { code: 'cancelled', message: 'The check was cancelled.', next: '' };
