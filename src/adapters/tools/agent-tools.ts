import { defined } from '../../base/objects.ts';
import { resolveAgentBounds } from '../../core/envelope/envelope.ts';
import {
  agentClosed,
  agentSent,
  agentsListed,
  agentStarted,
  agentsWaited,
} from '../../core/fragments/answers/agents-and-goals.ts';
import { badArguments } from '../../core/fragments/answers/tool-calls.ts';
import { describeRole, type ListedRole } from '../../core/planes/fit-budget.ts';
import type { AgentCaller, AgentMessage, AgentRefused, Agents, AgentWait, WantedAgent } from '../../ports/agents.ts';
import { arrayAt, type JsonObject, numberAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
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
  return agentTool<WantedAgent>({
    name: 'spawn_agent',
    description:
      'Starts an agent that works beside you in the same folder, with at most your permissions. Give it a task that stands by itself. Its answer comes as a <subagent_notification>. Agents end when the program ends, so wait for those whose answer you need before you finish.',
    properties: {
      message: { type: 'string', description: 'The task, with all that the agent needs to know.' },
      name: { type: 'string', description: 'Lower-case letters, digits and underscores.' },
      agent_type: { type: 'string', ...(unlisted.length === 0 && { enum: names }), description: listed },
      ...(mayFork && {
        fork_context: { type: 'boolean', description: 'The agent begins with this conversation. Default: false.' },
      }),
      model: { type: 'string' },
      reasoning_effort: { type: 'string' },
    },
    required: ['message'],
    read(given) {
      const message = stringAt(given, 'message') ?? '';
      if (message.trim() === '') return '`message` must be a text.';
      const role = stringAt(given, 'agent_type');
      if (role !== undefined && !names.includes(role) && !unlisted.includes(role))
        return `\`agent_type\` must be one of ${names.join(', ')}.`;
      const fork = given['fork_context'] === true || undefined;
      if (fork && !mayFork)
        return '`fork_context` needs a conversation that is kept, and this one is not. Put what the agent needs to know into `message`.';
      const [name, model, effort] = ['name', 'model', 'reasoning_effort'].map((key) => stringAt(given, key));
      return { message, ...defined({ name, role, model, effort, fork }) };
    },
    async run(wanted, { caller }) {
      const started = await agents.spawn(wanted, caller);
      return started.kind === 'refused' ? failure(started) : success(agentStarted(started));
    },
  });
}

function sendInput(agents: Agents): Tool {
  return agentTool<AgentMessage>({
    name: 'send_input',
    description:
      'Sends a message to an agent that you started. If it works, it reads the message before its next step; otherwise it begins a new turn.',
    properties: {
      target,
      message: { type: 'string' },
      interrupt: { type: 'boolean', description: 'End what it does now first. Without a message it only stops.' },
    },
    required: ['target'],
    read(given) {
      const [agent, message] = [stringAt(given, 'target'), stringAt(given, 'message')];
      const interrupt = given['interrupt'] === true;
      if (agent === undefined) return '`target` must be a text.';
      if (!interrupt && (message ?? '').trim() === '') return '`message` must be a text.';
      const said = message?.trim() === '' ? undefined : message;
      return { target: agent, interrupt, ...defined({ message: said }) };
    },
    async run(words, { caller }) {
      const sent = await agents.send(words, caller);
      return sent.kind === 'refused' ? failure(sent) : success(agentSent(sent.path, sent.as));
    },
  });
}

/** In milliseconds. */
const waiting = { default: 30_000, min: 10_000, max: 3_600_000 } as const;

function waitAgent(agents: Agents): Tool {
  return agentTool<AgentWait>({
    name: 'wait_agent',
    description:
      'Waits until agents that you started have ended their work, and says how each stands. Answers that you have not read follow as notifications. A new message of the user ends the wait.',
    properties: {
      targets: { type: 'array', items: { type: 'string' }, description: 'Default: all that work.' },
      until: { type: 'string', enum: ['any', 'all'], description: 'Default: any.' },
      timeout_ms: {
        type: 'number',
        description: `Default ${waiting.default}, from ${waiting.min} to ${waiting.max}.`,
      },
    },
    required: [],
    idempotent: true,
    read: readWait,
    async run(wanted, { signal, hasWords }) {
      const waited = await agents.wait(wanted, { signal, hasWords });
      return waited.kind === 'refused' ? failure(waited) : success(agentsWaited(waited));
    },
  });
}

function readWait(given: JsonObject): AgentWait | string {
  const targets = (arrayAt(given, 'targets') ?? []).filter((each) => typeof each === 'string');
  const until = given['until'] ?? 'any';
  if (until !== 'any' && until !== 'all') return '`until` must be "any" or "all".';
  const wanted = numberAt(given, 'timeout_ms') ?? waiting.default;
  if (wanted <= 0) return '`timeout_ms` must be above 0.';
  return { targets, until, timeoutMs: Math.min(Math.max(wanted, waiting.min), waiting.max) };
}

function listAgents(agents: Agents): Tool {
  return agentTool<null>({
    name: 'list_agents',
    description:
      'Lists the agents that you started and have not closed, with the beginning and end of their last answers.',
    properties: {},
    required: [],
    idempotent: true,
    read: () => null,
    run: async () => success(agentsListed(await agents.list())),
  });
}

function closeAgent(agents: Agents): Tool {
  return agentTool<{ readonly name: string }>({
    name: 'close_agent',
    description: 'Ends an agent that you started, and the agents that it started. It takes no more input.',
    properties: { target },
    required: ['target'],
    idempotent: true,
    read(given) {
      const name = stringAt(given, 'target');
      return name === undefined ? '`target` must be a text.' : { name };
    },
    async run({ name }) {
      const closed = await agents.close(name);
      return closed.kind === 'refused' ? failure(closed) : success(agentClosed(closed.before));
    },
  });
}

const success = (output: string) => ({ output, ok: true });
const failure = ({ why }: AgentRefused) => ({ output: why, ok: false });

export interface AgentTool<Given> {
  readonly name: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly idempotent?: true;
  /** A string says what is wrong with the arguments. */
  read(given: JsonObject): Given | string;
  run(given: Given, call: AgentCall): Promise<{ readonly output: string; readonly ok: boolean }>;
}

export interface AgentCall {
  readonly caller: AgentCaller;
  readonly signal: AbortSignal;
  hasWords(): boolean;
}

function agentTool<Given>(tool: AgentTool<Given>): Tool {
  const { name, description, properties, required, idempotent } = tool;
  const parameters = { type: 'object', properties, required, additionalProperties: false };
  return {
    name,
    spec: { type: 'function', name, description, strict: false, parameters },
    prepare({ callId, input }, step) {
      const given = parseJsonObject(input.trim() === '' ? '{}' : input);
      const read = given === undefined ? 'they are not a JSON object.' : tool.read(given);
      if (given === undefined || typeof read === 'string')
        return { kind: 'refused', output: badArguments(String(read)) };
      const item: ToolCallItem = { kind: 'tool-call', id: callId, tool: name, arguments: given, status: 'in-progress' };
      return {
        kind: 'prepared',
        item,
        needs: {},
        ...defined({ idempotent }),
        async run({ signal, hasWords = () => false }) {
          const { envelope } = step;
          const caller = { ...resolveAgentBounds(envelope), turnId: envelope.telemetry.turnId, callId };
          const { output, ok } = await tool.run(read, { caller, signal, hasWords });
          return { output, item: { ...item, status: ok ? 'completed' : 'failed', output } };
        },
      };
    },
  };
}
