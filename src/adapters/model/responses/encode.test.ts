import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelPrompt, RequestOptions, ToolSpec } from '../../../ports/model.ts';
import type { Item } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { responsesEncoder } from './encode.ts';

const plain: RequestOptions = { model: 'gpt-5.5', parallelToolCalls: true, cacheKey: 'key', labels: {} };

/** Text of any 16-bit units, so that halves of surrogate pairs stand alone. */
const text = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0xd83d, 0xde00, 0x22, 0x5c, 0x2028)))
  .map((units) => String.fromCharCode(...units));
const key = fc.oneof(text, fc.constantFrom('__proto__', 'toJSON', 'constructor', '7', '', 'id'));
const value = fc.letrec<{ value: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
  ),
  value: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;
const item = fc
  .tuple(text, fc.array(fc.tuple(key, value), { maxLength: 4 }))
  .map(([type, entries]) => ({ ...Object.fromEntries(entries), type }) as Item);
const tools = fc.array(item, { maxLength: 3 }) as fc.Arbitrary<ToolSpec[]>;
const options: fc.Arbitrary<RequestOptions> = fc.record(
  {
    model: text,
    effort: text,
    summary: text,
    verbosity: text,
    serviceTier: text,
    outputSchema: item,
    cyberAccessProgram: text,
    toolChoice: fc.constant('none' as const),
    form: fc.constant('compact' as const),
    parallelToolCalls: fc.boolean(),
    cacheKey: text,
    labels: fc.dictionary(text, text, { maxKeys: 3 }),
  },
  { requiredKeys: ['model', 'parallelToolCalls', 'cacheKey', 'labels'] },
);
const prompt: fc.Arbitrary<ModelPrompt> = fc.record({
  options,
  instructions: text,
  tools,
  input: fc.array(item, { maxLength: 5 }),
});

describe('the body', () => {
  test('has its fields in order, the volatile ones last', () => {
    const outputSchema = { type: 'object', properties: {} };
    const body = encoded({
      options: {
        ...plain,
        effort: 'high',
        summary: 'auto',
        verbosity: 'low',
        serviceTier: 'priority',
        outputSchema,
        cyberAccessProgram: 'standard',
        labels: { turn_id: 't1' },
      },
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'look', parameters: {} }],
      input: [
        { type: 'message', role: 'user', content: [] },
        { type: 'reasoning', summary: [], content: null },
      ],
    });
    expect(body.toString('utf8')).toBe(
      '{"model":"gpt-5.5","parallel_tool_calls":true,"reasoning":{"effort":"high","summary":"auto"},' +
        '"service_tier":"priority","prompt_cache_key":"key","access_programs":{"cyber":"standard"},"instructions":"Be brief.",' +
        '"tools":[{"type":"function","name":"look","parameters":{}}],' +
        '"input":[{"type":"message","role":"user","content":[]},{"type":"reasoning","summary":[],"content":null}],' +
        '"stream":true,"store":false,"include":["reasoning.encrypted_content"],' +
        '"tool_choice":"auto","text":{"verbosity":"low","format":{"type":"json_schema","strict":true,' +
        '"name":"codex_output_schema","schema":{"type":"object","properties":{}}}},"client_metadata":{"turn_id":"t1"}}',
    );
  });

  test('leaves out what is not set', () => {
    const body = encoded({ options: plain, instructions: '', tools: [], input: [] });
    expect(body.toString('utf8')).toBe(
      '{"model":"gpt-5.5","parallel_tool_calls":true,"reasoning":{},"prompt_cache_key":"key","tools":[],"input":[],' +
        '"stream":true,"store":false,"include":["reasoning.encrypted_content"],"tool_choice":"auto","client_metadata":{}}',
    );
  });

  test('for the compact endpoint is that of a step, reduced', () => {
    const given: ModelPrompt = {
      options: {
        ...plain,
        effort: 'high',
        verbosity: 'low',
        serviceTier: 'priority',
        toolChoice: 'none',
        form: 'compact',
        labels: { turn_id: 't1' },
      },
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'look' }],
      input: [{ type: 'message', role: 'user', content: [] }],
    };
    expect(encoded(given).toString('utf8')).toBe(
      '{"model":"gpt-5.5","parallel_tool_calls":true,"reasoning":{"effort":"high"},"service_tier":"priority",' +
        '"prompt_cache_key":"key","instructions":"Be brief.","tools":[{"type":"function","name":"look"}],' +
        '"input":[{"type":"message","role":"user","content":[]}],"text":{"verbosity":"low"}}',
    );
    const bare: ModelPrompt = { options: { ...plain, form: 'compact' }, instructions: '', tools: [], input: [] };
    expect(encoded(bare).toString('utf8')).toBe(
      '{"model":"gpt-5.5","parallel_tool_calls":true,"reasoning":{},"prompt_cache_key":"key","tools":[],"input":[]}',
    );
  });

  test('says of a prompt what the prompt says', () => {
    fc.assert(
      fc.property(prompt, (any) => {
        const body = JSON.parse(encoded(any).toString('utf8')) as JsonObject;
        const input = any.input.map((each) => withoutKeys(each));
        expect(body['input']).toEqual(overWire(input));
        expect(body['tools']).toEqual(overWire(any.tools));
        expect(body['instructions'] ?? '').toBe(any.instructions);
        const labels = any.options.form === 'compact' ? undefined : overWire(any.options.labels);
        expect(body['client_metadata']).toEqual(labels);
        const choice = any.options.form === 'compact' ? undefined : (any.options.toolChoice ?? 'auto');
        expect(body['tool_choice']).toBe(choice);
        expect(body['model']).toBe(any.options.model);
      }),
    );
  });
});

describe('laws', () => {
  test('equal prompts give equal bytes, whatever was encoded before', () => {
    fc.assert(
      fc.property(fc.array(prompt, { maxLength: 3 }), prompt, fc.boolean(), (before, last, mixed) => {
        const used = responsesEncoder();
        for (const each of before) used.body(mixed ? { ...each, tools: last.tools, input: [...last.input] } : each);
        used.body(last);
        const copy = structuredClone(last);
        expect(joined(used.body(last))).toEqual(encoded(copy));
      }),
    );
  });

  test('a longer input begins with the bytes of the shorter one, whatever it asks of the answer', () => {
    fc.assert(
      fc.property(prompt, fc.array(item, { maxLength: 4 }), options, (short, more, later) => {
        const encoder = responsesEncoder();
        const {
          toolChoice: _choice,
          form: _form,
          verbosity: _verbosity,
          outputSchema: _schema,
          ...kept
        } = short.options;
        const asked = {
          labels: later.labels,
          ...(later.toolChoice === undefined ? {} : { toolChoice: later.toolChoice }),
          ...(later.form === undefined ? {} : { form: later.form }),
          ...(later.verbosity === undefined ? {} : { verbosity: later.verbosity }),
          ...(later.outputSchema === undefined ? {} : { outputSchema: later.outputSchema }),
        };
        const long = { ...short, options: { ...kept, ...asked }, input: [...short.input, ...more] };
        const shortBytes = joined(encoder.body(short));
        const stable = shortBytes.subarray(0, shortBytes.length - encoder.body(short).at(-1)!.length);
        expect(shortBytes.subarray(stable.length).toString('utf8')).toMatch(/^\](,"stream":|,"text":|\}$)/);
        expect(joined(encoder.body(long)).subarray(0, stable.length)).toEqual(stable);
      }),
    );
  });

  test('a tool list and instructions are encoded once', () => {
    const encoder = responsesEncoder();
    const shared = { options: plain, instructions: 'Be brief.', tools: [{ type: 'function' }] };
    const [, instructionsA, toolsA] = encoder.body({ ...shared, input: [] });
    const [, instructionsB, toolsB] = encoder.body({ ...shared, input: [{ type: 'message' }] });
    expect([instructionsB === instructionsA, toolsB === toolsA]).toEqual([true, true]);
  });
});

describe('items', () => {
  const sent = (given: Item): string => {
    const body = encoded({ options: plain, instructions: '', tools: [], input: [given] }).toString('utf8');
    return body.slice(body.indexOf('"input":[') + '"input":['.length, body.indexOf('],"stream"'));
  };

  test('keep their id only in the shape that providers give out', () => {
    const ids = ['msg_1', 'rs_a_b', '', '_1', 'msg_', '0198c1de-7a5e-7000-8000-000000000000', null, 7];
    expect(ids.map((id) => sent({ type: 'message', id } as Item))).toEqual([
      '{"type":"message","id":"msg_1"}',
      '{"type":"message","id":"rs_a_b"}',
      ...Array.from({ length: 6 }, () => '{"type":"message"}'),
    ]);
  });

  test('lose the housekeeping of another program and keep the order and all other keys', () => {
    const foreign = JSON.parse(
      '{"zeta":1,"type":"message","internal_chat_message_metadata_passthrough":{"turn_id":"t"},"__proto__":{"a":1},"id":"msg_1","alpha":"\\ud83d"}',
    ) as Item;
    expect(sent(foreign)).toBe('{"zeta":1,"type":"message","__proto__":{"a":1},"id":"msg_1","alpha":"\\ud83d"}');
    expect(Object.keys(foreign)).toContain('internal_chat_message_metadata_passthrough');
  });
});

function encoded(given: ModelPrompt): Buffer {
  return joined(responsesEncoder().body(given));
}

function joined(pieces: readonly Uint8Array[]): Buffer {
  return Buffer.concat(pieces);
}

function overWire(given: unknown): unknown {
  return JSON.parse(JSON.stringify(given));
}

/** The rule for ids, stated a second time. */
function withoutKeys(given: Item): JsonObject {
  const { id, ...rest } = given;
  return typeof id === 'string' && /^[^_]+_[^]+$/.test(id) ? given : rest;
}
