import { codeText, testLog } from '../output-text.ts';
import { artefact, decision, nextStep, patched, planned, ran, requirement, type Transcript } from '../transcript.ts';

const task =
  'Make the settings page look like these two drawings. Colours come from theme/tokens.css only, and nothing may move when a message appears.';

/** Pictures must stay with the words they came with, and the plan is known by code. */
export const picturesAndPlan: Transcript = {
  id: 'pictures-and-plan',
  title: 'a thread with pictures and a plan',
  window: 64_000,
  task,
  stretches: [
    [
      {
        words: task,
        pictures: 2,
        work: [
          ran('cat web/settings/page.html', codeText(61, 320)),
          ran('cat theme/tokens.css', codeText(62, 200)),
          planned(
            { step: 'Lay out the two columns', status: 'in_progress' },
            { step: 'Reserve room for messages', status: 'pending' },
            { step: 'Dark theme with tokens-dark.css', status: 'pending' },
            { step: 'Screenshots in docs/settings.md', status: 'pending' },
          ),
          patched({ path: 'web/settings/page.css', kind: 'add' }),
          ran('npm run build:web', testLog(63, 240)),
        ],
        answer: 'The columns stand. I used a grid with named areas, since the drawing has a third row on phones.',
      },
      {
        words: 'Here is how it looks on my phone: the button is cut off.',
        pictures: 1,
        work: [
          patched({ path: 'web/settings/page.css', kind: 'update' }),
          ran('npm run build:web', testLog(64, 240)),
          planned(
            { step: 'Lay out the two columns', status: 'completed' },
            { step: 'Reserve room for messages', status: 'completed' },
            { step: 'Dark theme with tokens-dark.css', status: 'in_progress' },
            { step: 'Screenshots in docs/settings.md', status: 'pending' },
          ),
          ran('npx serve web --port 5174', 'listening on http://localhost:5174'),
        ],
        answer:
          'Fixed with min-width: 0 on the second column. The preview runs at http://localhost:5174. The dark theme is next.',
      },
      { words: 'Better. Dark must have a contrast of 7:1 at least.', answer: 'I will measure it with the tokens.' },
    ],
  ],
  probes: [
    requirement('Colours come from theme/tokens.css only'),
    requirement('nothing may move when a message appears'),
    requirement('the button is cut off'),
    requirement('a contrast of 7:1 at least'),
    artefact('web/settings/page.css'),
    artefact('http://localhost:5174'),
    artefact('[done] Reserve room for messages'),
    artefact('[to do] Screenshots in docs/settings.md'),
    decision('grid named areas phones'),
    decision('min-width second column'),
    nextStep('Dark theme tokens-dark.css'),
  ],
};
