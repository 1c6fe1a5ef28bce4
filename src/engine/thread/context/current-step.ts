import { defined } from '../../../base/objects.ts';
import { isMcpToolUsable, isToolOffered } from '../../../core/envelope/capabilities.ts';
import type { Step } from '../../../core/envelope/envelope.ts';
import type { StepFacts } from '../../../core/envelope/facts.ts';
import { contextBudget } from '../../../core/envelope/window.ts';
import { estimateTokens } from '../../../core/fragments/text/truncate.ts';
import { isContextInForce } from '../../../core/history/history.ts';
import { standingGrants } from '../../../core/policy/grants/granted-policy.ts';
import { type RecordedSession, sessionCommand } from '../../../core/state/fold/running-calls.ts';
import type { ThreadState } from '../../../core/state/thread-state.ts';
import { worldSections } from '../../../core/world/catalog.ts';
import { type WorldUpdate, buildWorldUpdate } from '../../../core/world/tell-world.ts';
import type { RecordedAgent } from '../../../protocol/agent.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ThreadParts, Turn } from '../thread-parts.ts';
import { warnOnce, warnOnceForAll } from '../log.ts';
import { approvedPrefixesNow, grantsNow, instructionsNow, contextWindowNow } from './turn-contract.ts';
import type { TurnContract } from './turn-contract.ts';

export async function stepNow(
  turn: TurnContract & { readonly parts: Pick<ThreadParts, 'gatherStep' | 'router' | 'hooks' | 'skills'> },
  index: number,
  answered: ReturnType<typeof grantsNow> & Pick<StepFacts, 'approvedPrefixes'>,
): Promise<{ readonly step: Step; readonly problems: readonly Outcome[] }> {
  const { parts, envelope, log } = turn;
  const { policy, workspace } = envelope;
  const look = { cwd: workspace.cwd, policy: policy.resolved };
  const ofSkills = (index === 0 ? await parts.skills?.look(look) : undefined) ?? [];
  const { problems = [], ...gathered } = await parts.gatherStep(envelope);
  const { approvedPrefixes, ...grants } = answered;
  const told = { granted: standingGrants(policy.resolved, grants), approvedPrefixes };
  const sessions = log.state.sessionsAtCheckpoint.map(toldSession);
  const { agentsAtCheckpoint } = log.state;
  const agents = agentsAtCheckpoint.filter(({ parentId }) => parentId === envelope.telemetry.threadId).map(toldAgent);
  const facts = { ...gathered, pins: log.state.pins, sessions, agents, ...defined(told) };
  const step = { envelope, index, facts, tools: [] };
  return { step: applyThreadState(turn, withToolsNow(turn, step)), problems: [...problems, ...ofSkills] };
}

/** Offers the tools of this moment by the rule that the turn used: tools may come and go while it runs. */
export function withToolsNow<Known extends Pick<Step, 'facts' | 'tools'>>(turn: TurnContract, step: Known): Known {
  const { identity, policy, capabilities, modes } = turn.envelope;
  const { router } = turn.parts;
  const work = { mode: modes.collaboration.mode, features: capabilities.features, editTools: capabilities.editTools };
  const offered = router.tools.filter((tool) => isToolOffered(tool, identity, policy, work)).map(({ name }) => name);
  const tools = router.specs(offered, policy);
  const { deferredTools: _before, mcpServers: _servers, ...facts } = step.facts;
  const news = router.announced(({ mcp }) => mcp === undefined || isMcpToolUsable(mcp, policy));
  return { ...step, tools, facts: { ...facts, ...news } };
}

function toldSession(session: RecordedSession): NonNullable<StepFacts['sessions']>[number] {
  const since = `${new Date(session.at).toISOString().slice(0, 16)}Z`;
  return { id: session.id, command: sessionCommand(session), since };
}

function toldAgent({ path, role, state, last }: RecordedAgent): NonNullable<StepFacts['agents']>[number] {
  return { path, role, stands: state === 'running' ? 'working' : (last ?? 'shutdown') };
}

/** Applies the thread's own lines to the step: base instructions and window. */
export function applyThreadState(turn: TurnContract, step: Omit<Step, 'window'>): Step {
  const { skills: _before, ...known } = step.facts;
  const facts = { ...known, ...sessionContextNow(turn), ...skillsNow(turn), base: instructionsNow(turn) };
  return { ...step, facts, window: contextWindowNow(turn) };
}

export const contextToSend = ({ baseline, history }: ThreadState, step: Step): WorldUpdate =>
  buildWorldUpdate(worldSections, step, baseline, (kinds) => isContextInForce(history, kinds));

export async function gatherNextStep(turn: Turn, index: number): Promise<Step> {
  const answered = { ...grantsNow(turn, turn.envelope.policy), approvedPrefixes: approvedPrefixesNow(turn) };
  const { step, problems } = await stepNow(turn, index, answered);
  for (const problem of problems) warnOnce(turn, problem, 'message');
  warnOfProblems(turn);
  const cut = index === 0 ? skillsCutNotice(turn) : undefined;
  if (cut !== undefined) warnOnceForAll(turn, cut, cut.message);
  return step;
}

/** Context from hooks that still exist and may run: a file alone cannot speak for a hook. */
function sessionContextNow(contract: TurnContract): Pick<StepFacts, 'sessionContext'> {
  const { hooks } = contract.parts;
  if (hooks === undefined) return {};
  let left = contextBudget('sessionContext', contextWindowNow(contract).effective);
  const fitting = contract.log.state.sessionContext.filter(({ key, text }) => {
    if (!hooks.knows(key) || estimateTokens(text) > left) return false;
    left -= estimateTokens(text);
    return true;
  });
  return { sessionContext: fitting.map(({ text }) => text) };
}

export function skillsNow(contract: TurnContract): Pick<StepFacts, 'skills'> {
  const selected = contract.parts.skills?.select(contextWindowNow(contract).skills);
  return selected === undefined ? {} : { skills: selected.catalogue };
}

export const skillsCutNotice = (contract: TurnContract): Outcome | undefined =>
  contract.parts.skills?.select(contextWindowNow(contract).skills)?.shortened;

/** Warns of problems outside the turn, each cause once in the life of the thread. */
export function warnOfProblems({ parts, log, warned }: Pick<Turn, 'parts' | 'log' | 'warned'>): void {
  for (const problem of parts.problemsNow?.() ?? []) {
    const key = `${problem.code} ${problem.message}`;
    if (warned.has(key)) continue;
    warned.add(key);
    warnOnceForAll({ log }, problem, problem.message);
  }
}
