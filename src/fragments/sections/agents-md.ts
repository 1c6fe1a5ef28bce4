import { defineFamily } from '../text/define.ts';
import { withoutLineBreaks } from '../text/markup.ts';
import { truncateMiddle } from '../text/truncate.ts';

export interface AgentsMdText {
  readonly directory?: string;
  readonly text: string;
  /** Other instructions were given before; these take their place. */
  readonly replaces: boolean;
}

/** The loader cuts the files to their budget first; this cap only guards against a configured budget that is absurd. */
const capTokens = 20_000;

export const agentsMdFragment = defineFamily<AgentsMdText>({
  id: 'agents-md',
  purpose: "The user's and the project's own instructions.",
  role: 'user',
  markers: ['# AGENTS.md instructions', '</INSTRUCTIONS>'],
  capTokens,
  section: 'agents_md',
  body({ directory, text, replaces }) {
    const place = directory === undefined ? '' : ` for ${shortened(withoutLineBreaks(directory))}`;
    const notice = replaces ? 'These take the place of all AGENTS.md instructions given before.\n\n' : '';
    return `${place}\n\n<INSTRUCTIONS>\n${notice}${text}\n`;
  },
  withdrawn: '\n\n<INSTRUCTIONS>\nThe AGENTS.md instructions given before no longer apply; there are none now.\n',
});

/** The opening tag below the path must survive any cut. */
function shortened(path: string): string {
  return truncateMiddle(path, { mode: 'bytes', limit: 4096 });
}
