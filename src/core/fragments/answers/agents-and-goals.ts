import type { Goal } from '../../../protocol/thread.ts';
import { continueAfterFailureText, continueForOtherModelText } from '../events/turns-and-goals.ts';
import { truncateMiddle } from '../text/truncate.ts';

/** Answers of the agent tools: JSON as in other programs, so a model recognizes the fields. */

export const agentStartedText = ({ id, path, note }: StartedAgent): string =>
  JSON.stringify({ agent_id: id, agent_path: path, note });
type StartedAgent = { readonly id: string; readonly path: string; readonly note?: string };

export const agentMessageSentText = (path: string, as: keyof typeof delivered): string =>
  JSON.stringify({ agent_path: path, delivered: delivered[as] });

const delivered = {
  turn: 'a new turn began',
  steered: 'added to the turn that runs',
  interrupted: 'the turn was interrupted',
  restarted: 'the turn was interrupted, and a new one began',
} as const;

/** Read by an agent whose turn continued under narrower permissions. */
export const continueWithFewerPermissionsText =
  'The agent that gave you this task may do less than before, and so may you. Continue your task as far as your permissions allow now. If they do not allow it, say so and answer with what you have.';

interface ShownAgent {
  readonly path: string;
  readonly role: string;
  readonly status: string;
  readonly tokens: number;
  /** The outcome of its last work, unless a notification on its way reports it. */
  readonly answer?: string;
}

type ShownWait = { readonly agents: readonly ShownAgent[]; readonly timedOut: boolean; readonly hasWords: boolean };
/** Limits in tokens: for one awaited agent, and for one in a list. */
const most = { waited: 2000, listed: 300 } as const;
const mostAnswers = 10;

/** Leaves out answers that follow as notifications. */
export function agentsWaitedText({ agents, timedOut, hasWords }: ShownWait): string {
  const status = Object.fromEntries(agents.map((agent) => [agent.path, agent.status]));
  const told = agents.filter(({ answer }) => answer !== undefined).slice(-mostAnswers);
  const answers = Object.fromEntries(told.map(({ path, answer = '' }) => [path, cut(answer, most.waited)]));
  return JSON.stringify({
    status,
    answers: told.length === 0 ? undefined : answers,
    timed_out: timedOut,
    ended_by: hasWords ? 'a new message of the user' : undefined,
  });
}

export function agentsListedText(agents: readonly ShownAgent[]): string {
  const shown = agents.map(({ path, role, status, tokens, answer }, index) => ({
    agent_path: path,
    agent_type: role,
    status,
    tokens,
    answer: answer === undefined || index < agents.length - mostAnswers ? undefined : cut(answer, most.listed),
  }));
  return JSON.stringify({ agents: shown });
}

const cut = (text: string, limit: number): string => truncateMiddle(text, { mode: 'tokens', limit });
export const agentClosedText = ({ path, status }: Pick<ShownAgent, 'path' | 'status'>): string =>
  JSON.stringify({ agent_path: path, previous_status: status });

/** Stored threads hold these untagged messages in the user's role; most formats tell them from the user's words. */
const programMessages = new Set<string>([
  continueForOtherModelText,
  continueAfterFailureText,
  continueWithFewerPermissionsText,
]);
/** True if the whole message is one of these, not the user's words. */
export const isProgramMessage = (text: string): boolean => programMessages.has(text);

/** Answers of the goal tools, in Codex's form. */
export function goalAnswer(threadId: string, goal: Goal | undefined): string {
  const left = goal?.tokenBudget === undefined ? null : Math.max(0, goal.tokenBudget - goal.tokensUsed);
  return JSON.stringify({
    goal: goal === undefined ? null : { threadId, ...shown(goal) },
    remainingTokens: left,
    completionBudgetReport: goal?.status === 'complete' ? report(goal) : null,
  });
}

function shown({ objective, status, tokenBudget, tokensUsed, timeUsedSeconds, createdAt, updatedAt }: Goal): Goal {
  const times = { timeUsedSeconds, createdAt, updatedAt };
  return { objective, status, tokenBudget, tokensUsed, ...times };
}

function report({ tokensUsed, tokenBudget, timeUsedSeconds }: Goal): string {
  const of = tokenBudget === undefined ? '' : ` of ${tokenBudget}`;
  return `The goal took ${tokensUsed}${of} tokens and ${timeUsedSeconds} seconds. Tell the user.`;
}

export const goalExistsText =
  'This thread has a goal that is not complete. Continue with it, or change it with update_goal; "active" resumes one that rests.';
export const onlyUserRaisesBudget =
  'Only the user gives the goal more tokens, and has said nothing since it continued by itself. Say what is done and what is left.';
export const noGoalText = 'This thread has no goal. Only the user decides that there is one.';
