import type { ReservedPlace } from '../../ports/login.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** What stands in a place for logins. `message` and `next` quote nothing of it. */
export type FoundLogin =
  | { readonly kind: 'found'; readonly document: JsonObject }
  | { readonly kind: 'none' }
  | { readonly kind: 'unread'; readonly message: string; readonly next: string };

/** One place that holds at most one login: a file, or an entry of a keyring. What fails rejects with an error for people. */
export interface LoginPlace {
  /** For people. */
  readonly name: string;
  /** Why nothing can be written, whatever it is. Absent: it may work. */
  readonly closed?: string;
  read(): Promise<FoundLogin>;
  write(document: JsonObject): Promise<void>;
  /** Whether there was something. */
  remove(): Promise<boolean>;
  reserve(): Promise<ReservedPlace>;
}
