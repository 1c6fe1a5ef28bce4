import { formatCount, plural } from '../../../../engine/wording.ts';
import { defined } from '../../../../base/objects.ts';
import type { ThreadId } from '../../../../protocol/ids.ts';
import { type Json, numberAt } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import { readThreadStory } from '../../../views/context/thread-story.ts';
import { windowFields, windowView } from '../../../views/context/window-view.ts';
import { envelopeJson, envelopeView, missingEnvelopeReason } from '../../../views/threads/envelope-page.ts';
import type { EnvelopeView } from '../../../views/threads/envelope-page.ts';
import { isNotReproduced, replayReport, replayRequests, summaryWords } from '../../../views/threads/replay-report.ts';
import type { ReplayedRequest } from '../../../views/threads/replay-report.ts';
import { oneLine } from '../../../../core/state/turns/turn-words.ts';
import { answered, refusedAnswer } from './tool-answers.ts';
import { aboutThread, readLines } from './find-thread.ts';
import { onlyLooks, schema, type ToolRow, type ToolServices } from './tool-definition.ts';

export const threadContextTool: ToolRow = {
  name: 'thread_context',
  title: 'Context usage',
  description: 'What fills the window, by family, and the budgets. parts: every single one.',
  input: schema.input({ thread_id: schema.text(), parts: schema.boolean }),
  output: schema.output({
    thread_id: schema.text(),
    total: schema.wholeNumber(),
    families: schema.list,
    budgets: schema.list,
  }),
  annotations: onlyLooks,
  call: aboutThread(async (parts, id, args) => {
    const view = await contextOf(parts, id);
    const { parts: single, ...short } = view;
    const percents = view.families.map(({ family, tokens }) => `${family} ${tokens}`).join(', ');
    return answered(`${formatCount(view.total)} tokens (${view.measure}): ${percents}.`, {
      thread_id: id,
      ...short,
      ...(args['parts'] === true && { parts: single }),
    });
  }),
};

export async function contextOf({ engine, live }: Pick<ToolServices, 'engine' | 'live'>, id: ThreadId) {
  const story = readThreadStory((await readLines(engine, id)).lines);
  return windowFields(windowView(story, await live.preview(id, story.state)));
}

export const threadEnvelopeTool: ToolRow = {
  name: 'thread_envelope',
  title: 'Envelope of a turn',
  description: 'The contract of a turn, field by field, or what differs from another turn.',
  input: schema.input({
    thread_id: schema.text(),
    turn: schema.wholeNumber('default: the newest', 1),
    diff: schema.wholeNumber('turn to compare with', 1),
  }),
  output: schema.output({ thread_id: schema.text(), turn: schema.wholeNumber() }),
  annotations: onlyLooks,
  call: aboutThread(async (parts, id, args) => {
    const view = await envelopeOf(parts, id, { turn: numberAt(args, 'turn'), diff: numberAt(args, 'diff') });
    if ('code' in view) return refusedAnswer(view, { thread_id: id });
    const { thread, ...shown } = envelopeJson(id, view);
    return answered(envelopeText(view), { thread_id: thread, ...defined(shown) });
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

function shortJson(value: Json | undefined): string {
  return value === undefined ? '-' : oneLine(JSON.stringify(value), 100);
}

export async function envelopeOf(
  { engine }: Pick<ToolServices, 'engine'>,
  id: ThreadId,
  asked: { readonly turn: number | undefined; readonly diff: number | undefined },
): Promise<ReturnType<typeof envelopeView>> {
  return envelopeView(id, readThreadStory((await readLines(engine, id)).lines), asked);
}

export const threadReplayTool: ToolRow = {
  name: 'thread_replay',
  title: 'Replay',
  description: 'Rebuilds and compares requests. all: shows all.',
  input: schema.input({ thread_id: schema.text(), all: schema.boolean }),
  output: schema.output({
    thread_id: schema.text(),
    ok: schema.boolean,
    counts: schema.object,
    taken_back: schema.wholeNumber(),
    requests: schema.list,
  }),
  annotations: onlyLooks,
  call: aboutThread(async (parts, id, args, context) => {
    const { lines, skipped } = await readLines(parts.engine, id);
    const all: ReplayedRequest[] = [];
    for await (const { shown } of replayRequests(lines)) {
      if (context.signal.aborted) return refusedAnswer(cancelled);
      all.push(shown);
    }
    const back = await parts.engine.stored.takenBack(id);
    const report = replayReport({ id, skipped }, all, back);
    const isShown = args['all'] === true ? () => true : (_: unknown, at: number) => isNotReproduced(all[at]!);
    const requests = report.requests.filter(isShown);
    // A request that cannot be compared is not proven.
    const ok = all.every(({ result }) => result === 'same');
    return answered(summaryWords(all), { ...report, ok, requests });
  }),
};

const cancelled: Outcome = { code: 'cancelled', message: 'The check was cancelled.', next: '' };
