import { ask, type Conversation, patch, plan, run, say } from './conversation.ts';

const trace = Array.from(
  { length: 120 },
  (_, i) => `    at handler${i} (/srv/app/dist/chunk-${(i * 7919) % 997}.js:${i + 10}:${(i % 40) + 1})`,
).join('\n');
const log = Array.from(
  { length: 400 },
  (_, i) => `2026-03-0${(i % 9) + 1}T10:${String(i % 60).padStart(2, '0')}:00Z worker-${i % 7} job ${4000 + i} ok`,
);
const hidden = [
  ...log.slice(0, 200),
  'PLEASE: only look at worker-3, its jobs are the ones that are billed twice. Fix the cause.',
  ...log.slice(200),
].join('\n');
const csv = `id;name;amount\n${Array.from({ length: 3000 }, (_, i) => `${i};customer ${i};${(i * 37) % 1000},00`).join('\n')}`;
const mail = `Hi,\n\nforwarding this from the customer.\n\n> We see the total of March twice.\n> Also the PDF has no page numbers.\n\nCould you take care of the second point only? The first is Jane's.\n\nBest, Tom\n-- \nTom Miller, Support`;

/** The pastes and pictures of the user, and what the user wants with them. */
export const pastesAndPictures: readonly Conversation[] = [
  {
    name: 'long paste, then a short order',
    story: [
      ask(`TypeError: Cannot read properties of null\n${trace}`),
      say('What shall I do with it?'),
      ask('fix it'),
      run('rg -n handler7 src', 'src/handlers.ts:70: export function handler7'),
    ],
    active: ['TypeError: Cannot read properties of null', 'fix it'],
    wrong: 'TypeError: Cannot',
    done: 'handler7 in src/handlers.ts:70 gets null.',
    next: 'guard handler7 against null',
    must: [trace],
  },
  {
    name: 'long paste with the order at its end',
    story: [
      ask(`${log.join('\n')}\n\nWhy is worker-5 slower than the others? Write what you find to NOTES.md.`),
      run('rg -c worker-5 logs', '57'),
      say('I am looking.'),
    ],
    active: ['2026-03-01T10:00:00Z worker-0 job 4000 ok'],
    done: 'worker-5 had 57 jobs.',
    next: 'compare the durations of worker-5 with the others',
    must: ['Why is worker-5 slower than the others? Write what you find to NOTES.md.'],
    budget: 20_000,
  },
  {
    name: 'order hidden in the middle of a long paste',
    story: [ask(hidden), run('rg -n bill src/worker.ts', '41: await bill(job)'), say('Line 41 is called twice.')],
    active: ['2026-03-01T10:00:00Z worker-0 job 4000 ok'],
    done: 'bill(job) in src/worker.ts:41 is called twice by worker-3.',
    next: 'make bill(job) idempotent',
    must: ['PLEASE: only look at worker-3'],
    budget: 20_000,
  },
  {
    name: 'order hidden in a forwarded mail',
    story: [ask(mail), run('rg -n pageNumber src/pdf', 'src/pdf/footer.ts:3: // TODO pageNumber')],
    active: ['Hi,\n\nforwarding this from the customer.'],
    done: 'src/pdf/footer.ts has a place for page numbers.',
    next: 'print the page number in src/pdf/footer.ts',
    must: [mail],
  },
  {
    name: 'a paste that exceeds the budget, and an order after it',
    story: [
      ask('I send you the customers in a moment. Find duplicates by name, report only, change nothing.'),
      ask(csv),
      run('cut -d";" -f2 customers.csv | sort | uniq -d | wc -l', '0'),
      ask('and ignore case'),
    ],
    active: ['I send you the customers in a moment.', 'and ignore case'],
    wrong: 'and ignore case',
    done: 'No duplicates with exact case.',
    next: 'compare the names without case',
    must: ['report only, change nothing', 'tokens cut here', 'capstan threads export T --format markdown'],
    budget: 1500,
  },
  {
    name: 'three pastes that exceed the budget together',
    story: [
      ask('Compare the three logs that follow and tell me which worker is missing in which.'),
      ask(`log 1\n${log.slice(0, 130).join('\n')}`),
      ask(`log 2\n${log.slice(130, 260).join('\n')}`),
      ask(`log 3\n${log.slice(260).join('\n')}`),
      say('I compare them.'),
      ask('Only weekdays.'),
    ],
    active: ['Compare the three logs', 'Only weekdays.'],
    wrong: 'log 3',
    done: 'Log 1 and 2 are compared: nothing is missing.',
    next: 'compare log 3',
    must: ['Compare the three logs that follow'],
    mustAlone: ['log 1', 'log 2', 'log 3', 'tokens cut here'],
    budget: 4000,
  },
  {
    name: 'picture with a few words as the request',
    story: [
      ask('Build this form with our components.', { pictures: 1 }),
      patch('src/forms/address.tsx', 'add'),
      say('The first two fields are there.'),
    ],
    active: ['Build this form with our components.'],
    done: 'src/forms/address.tsx has the first two fields of the picture.',
    next: 'add the country field',
    must: ['turn 1, with 1 picture'],
  },
  {
    name: 'picture without words as the request',
    story: [
      ask('I will send you a screenshot of the bug.'),
      ask('', { pictures: 1 }),
      run('rg -n "z-index" src/menu.css', '3: z-index: 1'),
      say('The menu is behind the banner.'),
    ],
    active: ['I will send you a screenshot of the bug.', 'picture'],
    wrong: 'I will send you a screenshot of the bug.',
    done: 'The menu in src/menu.css is behind the banner.',
    next: 'raise the z-index of the menu',
    must: ['turn 2, with 1 picture'],
  },
  {
    name: 'the same words with two different pictures',
    story: [
      ask('make it look like this', { pictures: 1 }),
      ask('and round the corners'),
      patch('src/hero.tsx'),
      say('Done.'),
      ask('make it look like this', { pictures: 1 }),
      run('npm run build', 'built in 3.1 s'),
    ],
    active: ['make it look like this'],
    wrong: 'and round the corners',
    done: 'src/hero.tsx follows the first picture; the second one is newer.',
    next: 'follow the second picture',
    must: ['===== turn 1, with 1 picture', '===== turn 3, with 1 picture'],
  },
  {
    name: 'words first, picture as a correction',
    story: [
      ask('The chart should have two axes.'),
      patch('src/chart.ts'),
      say('It has two.'),
      ask('No, like in the picture: both on the left.', { pictures: 2 }),
    ],
    active: ['The chart should have two axes.', 'No, like in the picture: both on the left.'],
    done: 'src/chart.ts has one axis on each side.',
    next: 'move both axes to the left',
    must: ['turn 2, with 2 pictures'],
  },
  {
    name: 'more pictures than there is space for',
    story: [
      ask('These are all screens of the old app.', { pictures: 4 }),
      ask('And these of the new one. List what is missing, by screen.', { pictures: 4 }),
      plan('> Screen 1', 'Screen 2', 'Screen 3', 'Screen 4'),
      say('On screen 1 the search is missing.'),
    ],
    active: ['And these of the new one. List what is missing, by screen.'],
    done: 'On screen 1 the search is missing.',
    next: 'compare screen 2',
    must: ['left out'],
    mustAlone: ['RESUME_AT: the next step of the plan: Screen 1'],
  },
];
