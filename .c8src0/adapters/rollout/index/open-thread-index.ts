import type { ThreadIndex, ThreadIndexOptions } from './thread-index.ts';

/** Loaded on use: most runs neither list nor search. */
export async function openThreadIndex({ home, clock }: ThreadIndexOptions): Promise<ThreadIndex> {
  const { ThreadIndex } = await import('./thread-index.ts');
  return new ThreadIndex({ home, clock });
}
