import type { FragmentKind } from './define.ts';

export interface AgentsMdText {
  readonly directory?: string;
  readonly text: string;
  /** Other instructions were given before; these take their place. */
  readonly replaces: boolean;
}

const markers = ['# AGENTS.md instructions', '</INSTRUCTIONS>'] as const;

/** The loader cuts the files to their budget first; this cap only guards against a configured budget that is absurd. */
const capTokens = 20_000;

export const agentsMdFragment: FragmentKind<AgentsMdText> = {
  id: 'agents-md',
  role: 'user',
  markers,
  capTokens,
  body({ directory, text, replaces }) {
    const place = directory === undefined ? '' : ` for ${oneLine(directory)}`;
    const notice = replaces ? 'These take the place of all AGENTS.md instructions given before.\n\n' : '';
    return `${place}\n\n<INSTRUCTIONS>\n${notice}${text}\n`;
  },
};

export const agentsMdWithdrawnFragment: FragmentKind<void> = {
  id: 'agents-md-withdrawn',
  role: 'user',
  markers,
  capTokens: 100,
  body: () => '\n\n<INSTRUCTIONS>\nThe AGENTS.md instructions given before no longer apply; there are none now.\n',
};

function oneLine(path: string): string {
  return path.replace(/[\r\n]/g, ' ');
}
