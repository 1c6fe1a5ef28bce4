import { afterEach, describe, expect, test } from 'vitest';
import type { RecordedRequest, Script, ScriptedModel, ScriptedModelOptions } from './index.ts';
import { answer, compacted, overflow, overflowForms, say, startScriptedModel } from './index.ts';

const opened: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((model) => model.close()));
});

async function start(script: Script, options?: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await startScriptedModel(script, options);
  opened.push(model);
  return model;
}

async function post(model: ScriptedModel, endpoint: string, input: string): Promise<readonly [number, string]> {
  const body = JSON.stringify({ input });
  const response = await fetch(`${model.url}/${endpoint}`, { method: 'POST', body });
  return [response.status, await response.text()];
}

const inputLength = ({ body }: RecordedRequest): number => (body['input'] as string).length;

describe('an overflow', () => {
  test.each(overflowForms)('as %s', async (form) => {
    const [status, text] = await post(await start([overflow(form, { tokens: 7, window: 5 })]), 'responses', 'x');
    expect(status).toBe(form.startsWith('status') ? 400 : 200);
    const words = "This model's maximum context length is 5 tokens, and the request has 7.";
    expect([text.includes('context_length_exceeded'), text.includes(words)]).toEqual([
      !form.endsWith('-words'),
      form !== 'incomplete',
    ]);
  });
});

describe('a window', () => {
  test('refuses what does not fit, counts what does, and keeps the script for the latter', async () => {
    const script = [answer({ items: [say('one')] }), compacted({ output: [] }), answer({ items: [], usage: 'zero' })];
    const model = await start(script, { window: { tokens: 5, count: inputLength } });
    expect(model.largest).toBeUndefined();
    expect((await post(model, 'responses', '123456'))[0]).toBe(400);
    const [, stream] = await post(model, 'responses', '12345');
    expect(stream).toContain('"text":"one"');
    expect(stream).toContain('"input_tokens":5,"input_tokens_details":{"cached_tokens":0,');
    expect((await post(model, 'responses/compact', '1234567'))[0]).toBe(400);
    expect((await post(model, 'responses/compact', '123'))[1]).toContain('"input_tokens":3,');
    expect((await post(model, 'responses', '1'))[1]).toContain('"input_tokens":0,');
    expect([model.requests.length, model.largest]).toEqual([5, { index: 2, tokens: 7 }]);
  });

  test('refuses streams in the form that is asked for, and the rest by status', async () => {
    const model = await start([], { window: { tokens: 5, count: inputLength, form: 'failed' } });
    const [status, text] = await post(model, 'responses', '123456');
    expect([status, text]).toEqual([200, expect.stringContaining('"type":"response.failed"')]);
    expect((await post(model, 'responses/compact?a=b', '123456'))[0]).toBe(400);
  });
});
