import { overrideList } from '../../adapters/gather/config/config-layers.ts';
import { defined } from '../../base/objects.ts';
import type { AgentRole } from '../../core/config/agents.ts';
import type { SettingsChange } from '../../core/envelope/read-settings-change.ts';
import type { CollaborationSetting, Settings } from '../../core/envelope/settings.ts';
import { grantsNoMoreThan, narrowerApproval, readOnlyProfile } from '../../core/policy/profiles/narrower-profile.ts';
import { agentIntroduction } from '../../core/world/sections/agents.ts';
import { planModeAgentGuidance } from '../../core/world/sections/modes.ts';
import type { AgentBounds, AgentThread, AgentThreads } from '../../ports/agents.ts';
import type { AskUser } from '../../ports/ask-user.ts';
import type { ThreadRefused, TurnEnd } from '../../ports/threads.ts';
import type { AgentIdentity } from '../../protocol/agent.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { PermissionProfile } from '../../protocol/permissions.ts';
import type { Question } from '../../protocol/question.ts';
import { writtenBy } from '../../protocol/user-input.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { EngineRefused } from '../engine-refused.ts';
import type { ThreadRequest } from '../thread-request.ts';
import { setEffortHint } from '../thread-setup/configure-thread.ts';
import { awaitClientAnswer } from '../thread/open-questions.ts';
import type { AgentQuestions } from './agent-tree.ts';
import { readAgent } from './read-agent-tree.ts';
import type { ThreadCut } from '../../protocol/thread.ts';
import type { LiveRequest, LiveThread, LiveThreads } from '../live/live-thread-types.ts';

/** Parts of the parent's request that agents inherit, besides what its turn may do. */
export type ParentRequest = Pick<ThreadRequest, 'config' | 'profile' | 'askUser' | 'ephemeral'>;

export interface AgentThreadsOptions {
  readonly parent: ParentRequest;
  readonly roles: readonly AgentRole[];
  readonly developerInstructions?: string | undefined;
  questions(rootId: ThreadId): AgentQuestions;
}

export function agentThreads(engine: EngineParts, options: AgentThreadsOptions): AgentThreads {
  const live = (): AgentLiveThreads => {
    const threads = engine.agentLive();
    if (threads === undefined) throw new Error('the engine has no live threads');
    return threads;
  };
  return {
    async start({ identity, bounds, fork }) {
      const request = requestFor(identity, bounds, options, 'new');
      const opened = fork ? live().fork(identity.parentId, { kind: 'latest' }, request) : live().start(request);
      return asAgent(asOfCall(await opened), roleOf(identity, options));
    },
    async load(identity, bounds) {
      const known = await readAgent(engine, identity.id);
      if (known !== undefined && known.identity?.parentId !== identity.parentId)
        return { kind: 'refused', outcome: notAnAgent };
      const role = roleOf(identity, options);
      // The program ended before the agent began, so begin it now.
      if (known === undefined && !live().knows(identity.id))
        return asAgent(await live().start(requestFor(identity, bounds, options, 'new')), role);
      return asAgent(await live().load(identity.id, requestFor(identity, bounds, options, 'known')), role);
    },
    read: (id) => readAgent(engine, id),
  };
}

const notAnAgent = { code: 'not-an-agent', message: 'This thread did not start it.', next: 'Start another agent.' };

/** Rewords a refusal for a tool call, which has a parameter where users have a key. */
function asOfCall(opened: AgentLiveThread | EngineRefused): AgentLiveThread | EngineRefused {
  if (opened.kind !== 'refused' || opened.outcome.code !== 'effort-unsupported') return opened;
  const next = opened.outcome.next.replace(setEffortHint, 'Give it as reasoning_effort, or leave that out.');
  return { ...opened, outcome: { ...opened.outcome, next } };
}

const roleOf = ({ role }: AgentIdentity, { roles }: AgentThreadsOptions): AgentRole | undefined =>
  roles.find(({ name }) => name === role);

/** An existing thread keeps its model unless its role says otherwise. */
function requestFor(
  agent: AgentIdentity,
  bounds: AgentBounds,
  options: AgentThreadsOptions,
  thread: 'new' | 'known',
): AgentLiveRequest {
  const { cwd, approval, onlyTools } = bounds;
  const { profile: named, ephemeral, askUser, config: ofParent } = options.parent;
  const role = roleOf(agent, options);
  const given = thread === 'new' ? bounds : undefined;
  const effort = role?.effort ?? given?.effort;
  const texts = [agentIntroduction(agent.path), options.developerInstructions, role?.instructions];
  const config = [
    ...overrideList(ofParent),
    ...(given === undefined ? [] : [{ path: ['model_provider'], value: given.provider }]),
    ...(effort === undefined ? [] : [{ path: ['model_reasoning_effort'], value: effort }]),
    { path: ['developer_instructions'], value: texts.filter((each) => each !== undefined).join('\n\n') },
    ...(role?.overrides ?? []),
  ];
  const left = [...(bounds.withoutTools ?? []), ...(role?.withoutTools ?? [])];
  const withoutTools = left.length === 0 ? undefined : left;
  return {
    agent,
    cwd,
    config,
    heldApprovals: approval,
    sandbox: profileOfRole(bounds, role),
    ...(bounds.changesNothing === true || role?.readOnly === true ? { changesNothing: true } : {}),
    ...defined({ model: role?.model ?? given?.model, profile: named, ephemeral, onlyTools, withoutTools }),
    ...(askUser === undefined
      ? { unattended: true }
      : { askUser: agentAsker(askUser, agent.path, options.questions(agent.rootId)) }),
  };
}

/** A role may restrict its agents more than their parent is restricted, never less. */
const profileOfRole = ({ profile }: Pick<AgentBounds, 'profile'>, role: AgentRole | undefined): PermissionProfile =>
  role?.readOnly === true ? { ...readOnlyProfile(profile), network: 'restricted' } : profile;

function asAgent(opened: AgentLiveThread | EngineRefused, role: AgentRole | undefined): AgentThread | ThreadRefused {
  if (opened.kind === 'refused') return opened;
  return {
    kind: 'agent-thread',
    note: opened.notices.find(({ code }) => code === 'model-unknown')?.message,
    async run(message, bounds) {
      const change = narrowing(opened.settings, { ...bounds, profile: profileOfRole(bounds, role) });
      return turnEnd(await opened.submit({ input: writtenBy('agent', message), change }));
    },
    steer: async (message) => (await opened.steer({ input: writtenBy('agent', message) })).kind === 'steered',
    async interrupt(reason) {
      await opened.interrupt(reason);
    },
    fits(bounds) {
      const { settings } = opened;
      const mode = bounds.mode === 'plan' ? bounds.mode : modeOf(settings);
      const wanted = { ...bounds, cwd: settings.cwd, mode, profile: profileOfRole(bounds, role) };
      return narrowing(settings, wanted) === undefined;
    },
    leave: () => opened.leave(),
    get used() {
      return opened.cost;
    },
    get asks() {
      return opened.questions.length > 0;
    },
  };
}

/** Returns the changes that limit the agent to what this turn may do. */
function narrowing(settings: Settings, { cwd, approval, profile, mode }: AgentBounds): SettingsChange | undefined {
  const isNarrow =
    narrowerApproval(approval, settings.approvals) === settings.approvals &&
    grantsNoMoreThan(profile, settings.sandbox);
  const change = {
    ...(settings.cwd === cwd ? {} : { cwd }),
    ...(isNarrow ? {} : { approvals: approval, sandbox: profile }),
    ...(modeOf(settings) === mode ? {} : { collaboration: collaborationOf(mode) }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

const modeOf = ({ collaboration }: Settings): AgentBounds['mode'] => collaboration?.mode ?? 'default';

/** An agent in plan mode answers its task and makes no plan of its own. */
const collaborationOf = (mode: AgentBounds['mode']): CollaborationSetting =>
  mode === 'plan' ? { mode, instructions: planModeAgentGuidance } : { mode };
const turnEnd = (result: Awaited<ReturnType<AgentLiveThread['submit']>>): TurnEnd =>
  result.kind === 'refused' ? { kind: 'failed', outcome: result.outcome } : result;

/** Maps an agent's port to the port of the root, so that nested agents also ask there. */
const rootOf = new WeakMap<AskUser, AskUser>();
/** The latest question put to each port: a port gets one question at a time, whichever thread asks. */
const asked = new WeakMap<AskUser, Promise<unknown>>();

function agentAsker(asker: AskUser, path: string, questions: AgentQuestions): AskUser {
  const root = rootOf.get(asker) ?? asker;
  return askerFor(root, (question, signal, item) => {
    const put = (named: Question, end: AbortSignal) => ask(root, named, end, item);
    return questions.ask({ ...question, agent: path }, { signal, item, put });
  });
}

/** Wraps the port of a root thread, so that the root and its agents ask one question at a time. */
export function askerSharedWithAgents(asker: AskUser): AskUser {
  if (asker === awaitClientAnswer || rootOf.has(asker)) return asker;
  return askerFor(asker, (...asked) => ask(asker, ...asked));
}

function askerFor(root: AskUser, put: AskUser['ask']): AskUser {
  const own: AskUser = { answersOnce: root.answersOnce, ask: put, isThere: () => root.isThere?.() ?? true };
  rootOf.set(own, root);
  return own;
}

async function ask(asker: AskUser, ...[question, signal, item]: Parameters<AskUser['ask']>) {
  // Clients answer in any order, so there is no queue.
  if (asker === awaitClientAnswer) return asker.ask(question, signal, item);
  const before = asked.get(asker);
  const { promise, resolve } = Promise.withResolvers<void>();
  asked.set(asker, promise);
  try {
    await before;
    return await asker.ask(question, signal, item);
  } finally {
    resolve();
  }
}

export interface AgentLiveThreads extends Pick<LiveThreads, 'knows'> {
  start(request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
  load(id: ThreadId, request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
  fork(id: ThreadId, cut: ThreadCut, request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
}

type AgentLiveRequest = LiveRequest & { readonly cwd: string };
type Used = 'kind' | 'settings' | 'notices' | 'questions' | 'submit' | 'steer' | 'leave' | 'cost';
type AgentLiveThread = Pick<LiveThread, Used> & { interrupt(reason: unknown): Promise<unknown> };
