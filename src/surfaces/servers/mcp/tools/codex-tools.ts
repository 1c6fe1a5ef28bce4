import type { TurnId } from '../../../../protocol/ids.ts';
import { type JsonObject, stringAt } from '../../../../protocol/json.ts';
import { outcomeText, type Outcome } from '../../../../protocol/outcome.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../../protocol/turn-item.ts';
import { usageForPrograms } from '../../../views/wording/cost-words.ts';
import type { FormatNews } from '../client-listeners.ts';
import type { CallContext, InputRequired, ServerTool, ToolAnswer } from '../server-interface.ts';
import type { FollowTurnOptions } from './follow-turn.ts';
import { refusalAnswer } from './tool-answers.ts';
import { schemaParts, type ToolServices } from './tool-definition.ts';
import { sendForCall, startThreadForCall } from './turn-tools.ts';

const output = schemaParts.output('threadId, content', ['threadId', 'content']);
const annotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true } as const;

/** The two tools that hosts of `codex mcp-server` are configured for. */
export const codexTools = (parts: ToolServices): readonly ServerTool[] => [
  {
    name: 'codex',
    title: 'Codex',
    description: 'Run a Codex session.',
    input: schemaParts.input(
      {
        ...schemaParts.fields('prompt, model, profile, cwd'),
        'approval-policy': schemaParts.choice('untrusted', 'on-request', 'never'),
        sandbox: schemaParts.choice('read-only', 'workspace-write', 'danger-full-access'),
        ...schemaParts.fields('config: object, base-instructions, developer-instructions, compact-prompt'),
      },
      ['prompt'],
    ),
    output,
    annotations,
    isAlias: true,
    async call(args, context) {
      const start = Object.fromEntries(Object.entries(args).map(([name, value]) => [name.replaceAll('-', '_'), value]));
      return asCodex(await startThreadForCall(parts, start, context, asCodexEvents(context)));
    },
  },
  {
    name: 'codex-reply',
    title: 'Codex Reply',
    description: 'Continue a Codex conversation by its thread id.',
    input: schemaParts.input(
      {
        ...schemaParts.fields('threadId'),
        conversationId: schemaParts.text('deprecated: use threadId'),
        ...schemaParts.fields('prompt'),
      },
      ['prompt'],
    ),
    output,
    annotations,
    isAlias: true,
    async call(args, context) {
      const id = stringAt(args, 'threadId') ?? stringAt(args, 'conversationId');
      if (id === undefined) return refusalAnswer(noThread);
      const message = { thread_id: id, text: stringAt(args, 'prompt') };
      return asCodex(await sendForCall(parts, message, context, asCodexEvents(context)));
    },
  },
];

const noThread: Outcome = {
  code: 'thread-missing',
  message: 'threadId is missing.',
  next: 'Give the threadId that codex gave.',
};

/** Events carry the request's id: by it, hosts know which of their calls an event belongs to. */
const asCodexEvents = ({ requestId }: CallContext): FollowTurnOptions => ({ form: codexForm(), requestId });

/** The data includes the text: some hosts show nothing else. */
function asCodex(called: ToolAnswer | InputRequired): ToolAnswer | InputRequired {
  if (called.kind !== 'answer') return called;
  const said = called.data['status'] === 'completed' ? stringAt(called.data, 'message') : undefined;
  const content = said ?? called.text;
  return { ...called, text: content, data: { threadId: stringAt(called.data, 'thread_id') ?? '', content } };
}

/**
 * Makes `codex/event` messages that hosts of `codex mcp-server` know. One form serves one call. A turn and its
 * continuation by another model are one task, with the id of the first turn.
 */
function codexForm(): FormatNews {
  const tasks = new Map<TurnId, TurnId>();
  let passedOn: TurnId | undefined;
  return (news, thread, { requestId }) => {
    const given =
      news.kind === 'recorded' || news.kind === 'passing' || news.kind === 'preview' ? news.event : undefined;
    if (given === undefined) return [];
    if (given.kind === 'turn-started') {
      if (passedOn !== undefined) tasks.set(given.turnId, passedOn);
      passedOn = undefined;
    }
    const isContinuation = given.kind === 'turn-started' && tasks.has(given.turnId);
    const event = 'turnId' in given ? { ...given, turnId: tasks.get(given.turnId) ?? given.turnId } : given;
    if (event.kind === 'turn-failed' && event.continuedBy !== undefined) passedOn = event.turnId;
    if (isContinuation) return [];
    const messages = 'provisional' in event ? previewMessages(event) : eventMessages(event, thread.settings);
    const id = 'turnId' in event ? event.turnId : '';
    const _meta = { requestId, threadId: thread.id };
    return messages.map((msg) => ({ method: 'codex/event', params: { _meta, id, msg } }));
  };
}

type Told = readonly JsonObject[];

function eventMessages(event: ThreadEvent, settings: { readonly model: string; readonly cwd: string }): Told {
  switch (event.kind) {
    case 'thread-started': {
      const { model, cwd } = settings;
      return [{ type: 'session_configured', session_id: event.threadId, thread_id: event.threadId, model, cwd }];
    }
    case 'turn-started':
      return [{ type: 'task_started', turn_id: event.turnId }];
    case 'item-started':
      return begun(event.item);
    case 'item-completed':
      return done(event.item);
    case 'usage': {
      const info = {
        total_token_usage: usageForPrograms(event.total),
        model_context_window: event.effectiveWindow,
        last_token_usage: event.last && usageForPrograms(event.last),
      };
      return [{ type: 'token_count', info }];
    }
    case 'checkpoint-installed':
      return [{ type: 'context_compacted' }];
    case 'warning':
      return [{ type: 'warning', message: outcomeText(event.outcome) }];
    case 'retrying':
      return event.beforeAnswer === true ? [] : [{ type: 'stream_error', message: event.outcome.message }];
    case 'turn-completed':
      return [{ type: 'task_complete', turn_id: event.turnId, last_agent_message: event.lastMessage ?? null }];
    case 'turn-failed':
      // These hosts take an `error` for the end of the turn.
      return [
        { type: event.continuedBy === undefined ? 'error' : 'stream_error', message: outcomeText(event.outcome) },
      ];
    case 'turn-aborted':
      return [{ type: 'turn_aborted', turn_id: event.turnId, reason: 'interrupted' }];
    default:
      event.kind satisfies UntoldFact | UntoldStep;
      return [];
  }
}

/** Events for which these hosts have no message. Questions are sent to them as requests. */
type UntoldFact = 'settings' | 'context' | 'code-reviewed' | 'model-switched' | 'prefix-broken' | 'call-refused';
type UntoldStep =
  | `question-${'asked' | 'answered'}`
  | `hook-${'started' | 'completed'}`
  | `checkpoint-${'started' | 'stage' | 'failed'}`
  | 'item-updated'
  | 'turn-suspended';

function begun(item: TurnItem): Told {
  if (item.kind === 'command')
    return [{ type: 'exec_command_begin', call_id: item.id, command: item.argv, cwd: item.cwd }];
  return item.kind === 'file-change' ? [{ type: 'patch_apply_begin', call_id: item.id, changes: changesOf(item) }] : [];
}

function done(item: TurnItem): Told {
  switch (item.kind) {
    case 'user-message':
      return [{ type: 'user_message', message: item.text }];
    case 'agent-message':
      return [{ type: 'agent_message', message: item.text }];
    case 'reasoning':
      return item.summary.map((text) => ({ type: 'agent_reasoning', text }));
    case 'command': {
      const { id, argv, cwd, output, exitCode = -1 } = item;
      const about = { call_id: id, command: argv, cwd };
      return [{ type: 'exec_command_end', ...about, aggregated_output: output, exit_code: exitCode }];
    }
    case 'file-change': {
      const success = item.status === 'completed';
      return [{ type: 'patch_apply_end', call_id: item.id, success, changes: changesOf(item) }];
    }
    case 'web-search':
      return [{ type: 'web_search_end', call_id: item.id, query: item.query }];
    case 'image-generation': {
      const more = { revised_prompt: item.prompt, saved_path: item.path };
      return [{ type: 'image_generation_end', call_id: item.id, status: item.status, result: '', ...more }];
    }
    case 'plan': {
      const plan = item.steps.map(({ text, status }) => ({ step: text, status: status.replace('-', '_') }));
      return [{ type: 'plan_update', plan }];
    }
    default:
      return [];
  }
}

const changesOf = ({ changes }: Extract<TurnItem, { kind: 'file-change' }>): JsonObject =>
  Object.fromEntries(changes.map(({ path, kind }) => [path, { type: kind }]));

function previewMessages(event: ProvisionalEvent): Told {
  if (event.kind === 'text') return [{ type: 'agent_message_delta', delta: event.text }];
  return event.kind === 'reasoning' ? [{ type: 'agent_reasoning_delta', delta: event.text }] : [];
}
