import { defined } from '../../protocol/defined.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Usage } from '../../protocol/usage.ts';
import { usageFields } from '../../state/usage-fields.ts';
import type { RerunAnswers, StepAnswered } from '../engine/rerun-step.ts';
import { bold, dim, type Span } from '../terminal/look.ts';
import { type PageForm, prose } from '../terminal/page.ts';
import { pad } from '../terminal/text-width.ts';
import { visibleText } from '../terminal/visible-text.ts';
import { wrap } from '../terminal/wrap.ts';
import { moneyWords } from '../wording/money-words.ts';
import { count } from '../wording/number-words.ts';
import { costLine, whyNotKnown } from '../wording/usage-words.ts';
import { type AnswerPart, answerParts } from './answer-parts.ts';

/** For programs. `cost_usd` is null where no price is known. */
export function answersFields(id: string, rerun: RerunAnswers): JsonObject {
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
    ...defined({ provider }),
    parts: answerParts(items) as unknown as JsonObject[],
    ...defined({
      failure,
      usage: usage && usageFields(counted(usage)),
      first_event_ms: firstEventMs,
      answer_ms: answerMs,
    }),
    cost_usd: cost === undefined ? null : cost.nanoUsd / 1e9,
  };
}

/** For people: both answers in columns. */
export function answersPage(rerun: RerunAnswers, form: PageForm): readonly Span[] {
  const { request, turn, step, bytes, encoder, isSameBody, before, now } = rerun;
  const sent = isSameBody
    ? `${count(bytes)} bytes, the same as then`
    : `${count(bytes)} bytes, encoded anew as ${encoder}`;
  const column = Math.floor((form.width - divider.length) / 2);
  return [
    prose(`request ${request} · turn ${turn} · step ${step} · ${sent}`, form),
    '\n',
    ...rows([bold('then')], [bold('now')], column),
    ...rows(factLines(before, column), factLines(now, column), column),
    '\n',
    ...rows(answerLines(before, column), answerLines(now, column), column),
  ];
}

const divider = ' | ';

function rows(left: readonly Span[], right: readonly Span[], column: number): readonly Span[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at): readonly Span[] => {
    const [one = '', other = ''] = [left[at], right[at]];
    const padded = typeof one === 'string' ? pad(one, column) : { ...one, text: pad(one.text, column) };
    return [padded, dim(other === '' ? divider.trimEnd() : divider), other, '\n'];
  }).flat();
}

function factLines(answer: StepAnswered, column: number): readonly Span[] {
  const { model, provider, usage } = answer;
  const facts = [
    `model  ${model}${provider === undefined ? '' : ` (${provider})`}`,
    `tokens ${costLine({ usage: usage && counted(usage) }) ?? `not known ${whyNotKnown}`}`,
    `time   ${timeWords(answer)}`,
    `cost   ${usage?.cost === undefined ? 'unknown' : moneyWords(usage.cost, usage.estimated)}`,
  ];
  return facts.flatMap((fact) => wrap(visibleText(fact), column)).map(dim);
}

/** The tokens alone: the cost has a place of its own. */
function counted({ cost: _cost, ...counts }: Usage): Usage {
  return counts;
}

function timeWords({ answerMs, firstEventMs }: StepAnswered): string {
  if (answerMs === undefined) return 'not known';
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return `${seconds(answerMs)}${firstEventMs === undefined ? '' : `, the first part after ${seconds(firstEventMs)}`}`;
}

function answerLines({ items, failure }: StepAnswered, column: number): readonly Span[] {
  const parts = answerParts(items).flatMap((part, at): readonly Span[] => [
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

function failureText({ code, message, next }: NonNullable<StepAnswered['failure']>): string {
  return `failed: ${code}${message === undefined ? '' : `. ${message} ${next ?? ''}`}`;
}
