import type { JsonObject } from '../protocol/json.ts';

/** What signing in left behind. It holds secrets: it goes into request headers and nowhere else. */
export type Login =
  | { readonly kind: 'none' }
  | { readonly kind: 'api-key'; readonly key: string; readonly renew: string }
  | ChatgptLogin
  | AccessTokenLogin
  /** Something is there and cannot be used. */
  | { readonly kind: 'unusable'; readonly message: string; readonly next: string };

/** Times are in milliseconds since the epoch. */
export interface ChatgptLogin {
  readonly kind: 'chatgpt';
  readonly accessToken: string;
  readonly accountId?: string;
  /** The account is one of the government's cloud. */
  readonly isFedramp?: true;
  /** For people. */
  readonly email?: string;
  readonly plan?: string;
  /** Gets new tokens, once: each renewal brings another one. */
  readonly refreshToken?: string;
  /** Absent when the access token does not say. */
  readonly expiresAt?: number;
  /** When the tokens were last renewed. */
  readonly renewedAt?: number;
  /** What the user can do when the login has expired, or is not accepted. */
  readonly renew: string;
}

/** A token that a user made for a program. It cannot be renewed, and only the issuer knows whose account it is. */
export interface AccessTokenLogin {
  readonly kind: 'access-token';
  readonly token: string;
  readonly renew: string;
}

/** Tokens that the place where users sign in gave in exchange for a refresh token. What is absent stays as it was. */
export interface NewTokens {
  readonly accessToken?: string;
  readonly refreshToken?: string;
  readonly idToken?: string;
}

/** Where the login is kept. Other programs use it too. */
export interface LoginStore {
  load(): Promise<Login>;
  /** Does the work while no other process of this program does such work here; waits for it, or rejects with an error for people. */
  alone<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value>;
  /**
   * Reserves space for new tokens. Called before they are asked for: asking ends the old ones, so the new ones must not
   * be lost for want of a place. Rejects with an error for people where nothing can be kept.
   */
  reserve(): Promise<TokenReservation>;
  /** Why no login can be kept, for people, as far as it is known before one is there. */
  unkept(): Promise<string | undefined>;
  /** Puts a login in the place of any other. Gives where, for people; rejects with an error for people. */
  save(login: JsonObject): Promise<string>;
  /** Whether there was one. */
  forget(): Promise<boolean>;
}

/** Ends with one of the two; with the second, too, when the first one rejects. */
export interface TokenReservation {
  /** Puts the tokens in the place of the old ones; all else that is kept with them stays. */
  keep(tokens: NewTokens, at: number): Promise<void>;
  discard(): void;
}
