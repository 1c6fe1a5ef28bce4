import { defined } from '../../../../base/objects.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { CallContext, InputRequired, ServerTool, ToolAnswer } from '../server-interface.ts';
import { threadCompactTool, threadInterruptTool, threadOverrideTool } from './control-tools.ts';
import { findLiveThread } from './find-thread.ts';
import { toolAnswer, refusalAnswer } from './tool-answers.ts';
import { schemaParts, type UnboundTool, type ToolServices } from './tool-definition.ts';
import { startThreadForCall, threadSendTool, threadTurnTool } from './turn-tools.ts';
import { randomUUID } from 'node:crypto';

type Called = ToolAnswer | InputRequired;

function alias(name: string, title: string, about: Pick<ServerTool, 'input' | 'output' | 'call'>): ServerTool {
  const description = `${title}, as clients of v1 call it.`;
  const annotations = { readOnlyHint: false, openWorldHint: true };
  return { name, title, description, ...about, annotations, isAlias: true };
}

const context: JsonObject = {
  ...schemaParts.fields('cwd'),
  approvalPolicy: {},
  sandboxPolicy: {},
  ...schemaParts.fields('model'),
  effort: {},
  summary: schemaParts.choice('auto', 'concise', 'detailed', 'none'),
};
const started: JsonObject = {
  ...schemaParts.fields('model, profile, cwd, approvalPolicy, sandbox, config: object, baseInstructions'),
  ...schemaParts.fields(
    'developerInstructions, compactPrompt, includePlanTool: boolean, includeApplyPatchTool: boolean',
  ),
};
/** Accepts `null` for members, since clients of v1 send it for omitted ones. */
function orNull(properties: JsonObject): JsonObject {
  const entries = Object.entries(properties).map(([name, given]) => {
    if (!isJsonObject(given) || typeof given['type'] !== 'string') return [name, given];
    const choices = arrayAt(given, 'enum');
    return [name, { ...given, type: [given['type'], 'null'], ...(choices && { enum: [...choices, null] }) }];
  });
  return Object.fromEntries(entries) as JsonObject;
}

const inConversation = (properties: JsonObject, required: readonly string[] = []): JsonObject =>
  schemaParts.input({ ...schemaParts.fields('conversationId'), ...properties }, ['conversationId', ...required]);
const turn = schemaParts.output('conversationId, turnId, status, message, questions: list', []);

export function v1Tools(parts: ToolServices): readonly ServerTool[] {
  const subscriptions = new Map<string, () => void>();
  return [
    alias('newConversation', 'Start a conversation', {
      input: schemaParts.input(orNull(started), []),
      output: schemaParts.output(
        { ...schemaParts.fields('conversationId, model, reasoningEffort'), rolloutPath: { type: ['string', 'null'] } },
        [],
      ),
      call: async (args, call) => begun(parts, await startThreadForCall(parts, startFrom(args), call, {})),
    }),
    alias('addConversationListener', 'Listen to a conversation', {
      input: inConversation(schemaParts.fields('experimentalRawEvents: boolean')),
      output: schemaParts.output('subscriptionId', []),
      async call(args, { client }) {
        if (!client.stays) return refusalAnswer(noConnection);
        const thread = await findLiveThread(parts, stringAt(args, 'conversationId') ?? '');
        if ('code' in thread) return refusalAnswer(thread);
        const subscriptionId = randomUUID();
        const listening = parts.listeners.add(thread, client);
        const end = (): void => {
          subscriptions.delete(subscriptionId);
          client.gone.removeEventListener('abort', end);
          listening.end();
        };
        subscriptions.set(subscriptionId, end);
        client.gone.addEventListener('abort', end, { once: true });
        return toolAnswer('The events of the conversation are sent as notifications.', { subscriptionId });
      },
    }),
    alias('removeConversationListener', 'Stop listening', {
      input: schemaParts.input('subscriptionId', ['subscriptionId']),
      output: schemaParts.output({}, []),
      async call(args) {
        const end = subscriptions.get(stringAt(args, 'subscriptionId') ?? '');
        if (end === undefined) return refusalAnswer(unknownSubscription);
        end();
        return toolAnswer('No more events are sent.', {});
      },
    }),
    alias('sendUserMessage', 'Send a message', {
      input: inConversation({ items: schemaParts.list }, ['items']),
      output: turn,
      call: (args, call) => said([parts, threadSendTool], args, call),
    }),
    alias('sendUserTurn', 'Run a turn', {
      input: inConversation({ items: schemaParts.list, ...context }, [
        'items',
        'cwd',
        'approvalPolicy',
        'sandboxPolicy',
        'model',
        'summary',
      ]),
      output: turn,
      call: (args, call) => said([parts, threadTurnTool], args, call, contextFrom(args)),
    }),
    alias('overrideTurnContext', 'Override the context', {
      input: inConversation(orNull(context)),
      output: schemaParts.output('conversationId, changed: texts, settings: object', []),
      async call(args, call) {
        const done = inV1(await threadOverrideTool.call(parts, { ...named(args), ...contextFrom(args) }, call));
        return done.kind === 'answer' ? overrideInV1Names(done) : done;
      },
    }),
    alias('compactConversation', 'Compact the history', {
      input: inConversation(schemaParts.fields('focus')),
      output: schemaParts.output('conversationId, report: object', []),
      call: async (args, call) =>
        inV1(await threadCompactTool.call(parts, { ...named(args), focus: args['focus'] }, call)),
    }),
    alias('interruptConversation', 'Interrupt a turn', {
      input: inConversation({}),
      output: schemaParts.output('conversationId, abortReason', []),
      async call(args, call) {
        const done = inV1(await threadInterruptTool.call(parts, named(args), call));
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

const named = (args: JsonObject): JsonObject => defined({ thread_id: args['conversationId'] });

async function said(
  [parts, tool]: readonly [ToolServices, UnboundTool],
  args: JsonObject,
  call: CallContext,
  more: JsonObject = {},
): Promise<Called> {
  const message = messageFrom(args);
  if (typeof message['code'] === 'string') return refusalAnswer(message as unknown as Outcome);
  return inV1(await tool.call(parts, { ...named(args), ...(message as JsonObject), ...more }, call));
}

const inV1 = (called: Called): Called => (called.kind === 'answer' ? inV1Names(called) : called);

async function begun({ engine }: ToolServices, called: Called): Promise<Called> {
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

const itemMembers: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['image_url', 'imageUrl'],
  localImage: ['path'],
};

/** `{type: "text", data: {text}}`, `{type: "image", data: {image_url}}`, `{type: "localImage", data: {path}}`. */
function messageFrom(args: JsonObject): JsonObject | Outcome {
  const texts: string[] = [];
  const images: string[] = [];
  for (const [at, item] of (arrayAt(args, 'items') ?? []).entries()) {
    if (!isJsonObject(item)) return wrongItem(at, 'is not an object');
    // Some clients omit the data object and put its members into the item.
    const data = objectAt(item, 'data') ?? item;
    const type = stringAt(item, 'type') ?? '';
    const names = Object.hasOwn(itemMembers, type) ? itemMembers[type] : undefined;
    if (names === undefined) return wrongItem(at, `has the type ${JSON.stringify(item['type'] ?? null)}`);
    const content = names.map((name) => stringAt(data, name)).find((member) => member !== undefined);
    if (content === undefined) return wrongItem(at, `has no ${names[0]} in its data of type ${type}`);
    (type === 'text' ? texts : images).push(content);
  }
  return { text: texts.join('\n'), ...(images.length > 0 && { images }) };
}

const wrongItem = (at: number, what: string): Outcome => ({
  code: 'wrong-item',
  message: `items[${at}] ${what}.`,
  next: 'Items are {type: "text", data: {text}}, {type: "image", data: {image_url}} or {type: "localImage", data: {path}}. Nothing was sent.',
});

function contextFrom(args: JsonObject): JsonObject {
  const { cwd, approvalPolicy, sandboxPolicy, model, effort, summary } = args;
  const given = withoutNull({ cwd, approval_policy: approvalPolicy, sandbox: sandboxPolicy, model, summary });
  // For the effort, null is a value: the default of the model.
  return { ...given, ...defined({ effort }) };
}

function startFrom(args: JsonObject): JsonObject {
  const { model, profile, cwd, approvalPolicy, sandbox, config } = args;
  return withoutNull({
    model,
    profile,
    cwd,
    approval_policy: approvalPolicy,
    sandbox,
    config,
    base_instructions: args['baseInstructions'],
    developer_instructions: args['developerInstructions'],
    compact_prompt: args['compactPrompt'],
    plan_tool: args['includePlanTool'],
    patch_tool: args['includeApplyPatchTool'],
  });
}

const withoutNull = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));

/** This server's tool names by the v1 names. A tool without a v1 name keeps its own. */
const names: Readonly<Record<string, string>> = {
  thread_id: 'conversationId',
  turn_id: 'turnId',
  approval_policy: 'approvalPolicy',
  base_instructions: 'baseInstructions',
  developer_instructions: 'developerInstructions',
  compact_prompt: 'compactPrompt',
  thread_start: 'newConversation',
  thread_send: 'sendUserMessage',
  thread_turn: 'sendUserTurn',
  thread_override: 'overrideTurnContext',
  thread_compact: 'compactConversation',
  thread_interrupt: 'interruptConversation',
};

const namesInText = new RegExp(`(?<![\\w./-])(?:${Object.keys(names).join('|')})(?![\\w/-])`, 'g');
/** Errors about arguments: in these, `sandbox` is the argument and not the thing. */
const aboutArguments = ['option-wrong', 'option-unknown', 'nothing-to-change'];

/** Uses v1 names in an answer. Text of the model or the user is unchanged. */
function inV1Names({ text, data, ...answer }: ToolAnswer): ToolAnswer {
  const error = objectAt(data, 'error');
  const code = stringAt(error, 'code') ?? '';
  const said = (sentence: string): string => {
    const named = sentence.replaceAll(namesInText, (name) => names[name] ?? name);
    if (!aboutArguments.includes(code)) return named;
    // v1 has no mode to change.
    return named.replaceAll(/\bsandbox\b(?! mode| policy)/g, 'sandboxPolicy').replace(/, mode\.$/, '.');
  };
  const words = defined({ message: stringAt(error, 'message'), next: stringAt(error, 'next') });
  const saidWords = Object.fromEntries(Object.entries(words).map(([key, value]) => [key, said(value)]));
  return {
    ...answer,
    text: answer.isError === true ? said(text) : text,
    data: { ...keysInV1(data), ...(error !== undefined && { error: { ...error, ...saidWords } }) },
  };
}

const keysInV1 = (data: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [names[key] ?? key, value])) as JsonObject;

function overrideInV1Names({ text, data, ...answer }: ToolAnswer): ToolAnswer {
  const { changed, settings } = data;
  if (!Array.isArray(changed) || !isJsonObject(settings)) return { ...answer, text, data };
  const { sandbox, ...others } = settings;
  const renamed = changed.map(String).map((name) => (name === 'sandbox' ? 'sandboxPolicy' : (names[name] ?? name)));
  const words = renamed.length === 0 ? text : text.replace(changed.join(', '), renamed.join(', '));
  const shown = { ...keysInV1(others), ...defined({ sandboxPolicy: sandbox }) };
  return { ...answer, text: words, data: { ...data, changed: renamed, settings: shown } };
}
