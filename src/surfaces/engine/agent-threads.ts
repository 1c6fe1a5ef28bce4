import type { AgentQuestions } from '../../agents/agent-questions.ts';
import { narrowerApproval, grantsNoMoreThan } from '../../policy/narrower.ts';
import type { AgentBounds, AgentThread, AgentThreads } from '../../ports/agents.ts';
import type { ThreadRefused, TurnEnd } from '../../ports/threads.ts';
import type { AgentIdentity } from '../../protocol/agent.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { words } from '../../protocol/user-input.ts';
import type { EngineParts } from './engine-parts.ts';
import type { EngineRefused } from './engine-refused.ts';
import { agentAsker } from './agent-asker.ts';
import type { AgentLiveRequest, AgentLiveThread, AgentLiveThreads } from './agent-live.ts';
import { readAgent } from './read-agent.ts';
import type { ThreadRequest } from './thread-request.ts';

/** What agents take over from the thread that starts them, beside what its turn may do. */
export type ParentRequest = Pick<ThreadRequest, 'overrides' | 'profile' | 'askUser' | 'ephemeral'>;

/** Agents as live threads of the engine. */
export function agentThreads(
  engine: EngineParts,
  parent: ParentRequest,
  questions: (rootId: ThreadId) => AgentQuestions,
): AgentThreads {
  const live = (): AgentLiveThreads => {
    const threads = engine.agentLive();
    if (threads === undefined) throw new Error('the engine has no live threads');
    return threads;
  };
  return {
    async start({ identity, bounds, fork }) {
      const request = requestFor(identity, bounds, parent, questions(identity.rootId));
      const opened = fork
        ? await live().fork(identity.parentId, { kind: 'latest' }, request)
        : await live().start(request);
      return asAgent(opened);
    },
    async load(identity, bounds) {
      const { identity: known } = (await readAgent(engine, identity.id)) ?? {};
      if (known !== undefined && known.parentId !== identity.parentId) return { kind: 'refused', outcome: notAnAgent };
      return asAgent(await live().load(identity.id, requestFor(identity, bounds, parent, questions(identity.rootId))));
    },
    read: (id) => readAgent(engine, id),
  };
}

const notAnAgent = {
  code: 'not-an-agent',
  message: 'This thread did not start it.',
  next: 'Start another agent.',
} as const;

function requestFor(
  agent: AgentIdentity,
  { cwd, model, provider, effort, approval, profile, withoutTools }: AgentBounds,
  parent: ParentRequest,
  questions: AgentQuestions,
): AgentLiveRequest {
  const overrides = [
    ...(parent.overrides ?? []),
    { path: ['model_provider'], value: provider },
    ...(effort === undefined ? [] : [{ path: ['model_reasoning_effort'], value: effort }]),
  ];
  const { profile: named, ephemeral } = parent;
  return {
    agent,
    cwd,
    model,
    overrides,
    approval,
    permissionProfile: profile,
    ...defined({ profile: named, ephemeral, withoutTools }),
    ...(parent.askUser === undefined
      ? { unattended: true }
      : { askUser: agentAsker(parent.askUser, agent.path, questions) }),
  };
}

function asAgent(opened: AgentLiveThread | EngineRefused): AgentThread | ThreadRefused {
  if (opened.kind === 'refused') return opened;
  return {
    kind: 'agent-thread',
    async run(message, bounds) {
      const change = narrowing(opened, bounds);
      return turnEnd(await opened.submit({ input: words(message), ...defined({ change }) }));
    },
    async steer(message) {
      return (await opened.steer({ input: words(message) })).kind === 'steered';
    },
    async interrupt() {
      await opened.interrupt();
    },
    leave: () => opened.leave(),
    get used() {
      return opened.usage().total;
    },
    get asks() {
      return opened.questions.length > 0;
    },
  };
}

/** What must change before the agent works for a turn with these bounds, because it might do more than that turn. */
function narrowing({ settings }: AgentLiveThread, { cwd, approval, profile }: AgentBounds): object | undefined {
  const isNarrow =
    narrowerApproval(approval, settings.approval) === settings.approval && grantsNoMoreThan(profile, settings.profile);
  if (isNarrow && settings.cwd === cwd) return undefined;
  return { cwd, ...(isNarrow ? {} : { approval, profile }) };
}

function turnEnd(result: Awaited<ReturnType<AgentLiveThread['submit']>>): TurnEnd {
  if (result.kind === 'refused') return { kind: 'failed', outcome: result.outcome };
  return result;
}
