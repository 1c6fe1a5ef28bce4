import { expect, it } from 'vitest';
import { imageBlock } from './projection.ts';

it.each([
  'data:image/png;base64,',
  'data:image/png,iVBORw==',
  'data:image/svg+xml;base64,PHN2Zz4=',
  'file:///a.png',
  '',
])('%j is no picture that the API takes', (address) => {
  expect(imageBlock(address)).toBeUndefined();
});

it('a picture in the address is sent with its type', () => {
  expect(JSON.parse(imageBlock('data:image/JPG;base64,/9j/')!)).toEqual({
    type: 'image',
    source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/' },
  });
});
