import { expect, test } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { mcpFailureText, mcpResourcesText, mcpResult } from './mcp-and-found-tools.ts';

const header = 'Wall time: 0.2500 seconds\nOutput:';
const picture = async (dataUrl: string) =>
  dataUrl.includes('image/') ? { dataUrl } : { message: 'it is <no> picture' };
const told = (result: JsonObject, more: object = { picture }) => mcpResult(result, { seconds: 0.25, ...more });
const words = (text: string) => ({ type: 'text', text });

test('text is plain text, whatever number of items it comes in', async () => {
  expect(await told({ content: [words('one'), words('two')] })).toBe(`${header}\none\ntwo`);
  expect(await told({ content: [] })).toBe(header);
  expect(await told({})).toBe(header);
  expect(await told({ content: [words('no')], isError: true })).toBe(
    'Wall time: 0.2500 seconds\nThe tool reports an error.\nOutput:\nno',
  );
});

test('structured content stands beside the content, unless that repeats it', async () => {
  expect(await told({ content: [words('{"a": 1}')], structuredContent: { a: 1 } })).toBe(`${header}\n{"a": 1}`);
  expect(await told({ content: [words('see')], structuredContent: { a: 1 } })).toBe(`${header}\nsee\n{"a":1}`);
  expect(await told({ content: [], structuredContent: null })).toBe(header);
});

test('pictures are parts, and what the model cannot take is named', async () => {
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
  expect(await told({ content: [words('look'), image] })).toEqual([
    { type: 'input_text', text: header },
    { type: 'input_text', text: 'look' },
    { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'high' },
  ]);
  expect(await told({ content: [image] }, {})).toBe(
    `${header}\n<image content omitted because you do not support image input>`,
  );
  expect(await told({ content: [{ ...image, mimeType: 'text/plain' }] })).toBe(
    `${header}\n<image content omitted: it is &lt;no&gt; picture>`,
  );
  expect(await told({ content: [{ type: 'audio', data: '', mimeType: 'audio/wav' }] })).toContain(
    'audio content omitted',
  );
  const many = (await told({ content: Array.from({ length: 10 }, () => image) })) as readonly JsonObject[];
  expect(many.filter(({ type }) => type === 'input_image')).toHaveLength(8);
});

test('resources are named, links and unknown blocks are shown as they are, and what is no block is left out', async () => {
  const resource = { uri: 'a://b', mimeType: 'text/plain', text: 'inside' };
  expect(await told({ content: [{ type: 'resource', resource }] })).toBe(
    `${header}\nResource "a://b" ("text/plain"):\ninside`,
  );
  expect(await told({ content: [{ type: 'resource', resource: { uri: 'a://b', blob: 'AAAA' } }] })).toContain(
    'Resource "a://b": 4 characters of base64, not shown',
  );
  const link = { type: 'resource_link', uri: 'a://b', name: 'b' };
  expect(await told({ content: [link, 'odd', null] })).toBe(`${header}\n${JSON.stringify(link)}`);
});

test('what no window holds is not kept', async () => {
  const huge = await told({ content: [words('x'.repeat(5_000_000)), words('never seen')] });
  expect(huge.length).toBeLessThan(4_001_000);
  expect(huge).toContain('1000000 characters are left out');
  const many = await told({ content: Array.from({ length: 3000 }, () => words('y')) });
  expect(many).toContain('[2000 more items are left out]');
  expect(mcpResourcesText({ text: 'x'.repeat(5_000_000) }, 0).length).toBeLessThan(4_001_000);
});

test('half characters are replaced, and a failure says why', async () => {
  expect(await told({ content: [words('a\ud800b')] })).toBe(`${header}\na\ufffdb`);
  expect(mcpFailureText('it is gone.', 1)).toBe('Wall time: 1.0000 seconds\nThe call failed: it is gone.');
});
