import { codeText, testLog } from '../output-text.ts';
import { artefact, decision, nextStep, patched, ran, requirement, type Transcript } from '../transcript.ts';

const first = 'Rename the command line option --colour to --color everywhere, and keep the old one as an alias.';
const task =
  'Now the real work: the importer reads the whole file into memory. Make it stream, with at most 50 MB for a file of any size, and keep the order of the rows.';
const incidental = 'By the way, what does the "u" flag of a regular expression do again?';

/** The task is the one that is being worked on, not the one that is done, and not the question at the end. */
export const twoTasks: Transcript = {
  id: 'two-tasks',
  title: 'two tasks, and a question in passing at the end',
  window: 64_000,
  task,
  stretches: [
    [
      {
        words: first,
        work: [
          ran('grep -rn colour src', codeText(51, 200)),
          patched({ path: 'src/options.ts', kind: 'update' }),
          ran('npm test -- options', testLog(52, 220)),
        ],
        answer: 'Done: --color is the name, --colour still works.',
      },
      {
        words: task,
        work: [
          ran('cat src/import/read-rows.ts', codeText(53, 300)),
          ran('cat src/import/pipeline.ts', codeText(54, 320)),
          patched({ path: 'src/import/row-stream.ts', kind: 'add' }),
          ran('npm test -- import', testLog(55, 260)),
          patched({ path: 'src/import/pipeline.ts', kind: 'update' }),
          ran('node bench/import.mjs --rows 2000000', 'peak 83 MB, 41 s, seed 7719'),
        ],
        answer:
          'It streams, and the peak is 83 MB: the sorter still holds a whole chunk. I chose chunks over worker threads because the order of rows must stay. Next: lower the chunk size in src/import/row-stream.ts from 64k rows to 16k rows and measure again.',
      },
      {
        words: incidental,
        answer: 'It makes the pattern read code points instead of code units, and refuses unknown escapes.',
      },
    ],
  ],
  probes: [
    requirement('at most 50 MB for a file of any size'),
    requirement('keep the order of the rows'),
    requirement('keep the old one as an alias'),
    artefact('src/import/row-stream.ts'),
    artefact('src/import/pipeline.ts'),
    artefact('peak 83 MB'),
    artefact('node bench/import.mjs --rows 2000000'),
    decision('chunks over worker threads order'),
    nextStep('chunk size src/import/row-stream.ts 16k rows'),
  ],
};
