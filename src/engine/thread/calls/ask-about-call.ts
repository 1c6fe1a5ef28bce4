import type { PreparedCall } from '../../../adapters/tools/tool.ts';
import { defined } from '../../../base/objects.ts';
import type { Step } from '../../../core/envelope/envelope.ts';
import { mayReviewerAnswer } from '../../../core/policy/decide/approval-policy.ts';
import type { AskDecision, CallDecision } from '../../../core/policy/decide/call-decision.ts';
import { isSavable } from '../../../core/policy/decide/question-content.ts';
import { hostGrantKey, mcpToolGrantKey, policyDigest } from '../../../core/policy/grants/grants.ts';
import { itemToJson } from '../../../core/state/drafts/item-lines.ts';
import { shortenedItemJson } from '../../../core/state/fold/running-calls.ts';
import { questionAnsweredLine, questionAskedLine, questionKey } from '../../../core/state/questions/question-lines.ts';
import type { RecordedAnswer } from '../../../core/state/questions/question-lines.ts';
import { questionId } from '../../../core/state/questions/pending-questions.ts';
import type { AskUser, RuleToSave } from '../../../ports/ask-user.ts';
import { threadClosesReason, valueOrAbort } from '../../../protocol/abort.ts';
import type { CallItem } from '../../../protocol/item.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { type Answer, asksForContent, type Question } from '../../../protocol/question.ts';
import { quoteShellCommand } from '../../../protocol/shell.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { QuestionResult } from '../open-questions.ts';
import type { Turn } from '../thread-parts.ts';
import type { PlaceInQuestionOrder } from './call-order.ts';

export interface QuestionToAsk extends Pick<CallInStepOrder, 'call' | 'item'> {
  readonly question: Question;
  readonly about: string;
  readonly decided: AskDecision;
}

export function createCallQuestion(turn: Turn, { call, item }: CallInStepOrder, decided: AskDecision): QuestionToAsk {
  const { turnId, log } = turn;
  const { call_id: callId, name: tool } = call;
  const asked = { callId, turnId, tool, item: itemToJson(item), ...decided.question };
  const about = questionKey(call, inLine(asked, item));
  return { question: { id: questionId(log.state.openTurn ?? {}, about), ...asked }, call, about, decided, item };
}

/** Nothing large is stored twice (I9): the arguments are in the call. */
function inLine<Asked extends Omit<Question, 'id'>>(question: Asked, item: PreparedCall['item']): Asked {
  return { ...question, item: shortenedItemJson(item) };
}

/** Records the question and shows it to everyone who may answer. `instead`: the question that it replaces. */
export function recordQuestion(turn: Turn, asking: QuestionToAsk, instead?: QuestionToAsk): void {
  const { log, questions } = turn;
  const { question, call, about, item } = asking;
  const hook = turn.memory.hookedCalls.get(call.call_id);
  const more = { supersedes: instead?.about, to: reviewerOf(turn, question), hook };
  log.record(questionAskedLine(inLine(question, item), { call, about, ...more }));
  if (instead !== undefined) {
    questions.lapse(instead.question.id);
    tellAnswered(turn, instead.question, { kind: 'lapsed' });
  }
  log.tell(shown(turn, asking));
  open(turn, asking);
  // A lost disk is reported when the call asks.
  log.durable().catch(() => {});
}

/** For a question recorded by an earlier process: followers have no line for it. */
export function showQuestionAgain(turn: Turn, asking: QuestionToAsk): void {
  turn.log.tellPassing(shown(turn, asking));
  open(turn, asking);
  turn.log.durable().catch(() => {});
}

function shown(turn: Turn, { question, item }: QuestionToAsk): ThreadEvent {
  const asked = { turnId: question.turnId, question, item, ...defined({ to: reviewerOf(turn, question) }) };
  return { kind: 'question-asked', ...asked };
}

/** Opens a shown question to answers. Not sooner: subscribers hear at once of an answer that came before. */
function open(turn: Turn, asking: QuestionToAsk): void {
  turn.questions.open(asking.question.id, (given) => recordGiven(turn, asking, given));
}

const reviewerOf = ({ envelope }: Pick<Turn, 'envelope'>, { kind }: Pick<Question, 'kind'>): 'review' | undefined =>
  !asksForContent(kind) && mayReviewerAnswer(envelope.policy) ? 'review' : undefined;

/** An interrupted turn does not wait for an answer: without one the question lapses. */
async function recordGiven(turn: Turn, asking: QuestionToAsk, given: Answer | undefined): Promise<QuestionResult> {
  if (given === undefined && turn.signal.reason === threadClosesReason) return { kind: 'suspended' };
  const { question } = asking;
  const answer = asRecorded(given ?? { kind: 'lapsed' }, asking, policyDigest(turn.envelope.policy));
  await recordQuestionAnswered(turn, question, answer);
  if (answer.kind === 'allowed') await saveAllowedRule(turn, question, answer);
  // Stop now, not at the call's turn: no other question may be asked.
  if (answer.kind === 'stopped') turn.stop();
  return { kind: 'answered', answer };
}

/** Limits an answer to the scopes offered, and a reviewer's answer to this call. */
function asRecorded(given: Answer, { question, about, decided }: QuestionToAsk, under: string): RecordedAnswer {
  const { kind, scope, note, prefix, content, by, verdict } = given;
  const { grantKeys: keys } = decided;
  const isOffered = by === undefined && kind === 'allowed' && scope !== undefined && question.scopes.includes(scope);
  const offered = isOffered ? scope : undefined;
  // If the call only asked for permissions, a yes lasts for the turn at least.
  const lasts = offered === 'session' || offered === 'rule' || (question.kind === 'permissions' && kind === 'allowed');
  const lasting = lasts && keys.length > 0 ? { keys, under } : {};
  const other = offered === 'rule' ? defined({ prefix }) : {};
  return { kind, about, ...lasting, ...other, ...defined({ scope: offered, note, content, by, verdict }) };
}

type QuestionIds = Pick<Question, 'id' | 'callId' | 'turnId'>;

/** Durable when it resolves, before anything follows from the answer. */
export async function recordQuestionAnswered(turn: Turn, asked: QuestionIds, answer: RecordedAnswer): Promise<void> {
  const { about: _about, keys: _keys, under: _under, seal: _seal, ...shown } = answer;
  turn.log.record(questionAnsweredLine(asked, answer));
  tellAnswered(turn, asked, shown);
  await turn.log.durable();
}

/** Records that a call begins or is refused. A question about it that is still open ends: another answer decided it. */
export function recordCallDecided(turn: Turn, callId: string, kind: 'allowed' | 'lapsed', record: () => void): void {
  const { questions = [] } = turn.log.state.openTurn ?? {};
  record();
  for (const question of questions)
    if (question.callId === callId && question.answer === undefined) tellAnswered(turn, question, { kind });
}

function tellAnswered({ log }: Turn, { id, turnId, callId }: QuestionIds, answer: Answer): void {
  log.tell({ kind: 'question-answered', turnId, id, callId, answer });
}

/** The reviewer if the settings say so, else the user; undefined where no one can be asked. */
function askerOf(turn: Turn, step: Step, { question: { kind }, decided }: QuestionToAsk): AskUser | undefined {
  // Neither hooks nor a reviewer know the user's wishes or the client's results.
  if (asksForContent(kind)) return turn.parts.askUser;
  const asker = lastAsker(turn, step);
  if (turn.parts.hooks === undefined || asker === undefined) return asker;
  return {
    ...asker,
    // Hooks of the user come first. Loaded on use, like the reviewer.
    ask: async (question, signal, item) => {
      const { answerByHooks } = await import('../hooks/call-hooks.ts');
      const answer = await answerByHooks(turn, question, { signal, byUser: decided.byUser });
      return answer ?? asker.ask(question, signal, item);
    },
  };
}

function lastAsker(turn: Turn, step: Step): AskUser | undefined {
  if (!mayReviewerAnswer(turn.envelope.policy)) return turn.parts.askUser;
  return {
    ask: async (question, signal, item) => {
      const { reviewCall } = await import('./review-call.ts');
      return reviewCall({ turn, step, item }, question, signal);
    },
  };
}

interface RuleSaver extends Pick<Turn, 'savedRules'> {
  readonly parts: Pick<Turn['parts'], 'ruleBook'>;
  readonly log: Pick<Turn['log'], 'tell'>;
}

/** Saves the rule that an answer allows. It counts from the next call on. The allowed call runs even if this fails. */
export async function saveAllowedRule(
  { parts, log, savedRules }: RuleSaver,
  question: Question,
  { scope, prefix }: Answer,
): Promise<void> {
  if (scope !== 'rule') return;
  if (prefix !== undefined && !isSavable(question, prefix))
    return log.tell({ kind: 'warning', outcome: notOffered(prefix) });
  const rule = ruleOf({ ...question, prefix: prefix ?? question.prefix });
  if (rule === undefined || parts.ruleBook === undefined) return;
  const problem = await parts.ruleBook.save(rule);
  if (problem !== undefined) log.tell({ kind: 'warning', outcome: problem });
  else if (rule.kind === 'mcp') savedRules.tools.push({ key: mcpToolGrantKey(rule) });
  else if (rule.kind === 'host') savedRules.hosts.push({ key: hostGrantKey(rule.host) });
  else savedRules.prefixes.push({ pattern: rule.prefix, decision: 'allow', source: 'an answer' });
}

function ruleOf({ host, mcp, prefix }: Question): RuleToSave | undefined {
  if (mcp !== undefined) return { kind: 'mcp', ...mcp };
  if (host !== undefined) return { kind: 'host', host };
  return prefix && { kind: 'prefix', prefix };
}

function notOffered(prefix: readonly string[]): Outcome<'rule-not-offered'> {
  const message = `The rule for ${JSON.stringify(quoteShellCommand(prefix))} was not saved: it is no beginning of the command that was asked about, or would allow any command.`;
  const next = 'The command runs this time. Add the rule to rules/default.rules yourself if you want it.';
  return { code: 'rule-not-offered', message, next };
}

export interface CallInStepOrder extends Pick<PreparedCall, 'item'> {
  readonly call: CallItem;
  readonly step: Step;
  readonly inOrder: PlaceInQuestionOrder;
}

/** The result for a call in its place. `decided`: it needs no answer or, if undefined, was aborted before asking. */
export type DecisionInOrder =
  | { readonly kind: 'decided'; readonly decided: Exclude<CallDecision, AskDecision> | undefined }
  | { readonly kind: 'answered'; readonly asking: QuestionToAsk; readonly answer: RecordedAnswer }
  | { readonly kind: 'unheard' }
  | EndedBefore;

/** The call does not begin, whatever was answered. `suspended`: the question, or its answer, waits for the next process. */
export type EndedBefore = { readonly kind: 'suspended' | 'interrupted' };
type Decided = CallDecision | undefined;
/**
 * The only way to ask about a call: whether it may begin, run again or reach a host. It waits until no earlier call may
 * still ask, and then decides again, since an earlier answer may cover the question. `shown`: the question, if the user
 * sees it already; an answer to it counts when the call's turn comes.
 */
export async function askInOrder(
  turn: Turn,
  wanted: CallInStepOrder,
  { decide, shown }: { decide(): Decided | Promise<Decided>; readonly shown?: QuestionToAsk },
): Promise<DecisionInOrder> {
  const { signal, questions } = turn;
  await valueOrAbort(wanted.inOrder.turn(), signal, undefined);
  const hasAnswer = (): boolean => shown !== undefined && (signal.aborted || questions.hasAnswer(shown.question.id));
  const decided = hasAnswer() || signal.aborted ? undefined : await decide();
  const isSettled = hasAnswer();
  const asking = shown !== undefined && isSettled ? shown : askedNow(turn, wanted, decided, shown);
  if (!('question' in asking)) {
    if (shown !== undefined) questions.lapse(shown.question.id);
    return asking;
  }
  const asker = askerOf(turn, wanted.step, asking);
  const shows: AskUser | undefined = asker && { ask: (question, signal) => asker.ask(question, signal, asking.item) };
  // The question is durable before it is put, and the answer before anything follows from it.
  const asked = await questions.ask(shows, asking.question, signal, () => turn.log.durable());
  if (asked.kind !== 'answered') return asked;
  const { answer } = asked;
  if (answer.kind !== 'allowed') return { kind: 'answered', asking, answer };
  const allowed = isSettled ? renewed(turn, wanted, asking, await decide()) : asking;
  return howTurnWasAborted(turn) ?? { kind: 'answered', asking: allowed, answer };
}

export function howTurnWasAborted({ signal }: Pick<Turn, 'signal'>): EndedBefore | undefined {
  if (!signal.aborted) return undefined;
  return { kind: signal.reason === threadClosesReason ? 'suspended' : 'interrupted' };
}

function askedNow(
  turn: Turn,
  wanted: CallInStepOrder,
  decided: Decided,
  shown: QuestionToAsk | undefined,
): QuestionToAsk | Extract<DecisionInOrder, { kind: 'decided' }> {
  if (turn.signal.aborted) return { kind: 'decided', decided: undefined };
  if (decided?.kind !== 'ask') return { kind: 'decided', decided };
  const asking = createCallQuestion(turn, wanted, decided);
  if (asking.about === shown?.about) return { ...shown, decided };
  recordQuestion(turn, asking, shown);
  return asking;
}

/** If the call still gives this question, adds what was granted since. The yes still answers the question as shown. */
function renewed(turn: Turn, wanted: CallInStepOrder, asked: QuestionToAsk, decided: Decided): QuestionToAsk {
  const isSame = decided?.kind === 'ask' && createCallQuestion(turn, wanted, decided).about === asked.about;
  return isSame ? { ...asked, decided } : asked;
}
