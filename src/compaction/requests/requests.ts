import { firstBytes } from '../../fragments/text/truncate.ts';
import { cutToFit, messagesWeight, requestWeight, sentWeight, textWeight, fitNotes } from './fits.ts';
import type { CompactionPlan, CompactionSource, CompactionRequest, RequestMessage } from '../plan/plan.ts';
import {
  againPrompt,
  plainPrompt,
  repairPrompt,
  structuredPrompt,
  structuredSchema,
  stageNotes,
  stagePrompt,
  userSays,
} from '../prompts/prompts.ts';
import type { Part } from './stages.ts';
import { isOutput } from './stub.ts';

/** Where in the work a request stands: `part` of `of`, both from 1 on, with the notes about the parts before. */
export interface PartPlace {
  readonly part: number;
  readonly of: number;
  readonly notes: readonly string[];
  /** What the message with the notes may weigh. */
  readonly notesBudget: number;
}

type Way = 'structured' | 'plain';

/** Notes about a part that is not the last. */
export function stageRequest(plan: CompactionPlan, part: Part, place: PartPlace): CompactionRequest {
  return { ...rangeOf(part, place), strategy: 'plain', tail: [userSays(stageTail(plan, place))] };
}

/** The checkpoint itself, from the last part, which is all there is when nothing had to be cut. */
export function checkpointRequest(plan: CompactionPlan, way: Way, part: Part, place: PartPlace): CompactionRequest {
  const schema = way === 'structured' ? { outputSchema: structuredSchema } : {};
  return { ...rangeOf(part, place), strategy: way, tail: [userSays(promptOf(plan, way))], ...schema };
}

export function withoutSchema({ outputSchema: _schema, ...request }: CompactionRequest): CompactionRequest {
  return request;
}

/** The same once more, with what the model answered and what was wrong with it. Undefined when there is no space. */
export function repairRequest(
  request: CompactionRequest,
  answer: string,
  faults: readonly string[],
  budget: { readonly left: number; readonly answer: number },
): CompactionRequest | undefined {
  const named = faults.slice(0, mostFaults.count).map((fault) => firstBytes(fault, mostFaults.bytes));
  const repair = userSays(request.strategy === 'plain' ? againPrompt(named) : repairPrompt(named));
  const left = budget.left - messagesWeight([repair]);
  if (left < 0) return undefined;
  // An answer that goes on for ever is not sent back as it is: its beginning and end show what was wrong.
  const shown = answer.trim() === '' ? undefined : cutToFit(answer, Math.min(left, budget.answer));
  const given: readonly RequestMessage[] = shown === undefined ? [] : [{ role: 'assistant', text: shown }];
  return { ...request, tail: [...request.tail, ...given, repair] };
}

const mostFaults = { count: 8, bytes: 400 } as const;

/**
 * Everything, for a provider that makes the checkpoint itself. Where it does not fit, outputs are sent as a notice, the
 * newest first: they are what grew last, and the beginning of the request stays as the provider knows it. Undefined when
 * that does not help.
 */
export function remoteRequest(plan: CompactionPlan, source: CompactionSource): CompactionRequest | undefined {
  const { input } = source;
  const whole: CompactionRequest = { strategy: 'remote', from: 0, to: input.length, stubbed: [], head: [], tail: [] };
  let over = requestWeight(plan, source, whole) - plan.budget.request;
  const stubbed: number[] = [];
  for (let at = input.length - 1; at >= 0 && over > 0; at--) {
    const item = input[at]!;
    const gain = isOutput(item) ? sentWeight(item, false) - sentWeight(item, true) : 0;
    if (gain <= 0) continue;
    stubbed.push(at);
    over -= gain;
  }
  return over > 0 ? undefined : { ...whole, stubbed: stubbed.toReversed() };
}

/** What messages around a part weigh at most, apart from notes about the parts before. */
export function aroundWeight(plan: CompactionPlan): number {
  const largest = { part: 99, of: 99, notes: [], notesBudget: 0 };
  const tails = [
    textWeight(stageTail(plan, largest)),
    textWeight(promptOf(plan, 'structured')) + textWeight(JSON.stringify(structuredSchema)),
    textWeight(promptOf(plan, 'plain')),
  ];
  return Math.max(...tails) + textWeight(stageNotes({ notes: '', part: largest.part, of: largest.of }));
}

function rangeOf(part: Part, { notes, notesBudget, ...place }: PartPlace) {
  const { from, to, stubbed } = part;
  const told = notes.length === 0 ? undefined : fitNotes(notes, notesBudget);
  const head = told === undefined ? [] : [userSays(stageNotes({ notes: told, ...place }))];
  return { from, to, stubbed, head };
}

function stageTail(plan: CompactionPlan, { part, of }: PartPlace): string {
  return stagePrompt({ ...plan, part, of });
}

function promptOf(plan: CompactionPlan, way: Way): string {
  return way === 'plain' ? plainPrompt(plan) : structuredPrompt({ ...plan, answerTokens: plan.budget.answer });
}
