/** Work that takes longer than this lets the keyboard and the screen have their turn. */
const mostMs = 12;

/** A rest that is short, and only taken when it is due. */
export function restsOf(now: () => number): () => Promise<void> {
  let since = now();
  return async () => {
    if (now() - since < mostMs) return;
    await new Promise<void>((resolve) => void setImmediate(resolve));
    since = now();
  };
}
