/**
 * What of a model's thinking only its provider can read, as history keeps it: in the `encrypted_content` of a reasoning
 * item, under a name that says which format it belongs to. Others that find it there can see that it is not theirs.
 * It is signed for the model that had it: `history/opaque-items.ts` knows the mark, and sends it to that model alone.
 */
type OpaqueThinking =
  /** Proves that the text beside it is what the model thought. */
  | { readonly kind: 'signed'; readonly signature: string }
  /** Stands in the place of the text. */
  | { readonly kind: 'redacted'; readonly data: string };

const signed = 'anthropic/thinking:';
const redacted = 'anthropic/redacted_thinking:';

export function storeOpaque(opaque: OpaqueThinking): string {
  return opaque.kind === 'signed' ? `${signed}${opaque.signature}` : `${redacted}${opaque.data}`;
}

/** Undefined for what another format made. */
export function readOpaque(stored: string): OpaqueThinking | undefined {
  if (stored.startsWith(signed)) return { kind: 'signed', signature: stored.slice(signed.length) };
  return stored.startsWith(redacted) ? { kind: 'redacted', data: stored.slice(redacted.length) } : undefined;
}
