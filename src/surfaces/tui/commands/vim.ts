import { VimMode } from '../composer/vim/vim-mode.ts';
import { keyPress } from '../screen/terminal-input.ts';
import type { CommandSession, CommandStage } from './command-session.ts';

/** `/vim`: Vim keys in the composer, for this run. */
export function vim(session: CommandSession): void {
  const { stage } = session.parts;
  const isOn = stage.composer.vim === undefined;
  switchVim(stage, isOn);
  // A user who asks for it here is about to type.
  if (isOn) stage.composer.vimInput(keyPress('i'));
  session.notice(
    isOn
      ? 'Vim mode is on, in insert mode: Esc leaves it, i begins it again. `vim_mode_default = true` below [tui] in config.toml turns it on at every start.'
      : 'Vim mode is off.',
  );
}

export function switchVim(stage: Pick<CommandStage, 'composer' | 'draw'>, isOn: boolean): void {
  stage.composer.vim = isOn ? new VimMode() : undefined;
  stage.draw();
}
