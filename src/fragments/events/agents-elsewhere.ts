import { defineFragment } from '../text/define.ts';

/** More than work side by side; older ones are counted. */
const mostNamed = 40;

export interface AgentsElsewhereText {
  readonly [key: string]: readonly string[];
  /** Oldest first. */
  readonly paths: readonly string[];
}

export const agentsElsewhereFragment = defineFragment<AgentsElsewhereText>({
  id: 'agents-elsewhere',
  purpose: 'Which agents belong to the conversation that this one was branched from.',
  role: 'developer',
  markers: ['<agents_elsewhere>', '</agents_elsewhere>'],
  capTokens: 1500,
  body({ paths }) {
    const older = paths.length > mostNamed ? [`and ${paths.length - mostNamed} older ones`] : [];
    const named = paths.slice(-mostNamed).map((path) => path.slice(0, 120));
    return `\nThese agents belong to the conversation that this one was branched from. They cannot be reached from here, and their answers do not come here: ${[...named, ...older].join(', ')}.\n`;
  },
});
