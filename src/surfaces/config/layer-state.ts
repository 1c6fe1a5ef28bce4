import type { ConfigLayer } from '../../config/config-layer.ts';
import type { Configured } from '../engine/configured.ts';

/** What became of a layer, in a word or two. Empty when it counts. */
export function layerState({ name, source, text, disabled }: ConfigLayer, { problems }: Configured): string {
  if (disabled !== undefined) return `not used: ${disabled}`;
  if (name === 'default' || name === 'flags') return '';
  const isAtFault = problems.some(
    (problem) => problem.source === source && /^config-(?:unreadable|syntax|profile)$/.test(problem.code),
  );
  if (isAtFault) return 'cannot be read';
  return text === undefined ? 'no such file' : '';
}
