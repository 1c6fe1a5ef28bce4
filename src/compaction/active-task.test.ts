import { expect, test } from 'vitest';
import type { UserWords } from '../history/users-words.ts';
import { activeTask, chooseTask } from './active-task.ts';

const said = (text: string, calls = 0, more: Partial<UserWords> = {}): UserWords => ({
  id: text,
  text,
  worked: calls > 0,
  calls,
  task: false,
  cut: false,
  ...more,
});

const first = said('Hello, what is this repository about?');
const task = said('Rewrite the parser so that it reads TOML.', 40);
const other = said('Now write the documentation of the command.', 30);
const nudge = said('go on', 35);
const question = said('Which colour has the logo of the project?');
const look = said('How many files are there in the repository?', 1);

test.each<readonly [string, readonly UserWords[], UserWords | undefined]>([
  ['nobody said anything', [], undefined],
  ['nothing was worked on', [first, question], first],
  ['a question came after the work', [first, task, question], task],
  ['a look at something came after the work', [first, task, look], task],
  ['a nudge led to work', [first, task, nudge], task],
  ['two tasks were worked on', [first, task, other], other],
  ['only nudges led to work', [first, nudge], nudge],
  ['the checkpoint before had a task', [{ ...first, task: true }, look], { ...first, task: true }],
  ['there is work since the checkpoint', [{ ...first, task: true }, task], task],
  ['what was worked on is quoted', [first, { ...task, calls: 0 }, question], { ...task, calls: 0 }],
])('the task when %s', (_, words, expected) => {
  expect(activeTask(words)).toEqual(expected);
});

test('the model may choose what was worked on', () => {
  expect(chooseTask([task, other], task)).toEqual({ task, mended: [] });
  expect(chooseTask([first, question], question)).toEqual({ task: question, mended: [] });
});

test('the working task wins over a question that the model took for the task', () => {
  expect(chooseTask([task, question], question)).toEqual({
    task,
    doubtful: question,
    mended: ['The chosen request led to no work; the task that was worked on stays, and the other is marked UNKNOWN.'],
  });
});

test('code decides when the model quoted nothing that was said', () => {
  expect(chooseTask([task, question], undefined)).toEqual({
    task,
    mended: ['The quoted request is no message of the user; the one that was worked on was put in its place.'],
  });
  expect(chooseTask([], undefined)).toEqual({ task: undefined, mended: [] });
});
