import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type {
  CallContext,
  ClientQuestion,
  InputRequired,
  ServerTool,
  ToolAnswer,
} from '../../../src/surfaces/servers/mcp/server-interface.ts';

type Call = (
  args: JsonObject,
  context: CallContext,
) => Promise<ToolAnswer | InputRequired> | ToolAnswer | InputRequired;

/** The smallest picture and the shortest sound. */
export const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

function fixture(name: string, call: Call, input: JsonObject = { type: 'object' }): ServerTool {
  return {
    name,
    title: name,
    description: `Does what the suite expects of ${name}.`,
    input,
    output: { type: 'object' },
    annotations: { readOnlyHint: true },
    call: async (args, context) => call(args, context),
  };
}

function answer(text: string, content?: readonly JsonObject[]): ToolAnswer {
  return { kind: 'answer', text, data: {}, ...(content === undefined ? {} : { content }) };
}

export function ask(questions: Readonly<Record<string, ClientQuestion>>, state: JsonObject = {}): InputRequired {
  return { kind: 'input-required', questions, state };
}

export function form(message: string, properties: JsonObject, required = Object.keys(properties)): ClientQuestion {
  return { message, schema: { type: 'object', properties, required } };
}

const text = { type: 'string' };
const nameForm = form('What is your name?', { name: text });
const roots: ClientQuestion = { method: 'roots/list', params: {} };

function sampling(words: string, maxTokens: number): ClientQuestion {
  const messages = [{ role: 'user', content: { type: 'text', text: words } }];
  return { method: 'sampling/createMessage', params: { messages, maxTokens } };
}

/** Asks until every question has been accepted. */
function askedFor(name: string, questions: Readonly<Record<string, ClientQuestion>>, done: string): ServerTool {
  return fixture(name, (_args, { responses }) => {
    const isDone = Object.keys(questions).every((key) => responses?.[key]?.action === 'accept');
    return isDone ? answer(`${done} ${JSON.stringify(responses)}`) : ask(questions, { name });
  });
}

/** Asks once and shows what came of it. */
function shown(name: string, question: (args: JsonObject) => ClientQuestion, input?: JsonObject): ServerTool {
  return fixture(
    name,
    (args, { responses }) =>
      responses === undefined
        ? ask({ it: question(args) })
        : answer(`Elicitation completed: action=${responses.it?.action}, content=${JSON.stringify(responses.it)}`),
    input,
  );
}

const options = ['option1', 'option2', 'option3'];
const titled = ['value1', 'value2', 'value3'].map((value) => ({ const: value, title: `Title of ${value}` }));

/** As text, because an object with a member `then` looks like a promise. */
const condition = `{
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] }
}`;

function textArgument(name: string): JsonObject {
  return { type: 'object', properties: { [name]: text }, required: [name] };
}

/** The tools that the scenarios of the suite call, by what they ask of them. */
export function fixtureTools(changed: (list: 'tools' | 'prompts') => void): readonly ServerTool[] {
  return [
    fixture('test_simple_text', () => answer('This is a simple text response for testing.')),
    fixture('test_image_content', () => answer('', [{ type: 'image', data: picture, mimeType: 'image/png' }])),
    fixture('test_audio_content', () => answer('', [{ type: 'audio', data: sound, mimeType: 'audio/wav' }])),
    fixture('test_embedded_resource', () => {
      const resource = { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'Embedded content.' };
      return answer('', [{ type: 'resource', resource }]);
    }),
    fixture('test_multiple_content_types', () => {
      const resource = { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data"}' };
      return answer('', [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: picture, mimeType: 'image/png' },
        { type: 'resource', resource },
      ]);
    }),
    fixture('test_tool_with_logging', async (_args, { client }) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        client.notify('notifications/message', { level: 'info', data });
        await wait(50);
      }
      return answer('Logged.');
    }),
    fixture('test_tool_with_progress', async (_args, { progress }) => {
      for (const done of [0, 50, 100]) {
        progress(done, `${done} of 100`);
        await wait(50);
      }
      return answer('Done.');
    }),
    fixture('test_error_handling', () => {
      throw new Error('This tool intentionally returns an error for testing');
    }),
    fixture('test_reconnection', () => answer('Reconnected.')),
    fixture('test_logging_tool', async (_args, { client }) => {
      client.notify('notifications/message', { level: 'info', data: 'A message.' });
      return answer('Logged.');
    }),
    fixture('test_streaming_elicitation', async (_args, { responses, progress }) => {
      progress(1, 'asking');
      return responses === undefined ? ask({ user_name: nameForm }) : answer('Thank you.');
    }),
    fixture('test_trigger_tool_change', () => {
      changed('tools');
      return answer('Changed.');
    }),
    fixture('test_trigger_prompt_change', () => {
      changed('prompts');
      return answer('Changed.');
    }),
    askedFor('test_missing_capability', { it: sampling('Anything.', 10) }, 'Sampled'),
    fixture(
      'test_sampling',
      ({ prompt }, { responses }) =>
        responses === undefined
          ? ask({ it: sampling(String(prompt), 100) })
          : answer(`LLM response: ${JSON.stringify(responses.it)}`),
      textArgument('prompt'),
    ),
    shown(
      'test_elicitation',
      ({ message }) => form(String(message), { username: text, email: text }),
      textArgument('message'),
    ),
    shown('test_elicitation_sep1034_defaults', () =>
      form(
        'Check these values.',
        {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
        [],
      ),
    ),
    shown('test_elicitation_sep1330_enums', () =>
      form(
        'Choose.',
        {
          untitledSingle: { type: 'string', enum: options },
          titledSingle: { type: 'string', oneOf: titled },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
          titledMulti: { type: 'array', items: { anyOf: titled } },
        },
        [],
      ),
    ),
    askedFor('test_input_required_result_elicitation', { user_name: nameForm }, 'Hello'),
    askedFor(
      'test_input_required_result_sampling',
      { capital_question: sampling('What is the capital of France?', 100) },
      'Said',
    ),
    askedFor('test_input_required_result_list_roots', { client_roots: roots }, 'Roots'),
    askedFor(
      'test_input_required_result_request_state',
      { confirm: form('Please confirm', { ok: { type: 'boolean' } }) },
      'state-ok',
    ),
    askedFor(
      'test_input_required_result_tampered_state',
      { confirm: form('Please confirm', { ok: { type: 'boolean' } }) },
      'state-ok',
    ),
    askedFor(
      'test_input_required_result_multiple_inputs',
      { user_name: nameForm, greeting: sampling('Generate a greeting', 50), client_roots: roots },
      'All',
    ),
    fixture('test_input_required_result_capabilities', (_args, { client, responses }) => {
      if (responses !== undefined) return answer('Thank you.');
      return client.canAsk ? ask({ user_name: nameForm }) : ask({ capital_question: sampling('Anything?', 10) });
    }),
    fixture('test_input_required_result_multi_round', (_args, { responses, state }) => {
      if (responses === undefined)
        return ask({ step1: form('Step 1: What is your name?', { name: text }) }, { round: 1 });
      if (state?.round === 1)
        return ask({ step2: form('Step 2: What is your favorite color?', { color: text }) }, { round: 2 });
      return answer('Two rounds.');
    }),
    fixture('json_schema_2020_12_tool', () => answer('Fits.'), {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: text, city: text } } },
      properties: {
        name: text,
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: text,
        email: text,
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      ...(JSON.parse(condition) as JsonObject),
      additionalProperties: false,
    }),
  ];
}
