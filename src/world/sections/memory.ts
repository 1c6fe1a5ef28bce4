import { contextBudget } from '../../envelope/context-shares.ts';
import { type MemoryText, memoryFragment } from '../../fragments/sections/memory.ts';
import { cutText } from '../../fragments/text/cut-text.ts';
import { textSection } from './text-section.ts';

/** What is remembered of earlier threads. */
export const memorySection = textSection<MemoryText>({
  id: 'capstan.memory',
  assumes: 'the tools with which more of it can be read',
  kind: memoryFragment,
  of: ({ facts: { memory }, window }) => {
    if (memory === undefined) return undefined;
    return { ...memory, summary: cutText(memory.summary, contextBudget('memorySummary', window.effective)) };
  },
});
