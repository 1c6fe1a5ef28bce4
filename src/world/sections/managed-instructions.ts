import { managedInstructionsFragment } from '../../fragments/sections/managed-instructions.ts';
import { textSection } from './text-section.ts';

/** Comes last among what developers say, so that nothing of theirs can follow and overrule it. */
export const managedInstructionsSection = textSection<{ readonly text: string }>({
  id: 'managed_developer_instructions',
  assumes: 'everything that developers said before it',
  kind: managedInstructionsFragment,
  of: ({ envelope: { instructions } }) =>
    instructions.managed === undefined ? undefined : { text: instructions.managed },
});
