import { codeText, testLog } from '../output-text.ts';
import { artefact, decision, nextStep, patched, planned, ran, requirement, type Transcript } from '../transcript.ts';

const task =
  'Write a reader for the old ledger format (docs/ledger-v1.md). Never guess: a record that is not understood must stop the import with its line number. Amounts are integers in cents, floats are forbidden.';

/** Compacted twice before: what was said at the very beginning must survive summaries of summaries. */
export const twoCheckpoints: Transcript = {
  id: 'two-checkpoints',
  title: 'a thread that has two checkpoints already',
  window: 64_000,
  task,
  stretches: [
    [
      {
        words: task,
        work: [
          ran('cat docs/ledger-v1.md', codeText(71, 420)),
          ran('head -200 samples/2009.led', codeText(72, 200)),
          planned(
            { step: 'Header', status: 'in_progress' },
            { step: 'Entries', status: 'pending' },
            { step: 'Trailer with checksum', status: 'pending' },
          ),
          patched({ path: 'src/ledger/header.ts', kind: 'add' }),
          ran('npm test -- ledger', testLog(73, 240)),
        ],
        answer: 'The header is read. I decided on a hand-written reader without a grammar, because errors need lines.',
      },
      { words: 'The files are in code page 850, by the way, not in UTF-8.', answer: 'Then I decode before reading.' },
    ],
    [
      {
        words: 'Go on with the entries. An entry of type 9 is a correction and refers to the entry before.',
        work: [
          ran('sed -n 200,600p samples/2009.led', codeText(74, 400)),
          patched({ path: 'src/ledger/entry.ts', kind: 'add' }),
          ran('npm test -- ledger', testLog(75, 240)),
          ran('node scripts/import.mjs samples/2009.led --dry-run', 'entries 18422, corrections 31, rejected 0'),
          planned(
            { step: 'Header', status: 'completed' },
            { step: 'Entries', status: 'completed' },
            { step: 'Trailer with checksum', status: 'in_progress' },
          ),
        ],
        answer: 'All 18422 entries of 2009 are read. Corrections are linked by index and not copied.',
      },
    ],
    [
      {
        words:
          'The checksum is CRC-16 with the polynomial 0x8005, reflected. Somebody wrote 0x1021 in the document: wrong.',
        work: [
          patched({ path: 'src/ledger/trailer.ts', kind: 'add' }),
          ran('npm test -- ledger', testLog(76, 260)),
          ran('node scripts/import.mjs samples/2010.led --dry-run', 'checksum failed at line 90117, got 4be1'),
          ran('tail -60 samples/2010.led', codeText(77, 60)),
        ],
        answer:
          '2009 passes, 2010 fails at line 90117. I think that blank lines count for the checksum from 2010 on. Next: try it with blank lines included in src/ledger/trailer.ts.',
      },
    ],
  ],
  probes: [
    requirement('Never guess: a record that is not understood must stop the import with its line number'),
    requirement('floats are forbidden'),
    requirement('The files are in code page 850'),
    requirement('An entry of type 9 is a correction'),
    requirement('the polynomial 0x8005, reflected'),
    artefact('src/ledger/header.ts'),
    artefact('src/ledger/entry.ts'),
    artefact('src/ledger/trailer.ts'),
    artefact('line 90117'),
    decision('hand-written reader without grammar'),
    decision('Corrections linked by index'),
    nextStep('blank lines src/ledger/trailer.ts'),
  ],
};
