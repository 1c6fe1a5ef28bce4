import { type Command, type CommandArguments, flag, option } from './command.ts';
import { execCommand } from './exec-command.ts';

const { options } = execCommand;

/** `capstan review`: the same as `exec review`, with the options that a review can use. */
export const reviewCommand = {
  name: 'review',
  does: 'review changes of code',
  summary: 'Reviews changes: a reader without a memory of the work, who can change nothing, reports what it finds.',
  forms: ['[options]', '[options] --base BRANCH', '[options] --commit COMMIT', '[options] WORDS'],
  about:
    'Without a target Capstan reviews what is not committed. WORDS say in your own words what to review; "-" reads them from standard input.\n' +
    'The findings are kept in a new thread: `capstan exec resume --last "Fix the first one"` continues with them.',
  examples: [
    ['capstan review', 'Review what is not committed'],
    ['capstan review --base main', 'Review what this branch adds to main'],
    ['capstan review "the error handling in src/api"', 'Review what the words say'],
  ],
  words: [{ name: 'WORDS' }],
  freeWord: 'words',
  surplus: 'there is more than one text. Put the words in quotes.',
  options: {
    uncommitted: flag('--uncommitted', 'what is not committed, as without a target'),
    base: option('--base BRANCH', 'what the current branch adds to BRANCH'),
    commit: option('--commit COMMIT', 'the change of one commit'),
    title: option('--title TEXT', 'with --commit: the title of the commit', { with: 'commit' }),
    model: options.model,
    sandboxFallback: options.sandboxFallback,
    cwd: options.cwd,
    lastMessageFile: options.lastMessageFile,
    json: options.json,
    verbose: options.verbose,
    ephemeral: options.ephemeral,
    override: options.override,
    profile: options.profile,
    oss: options.oss,
    localProvider: options.localProvider,
    color: options.color,
    contextEvents: options.contextEvents,
    strictConfig: options.strictConfig,
    ignoreUserConfig: options.ignoreUserConfig,
    ignoreRules: options.ignoreRules,
    enable: options.enable,
    disable: options.disable,
  },
  notes:
    'Standard output gets the review; standard error gets everything else. `--json` ends with the event `review.completed`.',
} as const satisfies Command;

export type ReviewArguments = Pick<CommandArguments<typeof reviewCommand>, 'options' | 'words'>;
