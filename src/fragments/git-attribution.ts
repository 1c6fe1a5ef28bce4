import { defineFragment, defineWithdrawal } from './define.ts';
import { oneLine } from './markup.ts';

export interface GitAttributionText {
  /** The line that ends a commit message, such as `Co-authored-by: NAME <ADDRESS>`. */
  readonly trailer: string;
}

export const gitAttributionFragment = defineFragment<GitAttributionText>({
  id: 'git-attribution',
  purpose: 'How commits and pull requests name the agent.',
  role: 'developer',
  markers: ['<git_attribution>', '</git_attribution>'],
  capTokens: 400,
  section: 'git_attribution',
  body: ({ trailer }) => `
When you write a commit message, end it with this trailer, once, after a blank line and beside trailers that are there:
${oneLine(trailer)}
When you write the text of a pull request, let its last line say that an agent helped. Change no commit only to add this.
`,
});

export const gitAttributionWithdrawnFragment = defineWithdrawal(gitAttributionFragment, {
  body: '\nThe attribution asked for before is withdrawn: add no trailer and no line about an agent.\n',
});
