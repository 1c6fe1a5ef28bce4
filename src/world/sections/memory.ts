import { type MemoryText, memoryFragment } from '../../fragments/sections/memory.ts';
import { cutText } from '../../fragments/text/cut-text.ts';
import { textSection } from './text-section.ts';

/** The summary has at most so many tokens, or this share of the window if that is less (I6). */
const mostTokens = 2500;
const share = 0.05;

/** What is remembered of earlier threads. */
export const memorySection = textSection<MemoryText>({
  id: 'capstan.memory',
  assumes: 'the tools with which more of it can be read',
  kind: memoryFragment,
  of: ({ facts: { memory }, window }) => {
    if (memory === undefined) return undefined;
    const tokens = Math.min(mostTokens, Math.floor(window.effective * share));
    return { ...memory, summary: cutText(memory.summary, tokens) };
  },
});
