import type { Role } from '../protocol/item.ts';
import { truncateMiddle } from './truncate.ts';

/**
 * How one kind of runtime fact becomes text. A kind reads its payload and nothing else.
 * Markers are for the model and for programs that read our files; we ourselves go by the recorded origin.
 */
export interface FragmentKind<Payload> {
  /** Stable: it is stored as the origin of what it rendered. */
  readonly id: string;
  readonly role: Role;
  readonly markers?: readonly [start: string, end: string];
  /** The most that one rendering may add to history (I6). A longer body is cut in its middle, visibly. */
  readonly capTokens: number;
  /** The fragment stands alone in its message. */
  readonly separate?: true;
  /** Includes all white space that shall stand between the markers. */
  body(payload: Payload): string;
}

/** A rendered fact, ready to enter history. */
export interface Fragment {
  readonly kind: string;
  readonly role: Role;
  readonly text: string;
  readonly separate: boolean;
}

export function render<Payload>(kind: FragmentKind<Payload>, payload: Payload): Fragment {
  const [start, end] = kind.markers ?? ['', ''];
  const body = truncateMiddle(kind.body(payload), { mode: 'tokens', limit: kind.capTokens });
  return { kind: kind.id, role: kind.role, text: start + body + end, separate: kind.separate === true };
}
