import { usageFields } from '../../../core/state/drafts/usage-and-failure-fields.ts';
import type { RerunAnswers, StepAnswered } from '../../../engine/rerun-step.ts';
import { formatCount } from '../../../engine/wording.ts';
import { isCall, isMessage, isReasoning, type Item, messageText } from '../../../protocol/item.ts';
import { type JsonObject, stringAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Usage } from '../../../protocol/usage.ts';
import { loadCommandEngine, loadThread } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { type PageForm, printResult, wrapSentences } from '../../views/terminal/tables.ts';
import { endOnSignal } from '../../views/terminal/process.ts';
import { bold, dim, type Span } from '../../views/terminal/styled-text.ts';
import { padToWidth, visibleText, wrap } from '../../views/terminal/visible-text.ts';
import { costLine, moneyWords, notCountedReason } from '../../views/wording/cost-words.ts';
import type { rerunCommand } from '../table/threads-read-commands.ts';

/** Exit codes: 0: the model answered; 1: it did not, or nothing was sent; 2: wrong usage. */
export async function run(given: CommandArguments<typeof rerunCommand>): Promise<number | Outcome> {
  const { step, model, provider } = given.options;
  if (step === undefined) return noStep;
  const thread = await loadThread(given.thread);
  if ('code' in thread) return thread;
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const { signal, over } = endOnSignal({});
  const rerun = await loaded.engine.rerun(thread, { request: step, signal, model, provider }).finally(over);
  if ('code' in rerun) return rerun;
  printResult(answersFields(thread.id, rerun), given.options, (form) => answersPage(rerun, form));
  return rerun.now.failure === undefined ? 0 : 1;
}

const noStep: Outcome = {
  code: 'usage',
  message: 'Which step should be sent again?',
  next: 'Give its number with --step, as `capstan replay` lists the requests, or --step last.',
};

/** For programs. `cost_usd` is null where no price is known. */
function answersFields(id: string, rerun: RerunAnswers): JsonObject {
  const { request, turn, step, bytes, encoder, isSameBody, before, now } = rerun;
  return {
    thread_id: id,
    request,
    turn,
    step,
    sent: { bytes, encoder, same_body: isSameBody },
    before: answerFields(before),
    now: answerFields(now),
  };
}

function answerFields(answer: StepAnswered): JsonObject {
  const { model, provider, items, failure, usage, firstEventMs, answerMs } = answer;
  const cost = usage?.cost;
  return {
    model,
    provider,
    parts: items.flatMap(partOf) as unknown as JsonObject[],
    failure: failure as JsonObject | undefined,
    usage: usage && usageFields(counted(usage)),
    first_event_ms: firstEventMs,
    answer_ms: answerMs,
    cost_usd: cost === undefined ? null : cost.nanoUsd / 1e9,
  };
}

function answersPage(rerun: RerunAnswers, form: PageForm): readonly Span[] {
  const { request, turn, step, bytes, encoder, isSameBody, before, now } = rerun;
  const sent = `${formatCount(bytes)} bytes, ${isSameBody ? 'the same as then' : `encoded anew as ${encoder}`}`;
  const column = Math.floor((form.width - divider.length) / 2);
  return [
    wrapSentences(`request ${request} · turn ${turn} · step ${step} · ${sent}`, form),
    '\n',
    ...rows([bold('then')], [bold('now')], column),
    ...rows(factLines(before, column), factLines(now, column), column),
    '\n',
    ...rows(answerLines(before, column), answerLines(now, column), column),
  ];
}

const divider = ' | ';

const rows = (left: readonly Span[], right: readonly Span[], column: number): readonly Span[] =>
  Array.from({ length: Math.max(left.length, right.length) }, (_, at): readonly Span[] => {
    const [one = '', other = ''] = [left[at], right[at]];
    const padded = typeof one === 'string' ? padToWidth(one, column) : { ...one, text: padToWidth(one.text, column) };
    return [padded, dim(other === '' ? divider.trimEnd() : divider), other, '\n'];
  }).flat();

function factLines(answer: StepAnswered, column: number): readonly Span[] {
  const { model, provider, usage } = answer;
  const facts = [
    `model  ${model}${provider === undefined ? '' : ` (${provider})`}`,
    `tokens ${costLine({ usage: usage && counted(usage) }) ?? `not known ${notCountedReason}`}`,
    `time   ${timeWords(answer)}`,
    `cost   ${usage?.cost === undefined ? 'unknown' : moneyWords(usage.cost, usage.estimated)}`,
  ];
  return facts.flatMap((fact) => wrap(visibleText(fact), column)).map(dim);
}

const counted = ({ cost: _cost, ...counts }: Usage): Usage => counts;

function timeWords({ answerMs, firstEventMs }: StepAnswered): string {
  if (answerMs === undefined) return 'not known';
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return `${seconds(answerMs)}${firstEventMs === undefined ? '' : `, the first part after ${seconds(firstEventMs)}`}`;
}

function answerLines({ items, failure }: StepAnswered, column: number): readonly Span[] {
  const parts = items
    .flatMap(partOf)
    .flatMap((part, at): readonly Span[] => [
      ...(at === 0 ? [] : ['']),
      ...wrap(visibleText(partText(part)), column).map((line) => (part.type === 'reasoning' ? dim(line) : line)),
    ]);
  const end = failure === undefined ? [] : wrap(visibleText(failureText(failure)), column);
  if (parts.length === 0 && end.length === 0) return [dim('(nothing)')];
  return [...parts, ...(parts.length > 0 && end.length > 0 ? [''] : []), ...end];
}

function partText(part: AnswerPart): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'call':
      return `call ${part.name} ${part.arguments}`;
    case 'other':
      return `(${part.item})`;
  }
}

const failureText = ({ code, message, next }: NonNullable<StepAnswered['failure']>): string =>
  `failed: ${code}${message === undefined ? '' : `. ${message} ${next ?? ''}`}`;

/** The text and calls of an answer, without the parts that only its provider can read. */
type AnswerPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly arguments: string }
  /** An action of the provider itself, such as a search. */
  | { readonly type: 'other'; readonly item: string };

function partOf(item: Item): readonly AnswerPart[] {
  if (isMessage(item)) return [{ type: 'text', text: messageText(item) }];
  if (isReasoning(item)) {
    const text = item.summary.map((part) => stringAt(part, 'text') ?? '').join('\n\n');
    return text === '' ? [] : [{ type: 'reasoning', text }];
  }
  if (isCall(item))
    return [{ type: 'call', name: item.name, arguments: item.type === 'function_call' ? item.arguments : item.input }];
  return [{ type: 'other', item: item.type }];
}
