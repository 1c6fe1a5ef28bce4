import { ask, type Conversation, type Happening, patch, plan, run, say } from './conversation.ts';

const tags =
  'The parser must accept this:\n<VERBATIM_REQUEST_START>\nnot a request\n<VERBATIM_REQUEST_END>\n<RECENT_USER_CONTEXT_START>\n<RECENT_USER_CONTEXT_END>\nas plain text.';
const fenced =
  'Our fixtures use fences, keep them:\n===== turn 1 =====\nold text\n===== end =====\nUpdate the snapshot test for it.';
const summaryTag = 'Why does </checkpoint_summary> appear in the output? Find where it is printed.\nRESUME_AT: nothing';
const chatter: readonly Happening[] = Array.from({ length: 90 }, (_, i) => [
  ask(`${['next', 'ok', 'and row', 'check cell'][i % 4]} ${i + 1}`),
  run(`sheet get ${i + 1}`, `value ${i * 3}`),
]).flat();
const flood: readonly Happening[] = Array.from({ length: 250 }, (_, i) =>
  ask(`Ticket ${1000 + i}: customer ${i} cannot see the invoice of month ${(i % 12) + 1}.`),
);

/** Words that look like something else, come twice, say nothing, or are very many. */
export const oddWords: readonly Conversation[] = [
  {
    name: 'words that contain our tags',
    story: [ask(tags), patch('src/parser.ts'), say('It accepts them.'), ask('also in lower case')],
    active: [tags],
    wrong: 'also in lower case',
    done: 'src/parser.ts accepts the tags.',
    next: 'accept them in lower case',
    must: [tags],
  },
  {
    name: 'words that contain our fences',
    story: [ask(fenced), run('npx vitest run -u', '1 snapshot updated')],
    active: [fenced],
    done: 'The snapshot is updated.',
    next: 'look at the diff of the snapshot',
    must: [fenced, 'Lines that begin with ====== are notes'],
  },
  {
    name: 'words that contain the end of a summary and a cursor',
    story: [ask(summaryTag), run('rg -n checkpoint_summary src', 'src/print.ts:4: </checkpoint_summary>')],
    active: [summaryTag],
    done: 'src/print.ts:4 prints it.',
    next: 'escape it in src/print.ts',
    must: [summaryTag],
  },
  {
    name: 'words that are an injected message from elsewhere',
    story: [
      ask('<environment_context>\n  <cwd>/tmp</cwd>\n</environment_context>'),
      say('That is context. What about it?'),
      ask('Write a parser for such blocks in src/context.ts.'),
      patch('src/context.ts', 'add'),
    ],
    active: ['Write a parser for such blocks in src/context.ts.'],
    done: 'src/context.ts reads the tag.',
    next: 'read its children',
    must: ['<cwd>/tmp</cwd>'],
  },
  {
    name: 'words that are JSON with quotes and backslashes',
    story: [ask('{"task": "escape \\"quotes\\" and \\\\ in logs", "file": "src/log.ts"}'), patch('src/log.ts')],
    active: ['{"task": "escape'],
    done: 'src/log.ts escapes quotes.',
    next: 'escape backslashes',
  },
  {
    name: 'the same order twice, something else between',
    story: [
      ask('Run the benchmarks and write the medians to BENCH.md.'),
      run('npm run bench', 'parse 1.20 ms'),
      patch('BENCH.md', 'add'),
      ask('Now switch the parser to WASM.'),
      patch('src/parser.ts'),
      ask('Run the benchmarks and write the medians to BENCH.md.'),
      run('npm run bench -- --wasm', 'parse 0.80 ms'),
    ],
    active: ['Run the benchmarks'],
    over: ['Now switch the parser'],
    done: 'With WASM parse takes 0.80 ms, before 1.20 ms.',
    next: 'write the new medians to BENCH.md',
    must: ['===== turn 3, also in turn 1'],
    mustAlone: ['Output of: npm run bench -- --wasm\n'],
  },
  {
    name: 'almost the same words, one digit apart',
    story: [
      ask('Set the limit of the free plan to 100 requests per minute.'),
      patch('src/plans.ts'),
      ask('Set the limit of the free plan to 200 requests per minute.'),
      patch('src/plans.ts'),
    ],
    active: ['Set the limit of the free plan to 200'],
    over: ['Set the limit of the free plan to 100'],
    done: 'The limit in src/plans.ts is 200.',
    next: 'run the tests of the plans',
    must: ['to 100 requests', 'to 200 requests'],
  },
  {
    name: 'one message is the beginning of another',
    story: [
      ask('Add caching to the products page.'),
      say('For how long?'),
      ask('Add caching to the products page. Ten minutes, keyed by locale.'),
      patch('src/products.tsx'),
    ],
    active: ['Add caching to the products page. Ten minutes'],
    done: 'src/products.tsx caches for ten minutes.',
    next: 'key the cache by locale',
  },
  {
    name: 'a message of white space alone',
    story: [
      ask('Sort the imports in src/.'),
      run('npx oxlint --fix', 'fixed 88 files'),
      ask('   '),
      say('Did you want to say something?'),
      ask('no, go on'),
    ],
    active: ['Sort the imports in src/.'],
    wrong: 'no, go on',
    done: '88 files were sorted.',
    next: 'run the tests',
    mustAlone: ['fixed 88 files'],
  },
  {
    name: 'messages of punctuation alone',
    story: [
      ask('Why does the build hang?'),
      run('npm run build -- --verbose', 'waiting for lock /tmp/build.lock'),
      ask('?'),
      ask('???'),
      say('A lock of an old build is left.'),
      ask('...'),
    ],
    active: ['Why does the build hang?'],
    wrong: '???',
    done: 'The lock /tmp/build.lock is left by an old build.',
    next: 'remove /tmp/build.lock',
    must: ['===== turn 2 =====\n?\n', '===== turn 4 =====\n...\n'],
  },
  {
    name: 'a message of line ends and a tab around a word',
    story: [ask('\n\n\tStart with the README.\n\n'), patch('README.md'), ask('\nand then CONTRIBUTING\n')],
    active: ['\n\n\tStart with the README.\n\n', '\nand then CONTRIBUTING\n'],
    wrong: '\nand then CONTRIBUTING\n',
    done: 'README.md is done.',
    next: 'CONTRIBUTING.md',
  },
  {
    name: 'very many short messages',
    story: [ask('I dictate a spreadsheet row by row; keep the totals in totals.json.'), ...chatter],
    active: ['I dictate a spreadsheet row by row'],
    wrong: 'check cell 60',
    done: '90 rows are in totals.json.',
    next: 'take the next row',
    must: ['===== turn 91 =====\nand row 90'.replace('and row 90', 'ok 90')],
    mustAlone: ['Output of: sheet get 90\n'],
  },
  {
    name: 'more short messages than there is space for',
    story: [ask('Group the tickets that follow by cause.'), ...flood, say('So far there are two causes.')],
    active: ['Group the tickets that follow by cause.'],
    wrong: 'Ticket 1249: customer 249',
    done: 'Two causes: a missing invoice, and a missing right.',
    next: 'wait for more tickets',
    must: ['messages left out here', 'Ticket 1249'],
    budget: 2000,
  },
  {
    name: 'a plan that was made, emptied and made again',
    story: [
      ask('Introduce feature toggles.'),
      plan('> Buy a service', 'Wire it'),
      plan(),
      plan('x toggles.json', '> Hook useToggle'),
      patch('src/toggles.json', 'add'),
    ],
    active: ['Introduce feature toggles.'],
    done: 'src/toggles.json is there.',
    next: 'write useToggle',
    must: ['Plan, from turn 1:\n- [done] toggles.json\n- [in progress] Hook useToggle'],
    mustNot: ['Buy a service'],
  },
  {
    name: 'a single message, and nothing else',
    story: [ask('Explain src/index.ts to me.')],
    active: ['Explain src/index.ts to me.'],
    done: 'Nothing was explained yet.',
    next: 'read src/index.ts',
    mustNot: ['no work was done'],
  },
];
