/** What signing in left in the home folder. It holds secrets: it goes into request headers and nowhere else. */
export type Login =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'api-key'; readonly key: string } & LoginAdvice)
  | ({
      readonly kind: 'chatgpt';
      readonly accessToken: string;
      readonly accountId?: string;
      /** In milliseconds since the epoch; absent when the token does not say. */
      readonly expiresAt?: number;
    } & LoginAdvice)
  /** Something is there and cannot be used. */
  | { readonly kind: 'unusable'; readonly message: string; readonly next: string };

interface LoginAdvice {
  /** What a person can do when the login has expired, or is not accepted. */
  readonly renew: string;
}
