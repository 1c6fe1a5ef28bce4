import { codeText, testLog } from '../output-text.ts';
import { artefact, decision, nextStep, patched, ran, requirement, type Transcript } from '../transcript.ts';

const task = [
  'Implement this protocol for our meters. Here is the whole document.',
  'Rule 1: a frame that is not acknowledged within 250 ms is sent again, three times at most.',
  codeText(81, 160),
  'Rule 2: serial numbers are compared without regard to case.',
  codeText(82, 160),
  'Rule 3: the clock of a meter is never set backwards.',
].join('\n\n');

/** The request itself is long: more than half of what a checkpoint in this window may hold of words. */
export const longRequest: Transcript = {
  id: 'long-request',
  title: 'a request that brings a long document',
  window: 48_000,
  task,
  stretches: [
    [
      {
        words: task,
        work: [
          ran('ls -R src/meters', codeText(83, 80)),
          patched({ path: 'src/meters/frame.ts', kind: 'add' }),
          ran('npm test -- meters', testLog(84, 260)),
          ran('cat src/meters/link.ts', codeText(85, 300)),
        ],
        answer: 'Frames are in src/meters/frame.ts. Sending again is done by the link and not by the frame.',
      },
      {
        words: 'Use the mock at tcp://127.0.0.1:9750 for the tests, the real meters are in use.',
        work: [
          patched({ path: 'src/meters/link.ts', kind: 'update' }),
          ran('npm test -- meters', testLog(86, 280)),
          ran('cat test/meters/link.test.ts', codeText(87, 260)),
        ],
        answer:
          'The link sends again. One test is red: "third try", expected 3 frames, got 4. Next: count tries from 0.',
      },
    ],
  ],
  probes: [
    requirement('not acknowledged within 250 ms is sent again, three times at most'),
    requirement('serial numbers are compared without regard to case'),
    requirement('the clock of a meter is never set backwards'),
    requirement('Use the mock at tcp://127.0.0.1:9750'),
    artefact('src/meters/frame.ts'),
    artefact('src/meters/link.ts'),
    artefact('expected 3 frames, got 4'),
    decision('Sending again link not frame'),
    nextStep('count tries from 0'),
  ],
};
