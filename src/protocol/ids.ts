declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** One conversation. A UUID; Capstan makes version 7. */
export type ThreadId = Branded<'ThreadId'>;
/** One unit of agent work inside a thread. A UUID. */
export type TurnId = Branded<'TurnId'>;
/** Position of a line in a thread, counted from 0 without gaps by one writer. */
export type Ordinal = number & { readonly [brand]: 'Ordinal' };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The text as a thread id, or undefined when it is not a UUID in canonical form. */
export function parseThreadId(text: string): ThreadId | undefined {
  const lower = text.toLowerCase();
  return uuid.test(lower) ? (lower as ThreadId) : undefined;
}
