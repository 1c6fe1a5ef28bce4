import type { AnySection } from './section.ts';

/** Whether the newest text of these kinds in history tells something, and does not take it back. */
export type StandsInHistory = (kinds: AnySection['kinds']) => boolean;
