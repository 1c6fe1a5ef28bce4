import { codeText, testLog } from '../output-text.ts';
import { artefact, decision, nextStep, patched, planned, ran, requirement, type Transcript } from '../transcript.ts';

const task =
  'Split src/billing/invoice.ts (1,900 lines) into one file per concept. The public exports of the package must stay exactly as they are.';

/** The user corrects the model several times; the corrections must outlive what they corrected. */
export const refactoring: Transcript = {
  id: 'refactoring',
  title: 'a refactoring with corrections by the user',
  window: 64_000,
  task,
  stretches: [
    [
      {
        words: task,
        work: [
          ran('wc -l src/billing/*.ts', codeText(21, 20)),
          ran('sed -n 1,400p src/billing/invoice.ts', codeText(22, 380)),
          ran('grep -rn "billing/invoice" src', codeText(23, 120)),
          planned(
            { step: 'Move the tax rules to src/billing/tax.ts', status: 'in_progress' },
            { step: 'Move the rounding to src/billing/rounding.ts', status: 'pending' },
            { step: 'Move the numbering to src/billing/numbering.ts', status: 'pending' },
            { step: 'Delete src/billing/legacy-invoice.ts', status: 'pending' },
          ),
          patched({ path: 'src/billing/tax.ts', kind: 'add' }, { path: 'src/billing/invoice.ts', kind: 'update' }),
          ran('npm test -- billing', testLog(24, 260)),
        ],
        answer: 'The tax rules are out. I used a class TaxTable and named the helpers with get… as in the old file.',
      },
      {
        words: 'No classes here, plain functions. And no names with get: say what they return.',
        work: [
          patched({ path: 'src/billing/tax.ts', kind: 'update' }),
          ran('npm test -- billing', testLog(25, 260)),
          ran('npm run lint', codeText(26, 90)),
        ],
        answer: 'Changed: taxFor and rateIn are plain functions now.',
      },
      {
        words:
          'Wait, rounding is half-even since March, not half-up. The old file is wrong there, ask Mira if in doubt.',
        work: [
          ran('sed -n 400,800p src/billing/invoice.ts', codeText(27, 380)),
          patched({ path: 'src/billing/rounding.ts', kind: 'add' }),
          ran('npm test -- rounding', testLog(28, 200)),
          planned(
            { step: 'Move the tax rules to src/billing/tax.ts', status: 'completed' },
            { step: 'Move the rounding to src/billing/rounding.ts', status: 'completed' },
            { step: 'Move the numbering to src/billing/numbering.ts', status: 'in_progress' },
            { step: 'Delete src/billing/legacy-invoice.ts', status: 'pending' },
          ),
        ],
        answer:
          'Rounding is half-even in src/billing/rounding.ts. Two snapshots changed by a cent (INV-2041 and INV-2077); I kept the new values because the March rule covers them.',
      },
      {
        words: 'Fine. Keep the commits small, one per file, and do not touch the migrations folder.',
        work: [
          ran('git commit -m "Billing: rounding has its own file"', '[split-invoice 5b0de77] Billing: rounding'),
          ran('sed -n 800,1200p src/billing/invoice.ts', codeText(29, 380)),
        ],
        answer: 'Committed as 5b0de77 on the branch split-invoice. Next is the numbering.',
      },
    ],
  ],
  probes: [
    requirement('The public exports of the package must stay exactly as they are'),
    requirement('No classes here, plain functions'),
    requirement('no names with get'),
    requirement('rounding is half-even since March, not half-up'),
    requirement('do not touch the migrations folder'),
    artefact('src/billing/tax.ts'),
    artefact('src/billing/rounding.ts'),
    artefact('5b0de77'),
    artefact('split-invoice'),
    decision('INV-2041 INV-2077 kept new values'),
    decision('half-even rounding'),
    nextStep('numbering src/billing/numbering.ts'),
  ],
};
