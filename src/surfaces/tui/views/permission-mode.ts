import type { Settings } from '../../../envelope/settings.ts';
import { dimStyle, type Piece, styled, warnStyle } from '../text/style.ts';
import { permissionWords, sandboxLevel } from './permission-presets.ts';

/** What the turn may do without a question, by the names of `/permissions` where it has one. Plan mode comes first. */
export function permissionMode(settings: Settings): Piece {
  if (settings.collaboration?.mode === 'plan') return styled('Plan mode', { colour: 'special' });
  return styled(permissionWords(settings), sandboxLevel(settings) === 'danger-full-access' ? warnStyle : dimStyle);
}
