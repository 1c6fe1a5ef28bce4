import { expect, it } from 'vitest';
import { remainingFilesLine } from './side-conversation.ts';

const outcome = { code: 'thread-locked', message: 'Another program writes it.', next: 'Wait.' };

it('the main model is not said to read what it could not be told', () => {
  const words = (problem?: typeof outcome) =>
    remainingFilesLine({ files: ['/w/a.txt'], commands: 0, problem }, { cwd: '/w', home: '/h' });
  expect(words()).toContain('the main model reads which file it changed');
  expect(words(outcome)).toContain('the main model could not be told all of it, and /rewind');
});
