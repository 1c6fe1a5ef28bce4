import { defined } from '../../../../base/objects.ts';
import type { TurnId } from '../../../../protocol/ids.ts';
import { type JsonObject, stringAt } from '../../../../protocol/json.ts';
import { fullText, type Outcome } from '../../../../protocol/outcome.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../../protocol/turn-item.ts';
import { usageForPrograms } from '../../../views/wording/cost-words.ts';
import type { NewsForm } from '../client-listeners.ts';
import type { CallContext, InputRequired, ServerTool, ToolAnswer } from '../server-interface.ts';
import type { Attendance } from './attend-turn.ts';
import { refusedAnswer } from './tool-answers.ts';
import {
  choiceSchema,
  inputOfTool,
  objectSchema,
  outputOfTool,
  textSchema,
  type ToolServices,
} from './tool-definition.ts';
import { sendForCall, startThreadForCall } from './turn-tools.ts';

const output = outputOfTool({ threadId: textSchema(), content: textSchema() }, ['threadId', 'content']);
const annotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true } as const;

/** The two tools that hosts of `codex mcp-server` are configured for. */
export function codexTools(parts: ToolServices): readonly ServerTool[] {
  return [
    {
      name: 'codex',
      title: 'Codex',
      description: 'Run a Codex session.',
      input: inputOfTool(
        {
          prompt: textSchema(),
          model: textSchema(),
          profile: textSchema(),
          cwd: textSchema(),
          'approval-policy': choiceSchema('untrusted', 'on-request', 'never'),
          sandbox: choiceSchema('read-only', 'workspace-write', 'danger-full-access'),
          config: objectSchema,
          'base-instructions': textSchema(),
          'developer-instructions': textSchema(),
          'compact-prompt': textSchema(),
        },
        ['prompt'],
      ),
      output,
      annotations,
      isAlias: true,
      call: async (args, context) =>
        asCodex(await startThreadForCall(parts, startArguments(args), context, asCodexEvents(context))),
    },
    {
      name: 'codex-reply',
      title: 'Codex Reply',
      description: 'Continue a Codex conversation by its thread id.',
      input: inputOfTool(
        { threadId: textSchema(), conversationId: textSchema('deprecated: use threadId'), prompt: textSchema() },
        ['prompt'],
      ),
      output,
      annotations,
      isAlias: true,
      async call(args, context) {
        const id = stringAt(args, 'threadId') ?? stringAt(args, 'conversationId');
        if (id === undefined) return refusedAnswer(noThread);
        const message = { thread_id: id, ...defined({ text: stringAt(args, 'prompt') }) };
        return asCodex(await sendForCall(parts, message, context, asCodexEvents(context)));
      },
    },
  ];
}

const noThread: Outcome = {
  code: 'thread-missing',
  message: 'threadId is missing.',
  next: 'Give the threadId that codex gave.',
};

/** Hosts distinguish the events of their calls by the request. */
function asCodexEvents({ requestId }: CallContext): Attendance {
  return { form: codexForm(), requestId };
}

function startArguments(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name.replaceAll('-', '_'), value]),
  ) as JsonObject;
}

/** The data includes the text: some hosts show nothing else. */
function asCodex(called: ToolAnswer | InputRequired): ToolAnswer | InputRequired {
  if (called.kind !== 'answer') return called;
  const said = called.data['status'] === 'completed' ? stringAt(called.data, 'message') : undefined;
  const content = said ?? called.text;
  return { ...called, text: content, data: { threadId: stringAt(called.data, 'thread_id') ?? '', content } };
}

/**
 * `codex/event` with messages that hosts of `codex mcp-server` know. Made for one call: a turn that another model
 * continues is one task, under the id of its first turn.
 */
function codexForm(): NewsForm {
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
    const _meta = { ...defined({ requestId }), threadId: thread.id };
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
      const { last, total, effectiveWindow } = event;
      const info = { total_token_usage: usageForPrograms(total), model_context_window: effectiveWindow };
      return [
        { type: 'token_count', info: { ...info, ...defined({ last_token_usage: last && usageForPrograms(last) }) } },
      ];
    }
    case 'checkpoint-installed':
      return [{ type: 'context_compacted' }];
    case 'warning':
      return [{ type: 'warning', message: fullText(event.outcome) }];
    case 'retrying':
      return event.beforeAnswer === true ? [] : [{ type: 'stream_error', message: event.outcome.message }];
    case 'turn-completed':
      return [{ type: 'task_complete', turn_id: event.turnId, last_agent_message: event.lastMessage ?? null }];
    case 'turn-failed':
      // An `error` is the end to these hosts.
      return [{ type: event.continuedBy === undefined ? 'error' : 'stream_error', message: fullText(event.outcome) }];
    case 'turn-aborted':
      return [{ type: 'turn_aborted', turn_id: event.turnId, reason: 'interrupted' }];
    // These hosts have no message for them. Questions are sent to them as requests.
    case 'settings':
    case 'context':
    case 'model-switched':
    case 'item-updated':
    case 'call-refused':
    case 'hook-started':
    case 'hook-completed':
    case 'question-asked':
    case 'question-answered':
    case 'prefix-broken':
    case 'code-reviewed':
    case 'checkpoint-started':
    case 'checkpoint-stage':
    case 'checkpoint-failed':
    case 'turn-suspended':
      return [];
  }
}

function begun(item: TurnItem): Told {
  switch (item.kind) {
    case 'command':
      return [{ type: 'exec_command_begin', call_id: item.id, command: item.argv, cwd: item.cwd }];
    case 'file-change':
      return [{ type: 'patch_apply_begin', call_id: item.id, changes: changesOf(item) }];
    case 'user-message':
    case 'agent-message':
    case 'reasoning':
    case 'plan':
    case 'web-search':
    case 'image-generation':
    case 'image-view':
    case 'tool-call':
      return [];
  }
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
      const more = defined({ revised_prompt: item.prompt, saved_path: item.path });
      return [{ type: 'image_generation_end', call_id: item.id, status: item.status, result: '', ...more }];
    }
    case 'plan': {
      const plan = item.steps.map(({ text, status }) => ({ step: text, status: status.replace('-', '_') }));
      return [{ type: 'plan_update', plan }];
    }
    case 'image-view':
    case 'tool-call':
      return [];
  }
}

function changesOf({ changes }: Extract<TurnItem, { kind: 'file-change' }>): JsonObject {
  return Object.fromEntries(changes.map(({ path, kind }) => [path, { type: kind }]));
}

function previewMessages(event: ProvisionalEvent): Told {
  switch (event.kind) {
    case 'text':
      return [{ type: 'agent_message_delta', delta: event.text }];
    case 'reasoning':
      return [{ type: 'agent_reasoning_delta', delta: event.text }];
    case 'output':
    case 'dropped':
      return [];
  }
}
