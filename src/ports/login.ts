import type { JsonObject } from '../protocol/json.ts';

/** The result of signing in. It holds secrets: they go into request headers and nowhere else. */
export type StoredLogin =
  | { readonly kind: 'none' }
  | { readonly kind: 'api-key'; readonly key: string; readonly renew: string }
  | ChatgptLogin
  | AccessTokenLogin
  | { readonly kind: 'unusable'; readonly message: string; readonly next: string };

/** Times are in milliseconds since the epoch. */
export interface ChatgptLogin {
  readonly kind: 'chatgpt';
  readonly accessToken: string;
  readonly accountId?: string;
  readonly isFedramp?: true;
  readonly email?: string;
  readonly plan?: string;
  /** Can be used once: each renewal brings another one. */
  readonly refreshToken?: string;
  readonly expiresAt?: number;
  readonly renewedAt?: number;
  /** Advice for the user when the login has expired or is not accepted. */
  readonly renew: string;
}

/** A token that a user made for a program. It cannot be renewed, and only the issuer knows its account. */
export type AccessTokenLogin = { readonly kind: 'access-token'; readonly token: string; readonly renew: string };
/** Tokens that the sign-in server gave in exchange for a refresh token. Absent ones stay as they were. */
export type NewTokens = { readonly accessToken?: string; readonly refreshToken?: string; readonly idToken?: string };

export interface LoginStore {
  load(): Promise<StoredLogin>;
  /** Runs the work while no other process of this program does such work. Rejects with a user-facing error. */
  alone<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value>;
  /** Reserves space before new tokens are requested, which ends the old ones. Rejects with a user-facing error. */
  reserve(): Promise<TokenReservation>;
  /** Why Capstan could not keep a login here, as a sentence for the user. Undefined if it knows no reason. */
  unkept(): Promise<string | undefined>;
  /** Replaces any other login. Returns a user-facing location; rejects with a user-facing error. */
  save(login: JsonObject): Promise<string>;
  forget(): Promise<boolean>;
}

/** Call `keep` or `discard` in the end, and `discard` also if `keep` rejects. */
export interface TokenReservation {
  /** Replaces the old tokens; all else that is kept with them stays. */
  keep(tokens: NewTokens, at: number): Promise<void>;
  discard(): void;
}
