/** Names bytes by what they are. */
export interface Digester {
  /**
   * SHA-256 of a request body, in hexadecimal digits. The pieces of the body before that stand at the beginning of this
   * one are not read again, so a body that only grew costs what is new to it.
   */
  body(pieces: readonly Uint8Array[]): string;
  /** The first eight digits of the SHA-256 of the bytes: they distinguish the items of a request. */
  short(bytes: Uint8Array): string;
}
