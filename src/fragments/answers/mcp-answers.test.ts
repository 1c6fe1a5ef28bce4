import { expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { mcpFailure, mcpPictures, mcpResources, mcpResult } from './mcp-answers.ts';

const header = 'Wall time: 0.2500 seconds\nOutput:';
const picture = (dataUrl: string) => (dataUrl.includes('image/') ? { dataUrl } : { message: 'it is <no> picture' });
const told = (result: JsonObject, more: object = { pictures: mcpPictures(result).map(picture) }) =>
  mcpResult(result, { seconds: 0.25, ...more });
const words = (text: string) => ({ type: 'text', text });

test('text is plain text, whatever number of items it comes in', () => {
  expect(told({ content: [words('one'), words('two')] })).toBe(`${header}\none\ntwo`);
  expect(told({ content: [] })).toBe(header);
  expect(told({})).toBe(header);
  expect(told({ content: [words('no')], isError: true })).toBe(
    'Wall time: 0.2500 seconds\nThe tool reports an error.\nOutput:\nno',
  );
});

test('structured content stands beside the content, unless that repeats it', () => {
  expect(told({ content: [words('{"a": 1}')], structuredContent: { a: 1 } })).toBe(`${header}\n{"a": 1}`);
  expect(told({ content: [words('see')], structuredContent: { a: 1 } })).toBe(`${header}\nsee\n{"a":1}`);
  expect(told({ content: [], structuredContent: null })).toBe(header);
});

test('pictures are parts, and what the model cannot take is named', () => {
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
  expect(told({ content: [words('look'), image] })).toEqual([
    { type: 'input_text', text: header },
    { type: 'input_text', text: 'look' },
    { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'high' },
  ]);
  expect(told({ content: [image] }, {})).toBe(
    `${header}\n<image content omitted because you do not support image input>`,
  );
  expect(told({ content: [{ ...image, mimeType: 'text/plain' }] })).toBe(
    `${header}\n<image content omitted: it is &lt;no&gt; picture>`,
  );
  expect(told({ content: [{ type: 'audio', data: '', mimeType: 'audio/wav' }] })).toContain('audio content omitted');
  const many = told({ content: Array.from({ length: 10 }, () => image) }) as readonly JsonObject[];
  expect(many.filter(({ type }) => type === 'input_image')).toHaveLength(8);
});

test('resources are named, links and unknown blocks are shown as they are, and what is no block is left out', () => {
  const resource = { uri: 'a://b', mimeType: 'text/plain', text: 'inside' };
  expect(told({ content: [{ type: 'resource', resource }] })).toBe(
    `${header}\nResource "a://b" ("text/plain"):\ninside`,
  );
  expect(told({ content: [{ type: 'resource', resource: { uri: 'a://b', blob: 'AAAA' } }] })).toContain(
    'Resource "a://b": 4 characters of base64, not shown',
  );
  const link = { type: 'resource_link', uri: 'a://b', name: 'b' };
  expect(told({ content: [link, 'odd', null] })).toBe(`${header}\n${JSON.stringify(link)}`);
});

test('what no window holds is not kept', () => {
  const huge = told({ content: [words('x'.repeat(5_000_000)), words('never seen')] });
  expect(huge.length).toBeLessThan(4_001_000);
  expect(huge).toContain('1000000 characters are left out');
  const many = told({ content: Array.from({ length: 3000 }, () => words('y')) });
  expect(many).toContain('[2000 more items are left out]');
  expect(mcpResources({ text: 'x'.repeat(5_000_000) }, 0).length).toBeLessThan(4_001_000);
});

test('half characters are replaced, and a failure says why', () => {
  expect(told({ content: [words('a\ud800b')] })).toBe(`${header}\na\ufffdb`);
  expect(mcpFailure('it is gone.', 1)).toBe('Wall time: 1.0000 seconds\nThe call failed: it is gone.');
});
