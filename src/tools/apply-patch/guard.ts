/** What a patch may touch. Asked about each path as it is spelled and again about the place it leads to. */
export interface Guard {
  /** A sentence when the policy does not grant it. */
  check(touch: Touch): string | undefined;
}

export interface Touch {
  /** Absolute and in normal form, as the patch spells it. */
  readonly path: string;
  /** Where it leads to; absent before it is looked up. */
  readonly place?: string;
  readonly need: 'read' | 'write';
}

/** For a patch that the user applies by hand, and where nothing is restricted. */
export const noGuard: Guard = { check: () => undefined };
