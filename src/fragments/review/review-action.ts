import type { JsonObject } from '../../protocol/json.ts';
import { defined } from '../../protocol/defined.ts';
import { cutText } from '../text/cut-text.ts';
import { byteLength, bytesPerToken } from '../text/truncate.ts';
import type { ReviewBudgets } from './review-budgets.ts';
import { type CutLine, cutLine, reviewLine } from './review-line.ts';

/** What is to be decided about. */
export interface ReviewAction {
  readonly tool: string;
  /** As the model wrote them. */
  readonly arguments: string;
  /** What the question says besides: kind, command, folder, files, host, permissions. */
  readonly asked: JsonObject;
  /** Why the policy asks. */
  readonly reason?: string;
  /** Why the model wants it. */
  readonly justification?: string;
  /** What the turn may do without asking. */
  readonly policy: JsonObject;
}

/** Shares of the space: what is known of the call beside its arguments takes what it needs up to there. */
const [mostAsked, mostPolicy] = [0.3, 0.25];

/** The action as one JSON object. Where something had to be cut, the text says how much is missing. */
export function reviewAction(given: ReviewAction, budgets: ReviewBudgets): CutLine {
  const reasons = [given.reason, given.justification].map((text) => text && cutText(text, budgets.reason));
  const [reason, justification] = reasons;
  const asked = whole(given.asked, budgets.action * mostAsked);
  const policy = whole(given.policy, budgets.action * mostPolicy);
  const isCut = asked.isCut || policy.isCut || reason !== given.reason || justification !== given.justification;
  const action = { tool: given.tool.slice(0, 200), ...defined({ reason, justification }), asked: asked.value };
  const { line, ...cut } = cutLine(given.arguments, budgets.action, (text) => ({
    ...action,
    arguments: text,
    policy: policy.value,
  }));
  return { line, isCut: isCut || cut.isCut };
}

/** The value itself, or as much of its text as fits. */
function whole(value: JsonObject, tokens: number): { readonly value: JsonObject | string; readonly isCut: boolean } {
  const text = reviewLine(value);
  if (byteLength(text) <= tokens * bytesPerToken) return { value, isCut: false };
  return { value: cutText(text, Math.floor(tokens / 2)), isCut: true };
}
