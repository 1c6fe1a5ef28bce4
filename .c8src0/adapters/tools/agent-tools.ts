import { resolveAgentBounds, type Step } from '../../core/envelope/envelope.ts';
import {
  agentClosedText,
  agentMessageSentText,
  agentsListedText,
  agentStartedText,
  agentsWaitedText,
} from '../../core/fragments/answers/agents-and-goals.ts';
import { describeRole, type ListedRole } from '../../core/planes/fit-roles.ts';
import type { AgentCaller, AgentMessage, AgentRefused, Agents, AgentWait, WantedAgent } from '../../ports/agents.ts';
import { arrayAt, numberAt, stringAt, trueAt } from '../../protocol/json.ts';
import { functionSpec, functionTool, parseOptionalArguments } from './function-tool.ts';
import type { Tool } from './tool.ts';

export interface AgentToolsOptions {
  readonly agents: Agents;
  /** The first is the default. */
  readonly roles: readonly ListedRole[];
  /** Roles that do not fit in the list; agents can still be started with them. */
  readonly unlisted: readonly string[];
  /** Agents may begin with the conversation: only a stored one can be forked. */
  readonly mayFork: boolean;
}

export function agentTools(options: AgentToolsOptions): readonly Tool[] {
  const { agents } = options;
  return [spawnAgent(options), sendInput(agents), waitAgent(agents), listAgents(agents), closeAgent(agents)];
}

const target = { type: 'string', description: 'Name, path or id of the agent.' } as const;

function spawnAgent({ agents, roles, unlisted, mayFork }: AgentToolsOptions): Tool {
  const names = roles.map(({ name }) => name);
  const more = unlisted.length === 0 ? [] : [`There are ${unlisted.length} more, for users who name them.`];
  const listed = [...roles.map((role) => `${role.name}: ${describeRole(role)}`), ...more].join(' ');
  const properties = {
    message: { type: 'string', description: 'The task, with all that the agent needs to know.' },
    name: { type: 'string', description: 'Lower-case letters, digits and underscores.' },
    agent_type: { type: 'string', ...(unlisted.length === 0 && { enum: names }), description: listed },
    ...(mayFork && {
      fork_context: { type: 'boolean', description: 'The agent begins with this conversation. Default: false.' },
    }),
    model: { type: 'string' },
    reasoning_effort: { type: 'string' },
  };
  return functionTool<WantedAgent>({
    spec: functionSpec(
      'spawn_agent',
      'Starts an agent that works beside you in the same folder, with at most your permissions. Give it a task that stands by itself. Its answer comes as a <subagent_notification>. Agents end when the program ends, so wait for those whose answer you need before you finish.',
      properties,
      ['message'],
    ),
    parse: parseOptionalArguments,
    read(given) {
      const message = stringAt(given, 'message') ?? '';
      if (message.trim() === '') return '`message` must be a text.';
      const role = stringAt(given, 'agent_type');
      if (role !== undefined && !names.includes(role) && !unlisted.includes(role))
        return `\`agent_type\` must be one of ${names.join(', ')}.`;
      const fork = trueAt(given, 'fork_context');
      if (fork && !mayFork)
        return '`fork_context` needs a conversation that is kept, and this one is not. Put what the agent needs to know into `message`.';
      const [name, model, effort] = ['name', 'model', 'reasoning_effort'].map((key) => stringAt(given, key));
      return { message, name, role, model, effort, fork };
    },
    async run(wanted, _, call) {
      const started = await agents.spawn(wanted, callerOf(call));
      return started.kind === 'refused' ? failure(started) : agentStartedText(started);
    },
  });
}

function sendInput(agents: Agents): Tool {
  return functionTool<AgentMessage>({
    spec: functionSpec(
      'send_input',
      'Sends a message to an agent that you started. If it works, it reads the message before its next step; otherwise it begins a new turn.',
      {
        target,
        message: { type: 'string' },
        interrupt: { type: 'boolean', description: 'End what it does now first. Without a message it only stops.' },
      },
      ['target'],
    ),
    parse: parseOptionalArguments,
    read(given) {
      const [agent, message] = [stringAt(given, 'target'), stringAt(given, 'message')];
      const interrupt = given['interrupt'] === true;
      if (agent === undefined) return '`target` must be a text.';
      if (!interrupt && (message ?? '').trim() === '') return '`message` must be a text.';
      return { target: agent, interrupt, message: message?.trim() === '' ? undefined : message };
    },
    async run(words, _, call) {
      const sent = await agents.send(words, callerOf(call));
      return sent.kind === 'refused' ? failure(sent) : agentMessageSentText(sent.path, sent.as);
    },
  });
}

/** In milliseconds. */
const waiting = { default: 30_000, min: 10_000, max: 3_600_000 } as const;

function waitAgent(agents: Agents): Tool {
  return functionTool<AgentWait>({
    spec: functionSpec(
      'wait_agent',
      'Waits until agents that you started have ended their work, and says how each stands. Answers that you have not read follow as notifications. A new message of the user ends the wait.',
      {
        targets: { type: 'array', items: { type: 'string' }, description: 'Default: all that work.' },
        until: { type: 'string', enum: ['any', 'all'], description: 'Default: any.' },
        timeout_ms: {
          type: 'number',
          description: `Default ${waiting.default}, from ${waiting.min} to ${waiting.max}.`,
        },
      },
      [],
    ),
    idempotent: true,
    parse: parseOptionalArguments,
    read(given) {
      const targets = (arrayAt(given, 'targets') ?? []).filter((each) => typeof each === 'string');
      const until = given['until'] ?? 'any';
      if (until !== 'any' && until !== 'all') return '`until` must be "any" or "all".';
      const wanted = numberAt(given, 'timeout_ms') ?? waiting.default;
      if (wanted <= 0) return '`timeout_ms` must be above 0.';
      return { targets, until, timeoutMs: Math.min(Math.max(wanted, waiting.min), waiting.max) };
    },
    async run(wanted, { signal, hasWords = () => false }) {
      const waited = await agents.wait(wanted, { signal, hasWords });
      return waited.kind === 'refused' ? failure(waited) : agentsWaitedText(waited);
    },
  });
}

function listAgents(agents: Agents): Tool {
  return functionTool({
    spec: functionSpec(
      'list_agents',
      'Lists the agents that you started and have not closed, with the beginning and end of their last answers.',
      {},
      [],
    ),
    idempotent: true,
    parse: parseOptionalArguments,
    read: () => null,
    run: async () => agentsListedText(await agents.list()),
  });
}

function closeAgent(agents: Agents): Tool {
  return functionTool({
    spec: functionSpec(
      'close_agent',
      'Ends an agent that you started, and the agents that it started. It takes no more input.',
      { target },
      ['target'],
    ),
    idempotent: true,
    parse: parseOptionalArguments,
    read(given) {
      const name = stringAt(given, 'target');
      return name === undefined ? '`target` must be a text.' : { name };
    },
    async run({ name }) {
      const closed = await agents.close(name);
      return closed.kind === 'refused' ? failure(closed) : agentClosedText(closed.before);
    },
  });
}

const failure = ({ why }: AgentRefused) => ({ output: why, ok: false });

const callerOf = ({ callId, step: { envelope } }: { readonly callId: string; readonly step: Step }): AgentCaller => ({
  ...resolveAgentBounds(envelope),
  turnId: envelope.telemetry.turnId,
  callId,
});
