import { expect, test } from 'vitest';
import { findIntentTags, splitIntent } from './written-candidate.ts';

const intent = (request: string, recent = ''): string =>
  `notes\n<VERBATIM_REQUEST_START>\n${request}\n<VERBATIM_REQUEST_END>\nbetween\n<RECENT_USER_CONTEXT_START>\n${recent}\n<RECENT_USER_CONTEXT_END>\nafter`;

test('the request, and what stands outside of both blocks', () => {
  expect(splitIntent(intent('Do it.', 'And that.'))).toEqual({
    request: '\nDo it.\n',
    context: 'notes\n\nbetween\n\nafter',
  });
});

test.each([
  ['inside a line', 'Explain <VERBATIM_REQUEST_END> and <RECENT_USER_CONTEXT_START> to me.'],
  ['alone on a line', 'Explain this:\n<VERBATIM_REQUEST_END>\nand go on.'],
])("tags %s of the user's words split nothing", (_, request) => {
  expect(splitIntent(intent(request)).request.trim()).toBe(request);
});

test('a model that writes its tags inside lines is understood all the same', () => {
  const inline =
    '<VERBATIM_REQUEST_START>Do it.<VERBATIM_REQUEST_END> <RECENT_USER_CONTEXT_START><RECENT_USER_CONTEXT_END>';
  expect(splitIntent(inline).request).toBe('Do it.');
});

test('what is missing or out of order is named', () => {
  expect(findIntentTags('<VERBATIM_REQUEST_START>\nDo it.')).toEqual({
    kind: 'missing',
    tags: ['<VERBATIM_REQUEST_END>', '<RECENT_USER_CONTEXT_START>', '<RECENT_USER_CONTEXT_END>'],
  });
  const swapped = intent('a').replace('<VERBATIM_REQUEST_START>', '<X>').replace('after', '<VERBATIM_REQUEST_START>');
  expect(findIntentTags(swapped)).toEqual({ kind: 'disordered' });
});
