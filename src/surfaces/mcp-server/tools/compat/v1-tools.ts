import { randomUUID } from 'node:crypto';
import { defined } from '../../../../protocol/defined.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { CallContext, InputRequired, ServerTool, ToolAnswer } from '../../offer/server-tool.ts';
import { answered, refusedAnswer } from '../call-answers.ts';
import { threadCompactTool, threadInterruptTool, threadOverrideTool } from '../control-tools.ts';
import { findLiveThread } from '../find-thread-by-name.ts';
import type { ToolParts } from '../tool-parts.ts';
import { anObject, choiceOf, yesOrNo, inputOfTool, list, outputOfTool, text, textList } from '../tool-schema.ts';
import { callStart, threadSendTool, threadTurnTool } from '../turn-tools.ts';
import { contextFrom, messageFrom, startFrom } from './v1-arguments.ts';
import { inV1Names, overriddenInV1 } from './v1-words.ts';

type Called = ToolAnswer | InputRequired;

/** A name of v1, in terms of a tool of this server. */
function alias(name: string, title: string, about: Pick<ServerTool, 'input' | 'output' | 'call'>): ServerTool {
  const description = `${title}, as clients of v1 call it.`;
  const annotations = { readOnlyHint: false, openWorldHint: true };
  return { name, title, description, ...about, annotations, isAlias: true };
}

const conversation = { conversationId: text() };
const context: JsonObject = {
  cwd: text(),
  approvalPolicy: {},
  sandboxPolicy: {},
  model: text(),
  effort: {},
  summary: choiceOf('auto', 'concise', 'detailed', 'none'),
};
const started: JsonObject = {
  model: text(),
  profile: text(),
  cwd: text(),
  approvalPolicy: text(),
  sandbox: text(),
  config: anObject,
  baseInstructions: text(),
  developerInstructions: text(),
  compactPrompt: text(),
  includePlanTool: yesOrNo,
  includeApplyPatchTool: yesOrNo,
};
/** Clients of v1 write what they leave out as `null`. */
function orNull(properties: JsonObject): JsonObject {
  const entries = Object.entries(properties).map(([name, schema]) => {
    if (!isJsonObject(schema) || typeof schema['type'] !== 'string') return [name, schema];
    const choices = arrayAt(schema, 'enum');
    return [name, { ...schema, type: [schema['type'], 'null'], ...(choices && { enum: [...choices, null] }) }];
  });
  return Object.fromEntries(entries) as JsonObject;
}

const inConversation = (properties: JsonObject, ...required: readonly string[]): JsonObject =>
  inputOfTool({ ...conversation, ...properties }, ['conversationId', ...required]);
const turn = outputOfTool({ ...conversation, turnId: text(), status: text(), message: text(), questions: list }, []);

export function v1Tools(parts: ToolParts): readonly ServerTool[] {
  const [send, turnTool, override] = [threadSendTool(parts), threadTurnTool(parts), threadOverrideTool(parts)];
  const [compact, interrupt] = [threadCompactTool(parts), threadInterruptTool(parts)];
  const subscriptions = new Map<string, () => void>();
  return [
    alias('newConversation', 'Start a conversation', {
      input: inputOfTool(orNull(started), []),
      output: outputOfTool(
        { ...conversation, model: text(), reasoningEffort: text(), rolloutPath: { type: ['string', 'null'] } },
        [],
      ),
      call: async (args, call) => begun(parts, await callStart(parts, startFrom(args), call, {})),
    }),
    alias('addConversationListener', 'Listen to a conversation', {
      input: inConversation({ experimentalRawEvents: yesOrNo }),
      output: outputOfTool({ subscriptionId: text() }, []),
      async call(args, { client }) {
        if (!client.stays) return refusedAnswer(noConnection);
        const thread = await findLiveThread(parts, stringAt(args, 'conversationId') ?? '');
        if ('code' in thread) return refusedAnswer(thread);
        const subscriptionId = randomUUID();
        const listening = parts.listeners.add(thread, client);
        const end = (): void => {
          subscriptions.delete(subscriptionId);
          client.gone.removeEventListener('abort', end);
          listening.end();
        };
        subscriptions.set(subscriptionId, end);
        client.gone.addEventListener('abort', end, { once: true });
        return answered('The events of the conversation are sent as notifications.', { subscriptionId });
      },
    }),
    alias('removeConversationListener', 'Stop listening', {
      input: inputOfTool({ subscriptionId: text() }, ['subscriptionId']),
      output: outputOfTool({}, []),
      async call(args) {
        const end = subscriptions.get(stringAt(args, 'subscriptionId') ?? '');
        if (end === undefined) return refusedAnswer(unknownSubscription);
        end();
        return answered('No more events are sent.', {});
      },
    }),
    alias('sendUserMessage', 'Send a message', {
      input: inConversation({ items: list }, 'items'),
      output: turn,
      call: (args, call) => said(send, args, call),
    }),
    alias('sendUserTurn', 'Run a turn', {
      input: inConversation(
        { items: list, ...context },
        'items',
        'cwd',
        'approvalPolicy',
        'sandboxPolicy',
        'model',
        'summary',
      ),
      output: turn,
      call: (args, call) => said(turnTool, args, call, contextFrom(args)),
    }),
    alias('overrideTurnContext', 'Override the context', {
      input: inConversation(orNull(context)),
      output: outputOfTool({ ...conversation, changed: textList, settings: anObject }, []),
      async call(args, call) {
        const done = inV1(await override.call({ ...named(args), ...contextFrom(args) }, call));
        return done.kind === 'answer' ? overriddenInV1(done) : done;
      },
    }),
    alias('compactConversation', 'Compact the history', {
      input: inConversation({ focus: text() }),
      output: outputOfTool({ ...conversation, report: anObject }, []),
      call: async (args, call) =>
        inV1(await compact.call({ ...named(args), ...defined({ focus: args['focus'] }) }, call)),
    }),
    alias('interruptConversation', 'Interrupt a turn', {
      input: inConversation({}),
      output: outputOfTool({ ...conversation, abortReason: text() }, []),
      async call(args, call) {
        const done = await inV1(await interrupt.call(named(args), call));
        const isInterrupted = done.kind === 'answer' && done.data['interrupted'] === true;
        return isInterrupted ? { ...done, data: { ...done.data, abortReason: 'interrupted' } } : done;
      },
    }),
  ];
}

const noConnection: Outcome = {
  code: 'no-connection',
  message: 'Revision 2026-07-28 over HTTP has no connection beside the request, so no events can be sent later.',
  next: 'Follow capstan://threads/ID with subscriptions/listen: its stream gets the events.',
};

const unknownSubscription: Outcome = {
  code: 'subscription-unknown',
  message: 'There is no such subscription.',
  next: 'Give the subscriptionId that addConversationListener gave.',
};

function named(args: JsonObject): JsonObject {
  return defined({ thread_id: args['conversationId'] });
}

async function said(tool: ServerTool, args: JsonObject, call: CallContext, more: JsonObject = {}): Promise<Called> {
  const message = messageFrom(args);
  if (typeof message['code'] === 'string') return refusedAnswer(message as unknown as Outcome);
  return inV1(await tool.call({ ...named(args), ...(message as JsonObject), ...more }, call));
}

/** Names of the answer as v1 had them. */
function inV1(called: Called): Called {
  return called.kind === 'answer' ? inV1Names(called) : called;
}

async function begun({ engine }: ToolParts, called: Called): Promise<Called> {
  if (called.kind !== 'answer' || called.isError === true) return inV1(called);
  const id = stringAt(called.data, 'thread_id') ?? '';
  const settings = objectAt(called.data, 'settings');
  const location = await engine.stored.location(id as Parameters<typeof engine.stored.location>[0]);
  return {
    ...called,
    text: `Conversation ${id} is started.`,
    data: {
      conversationId: id,
      ...defined({ model: stringAt(settings, 'model'), reasoningEffort: stringAt(settings, 'effort') }),
      // Its file appears with its first turn.
      rolloutPath: location ?? null,
    },
  };
}
