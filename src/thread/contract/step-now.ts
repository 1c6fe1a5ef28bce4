import type { StepFacts } from '../../envelope/facts.ts';
import type { Step } from '../../envelope/step.ts';
import { isOffered, isUsable } from '../../envelope/offered-tools.ts';
import { standsIn } from '../../history/history.ts';
import { standingGrants } from '../../policy/standing-grants.ts';
import type { RecordedAgent } from '../../protocol/agent.ts';
import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type RecordedSession, sessionCommand } from '../../state/sessions.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { sections } from '../../world/sections.ts';
import { tell, type Telling } from '../../world/tell.ts';
import { type Contract, instructionsNow, windowNow } from './contract-now.ts';
import { sessionContextNow } from './session-context-now.ts';
import { lookForSkills, skillsCut, skillsNow } from './skills-now.ts';
import { grantsNow } from '../parts/grants-now.ts';
import type { ThreadParts, Turn } from '../parts/parts.ts';
import { approvedPrefixesNow } from '../parts/rules-now.ts';
import { warnOfProblems } from '../parts/warn-of-problems.ts';
import { warnOnce, warnOnceForAll } from '../parts/warn-once.ts';

/** What answers of the user have changed by now. */
interface StandingAnswers extends ReturnType<typeof grantsNow>, Pick<StepFacts, 'approvedPrefixes'> {}

/** A step as the world is now, and what could not be read of it. */
export async function stepNow(
  turn: Contract & { readonly parts: Pick<ThreadParts, 'gatherStep' | 'router' | 'hooks' | 'skills'> },
  index: number,
  answered: StandingAnswers,
): Promise<{ readonly step: Step; readonly problems: readonly Outcome[] }> {
  const { parts, envelope, log } = turn;
  const ofSkills = index === 0 ? await lookForSkills(turn) : [];
  const { problems = [], ...gathered } = await parts.gatherStep(envelope);
  const { policy } = envelope;
  const { approvedPrefixes, ...grants } = answered;
  const told = { granted: standingGrants(policy.resolved, grants), approvedPrefixes };
  const sessions = log.state.sessionsAtCheckpoint.map(toldSession);
  const { agentsAtCheckpoint } = log.state;
  const agents = agentsAtCheckpoint.filter(({ parentId }) => parentId === envelope.telemetry.threadId).map(toldAgent);
  const facts = { ...gathered, pins: log.state.pins, sessions, agents, ...defined(told) };
  const step = { envelope, index, facts, tools: [] };
  return { step: asStateSays(turn, withToolsNow(turn, step)), problems: [...problems, ...ofSkills] };
}

/** Tools may come and go while a turn runs: the same rule says what a step offers. */
export function withToolsNow<Known extends Pick<Step, 'facts' | 'tools'>>(
  { parts, envelope }: Contract,
  step: Known,
): Known {
  const { identity, policy, capabilities, modes } = envelope;
  const { router } = parts;
  const work = { mode: modes.collaboration.mode, features: capabilities.features, editTools: capabilities.editTools };
  const offered = router.tools.filter((tool) => isOffered(tool, identity, policy, work)).map(({ name }) => name);
  const tools = router.specs(offered, policy);
  const { deferredTools: _before, mcpServers: _servers, ...facts } = step.facts;
  const news = router.announced(({ mcp }) => mcp === undefined || isUsable(mcp, policy));
  return { ...step, tools, facts: { ...facts, ...news } };
}

function toldSession(session: RecordedSession): NonNullable<StepFacts['sessions']>[number] {
  const since = `${new Date(session.at).toISOString().slice(0, 16)}Z`;
  return { id: session.id, command: sessionCommand(session), since };
}

function toldAgent({ path, role, state, last }: RecordedAgent): NonNullable<StepFacts['agents']>[number] {
  return { path, role, stands: state === 'running' ? 'working' : (last ?? 'shutdown') };
}

/** The step under what the thread's lines say by now: what requests begin with, and how much fits. */
export function asStateSays(turn: Contract, step: Omit<Step, 'window'>): Step {
  const { skills: _before, ...known } = step.facts;
  const facts = { ...known, ...sessionContextNow(turn), ...skillsNow(turn), base: instructionsNow(turn) };
  return { ...step, facts, window: windowNow(turn) };
}

/** What the model must learn before the step. */
export function tellingFor({ baseline, history }: Pick<ThreadState, 'baseline' | 'history'>, step: Step): Telling {
  return tell(sections, step, baseline, (kinds) => standsIn(history, kinds));
}

/** The step as the world is now. Nothing of it has been sent yet. */
export async function lookAround(turn: Turn, index: number): Promise<Step> {
  const answered = { ...grantsNow(turn, turn.envelope.policy), approvedPrefixes: approvedPrefixesNow(turn) };
  const { step, problems } = await stepNow(turn, index, answered);
  for (const problem of problems) warnOnce(turn, problem, 'message');
  warnOfProblems(turn);
  const cut = index === 0 ? skillsCut(turn) : undefined;
  if (cut !== undefined) warnOnceForAll(turn, cut, cut.message);
  return step;
}
