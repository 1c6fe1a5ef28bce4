import { defined } from '../../../../protocol/defined.ts';
import { type JsonObject, stringAt } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import { codexForm } from '../../events/codex-events.ts';
import type { CallContext, InputRequired, ServerTool, ToolAnswer } from '../../offer/server-tool.ts';
import type { Attendance } from '../attend-turn.ts';
import { refusedAnswer } from '../call-answers.ts';
import type { ToolParts } from '../tool-parts.ts';
import { anObject, choiceOf, inputOfTool, outputOfTool, text } from '../tool-schema.ts';
import { callSend, callStart } from '../turn-tools.ts';

const output = outputOfTool({ threadId: text(), content: text() }, ['threadId', 'content']);
const annotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true } as const;

/** The two tools that hosts of `codex mcp-server` are configured for. */
export function codexTools(parts: ToolParts): readonly ServerTool[] {
  return [
    {
      name: 'codex',
      title: 'Codex',
      description: 'Run a Codex session.',
      input: inputOfTool(
        {
          prompt: text(),
          model: text(),
          profile: text(),
          cwd: text(),
          'approval-policy': choiceOf('untrusted', 'on-request', 'never'),
          sandbox: choiceOf('read-only', 'workspace-write', 'danger-full-access'),
          config: anObject,
          'base-instructions': text(),
          'developer-instructions': text(),
          'compact-prompt': text(),
        },
        ['prompt'],
      ),
      output,
      annotations,
      isAlias: true,
      call: async (args, context) =>
        asCodex(await callStart(parts, startArguments(args), context, asCodexEvents(context))),
    },
    {
      name: 'codex-reply',
      title: 'Codex Reply',
      description: 'Continue a Codex conversation by its thread id.',
      input: inputOfTool({ threadId: text(), conversationId: text('deprecated: use threadId'), prompt: text() }, [
        'prompt',
      ]),
      output,
      annotations,
      isAlias: true,
      async call(args, context) {
        const id = stringAt(args, 'threadId') ?? stringAt(args, 'conversationId');
        if (id === undefined) return refusedAnswer(noThread);
        const message = { thread_id: id, ...defined({ text: stringAt(args, 'prompt') }) };
        return asCodex(await callSend(parts, message, context, asCodexEvents(context)));
      },
    },
  ];
}

const noThread: Outcome = {
  code: 'thread-missing',
  message: 'threadId is missing.',
  next: 'Give the threadId that codex gave.',
};

/** Hosts tell the events of their calls apart by the request. */
function asCodexEvents({ requestId }: CallContext): Attendance {
  return { form: codexForm(), requestId };
}

/** Names with hyphens are the same with underscores. */
function startArguments(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name.replaceAll('-', '_'), value]),
  ) as JsonObject;
}

/** The text stands in the data as well: some hosts show nothing else. */
function asCodex(called: ToolAnswer | InputRequired): ToolAnswer | InputRequired {
  if (called.kind !== 'answer') return called;
  const said = called.data['status'] === 'completed' ? stringAt(called.data, 'message') : undefined;
  const content = said ?? called.text;
  return { ...called, text: content, data: { threadId: stringAt(called.data, 'thread_id') ?? '', content } };
}
