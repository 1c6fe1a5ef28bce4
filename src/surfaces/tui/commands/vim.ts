import { VimMode } from '../composer/vim/vim-mode.ts';
import type { CommandSession, CommandStage } from './command-session.ts';

/** `/vim`: Vim keys in the composer, for this run. */
export function vim(session: CommandSession): void {
  const { stage } = session.parts;
  const isOn = stage.composer.vim === undefined;
  switchVim(stage, isOn);
  session.notice(
    isOn
      ? 'Vim mode is on: i inserts, Esc ends it. `vim_mode_default = true` below [tui] in config.toml begins with it.'
      : 'Vim mode is off.',
  );
}

export function switchVim(stage: Pick<CommandStage, 'composer' | 'draw'>, isOn: boolean): void {
  stage.composer.vim = isOn ? new VimMode() : undefined;
  stage.draw();
}
