import { expect, it } from 'vitest';
import { renderFragment } from '../text/define-fragment.ts';
import { filesPutBackFragment } from './files-and-images.ts';

it('names of any characters leave room for both lists and their titles', () => {
  const paths = Array.from({ length: 200 }, (_, at) => `/w/${'文'.repeat(60)}${at}`);
  const { text } = renderFragment(filesPutBackFragment, { restored: paths, deleted: paths });
  expect(text).toMatch(
    /\nWith their earlier content: "[^]*, and \d+ more\nDeleted: "[^]*, and \d+ more\n<\/files_put_back>$/,
  );
});
