import type { Json } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { switchVim } from '../commands/vim.ts';
import { readKeyMap } from '../keys/read-key-map.ts';
import type { SessionParts } from './session.ts';

/** Binds keys as `[tui.keymap]` says, and begins with Vim mode where `vim_mode_default` is set. Gives what to report. */
export function applyKeys(
  { stage, engine }: Pick<SessionParts, 'stage' | 'engine'>,
  keymap: Json | undefined,
  startsVim: boolean,
): readonly Outcome[] {
  const { map, problems } = readKeyMap(keymap, (path) => engine.config.sourceOf(path));
  stage.changeLook({ keys: map });
  if (startsVim) switchVim(stage, true);
  return problems;
}
