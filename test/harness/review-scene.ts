import type { JsonObject } from '../../src/protocol/json.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import type { RecordedRequest } from '../../src/testing/script.ts';
import { answer, say, type ScriptStep } from '../../src/testing/index.ts';
import { needyScene, type NeedyScene } from './needy-scene.ts';
import { escalating } from './needy-tools.ts';

/** Beyond what the clock of tests lets pass. */
const noDeadline = 300_000;

export interface ReviewScene extends NeedyScene {
  readonly tool: ReturnType<typeof escalating>;
  /** The requests to the reviewer. */
  readonly reviews: readonly RecordedRequest[];
}

/** A verdict as the model writes it. */
export function verdict(fields: JsonObject): ScriptStep {
  return answer({ items: [say(JSON.stringify(fields))] });
}

export const allow = verdict({ outcome: 'allow', risk_level: 'low' });
export const deny = verdict({ outcome: 'deny', risk_level: 'high', rationale: 'Not asked for.' });

/** A thread whose questions a reviewer answers. Requests of the conversation and of reviews have scripts of their own. */
export async function reviewScene(
  steps: readonly ScriptStep[],
  verdicts: readonly ScriptStep[],
  { timeoutMs = noDeadline }: { readonly timeoutMs?: number } = {},
): Promise<ReviewScene> {
  const tool = escalating();
  const reviews: RecordedRequest[] = [];
  const left = { steps: [...steps], verdicts: [...verdicts] };
  const script = (request: RecordedRequest): ScriptStep => {
    const isReview = isOfReview(request);
    if (isReview) reviews.push(request);
    const next = (isReview ? left.verdicts : left.steps).shift();
    if (next === undefined) throw new Error(`no ${isReview ? 'verdict' : 'step'} is left`);
    return next;
  };
  const made = await needyScene(script, () => [tool]);
  const { live } = made;
  const { adapt } = live;
  live.adapt = (parts) => ({ ...adapt(parts), reviewTimeoutMs: timeoutMs });
  live.settings = { approvals: 'on-request', reviewer: 'auto_review' };
  return { ...made, tool, reviews };
}

export function isOfReview({ body }: RecordedRequest): boolean {
  return JSON.stringify(body).includes('You decide in place of a user');
}

/** The answers given in a thread, in order. */
export function answersIn(events: readonly ThreadEvent[]) {
  return events.flatMap((event) => (event.kind === 'question-answered' ? [event.answer] : []));
}
