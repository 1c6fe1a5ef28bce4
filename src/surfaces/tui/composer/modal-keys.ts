import type { Draft } from './draft.ts';

/** A key by its name; one that types a character has the name of it. */
export interface PressedSign {
  readonly name: string;
}

/** Keys that depend on a mode: in normal mode they are commands, in insert mode they type, in replace mode over what is there. */
export interface ModalKeys {
  readonly mode: 'normal' | 'insert' | 'replace';
  /** What is searched for in the draft, while it is typed or where it was not found. */
  readonly search: string | undefined;
  /**
   * What a key makes of the draft. `passed`: it is for others. `older`, `newer`: a message of before is wanted.
   * `recalls`: up and down may ask for that.
   */
  press(
    press: PressedSign,
    draft: Draft,
    options: { readonly recalls: boolean },
  ): { readonly draft: Draft; readonly wants?: 'passed' | 'older' | 'newer' };
  /** The draft is this one now. */
  shown(draft: Draft): void;
  /** The draft, with the cursor where the mode wants it. */
  settled(draft: Draft): Draft;
  /** The draft was sent or dropped: the next one has a past of its own. */
  reset(): void;
}
