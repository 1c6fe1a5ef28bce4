import { developerInstructionsFragment } from '../../fragments/sections/developer-instructions.ts';
import { textSection } from './text-section.ts';

export const developerInstructionsSection = textSection<{ readonly text: string }>({
  id: 'capstan.developer_instructions',
  assumes: 'the contract of the sections before it, which it may narrow and not widen',
  kind: developerInstructionsFragment,
  of: ({ envelope: { instructions } }) =>
    instructions.developer === undefined ? undefined : { text: instructions.developer },
});
