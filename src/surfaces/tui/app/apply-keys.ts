import type { Json } from '../../../protocol/json.ts';
import { fullText } from '../../../protocol/outcome.ts';
import { readKeyMap } from '../keys/read-key-map.ts';
import { switchVim } from '../commands/vim.ts';
import type { TuiSession } from './session.ts';

/** Binds keys as `[tui.keymap]` says, and begins with Vim mode where `vim_mode_default` is set. */
export function applyKeys(session: TuiSession, keymap: Json | undefined, startsVim: boolean): void {
  const { stage, engine } = session.parts;
  const { map, problems } = readKeyMap(keymap, (path) => engine.config.sourceOf(path));
  stage.changeLook({ keys: map });
  for (const problem of problems) session.notice(fullText(problem), 'warning');
  if (startsVim) switchVim(stage, true);
}
