import type { Json } from '../../protocol/json.ts';
import type { GivenValues } from './keys/key-table.ts';

/** How the terminal looks and behaves, as the configuration says. */
export interface TuiSettings {
  /** False: nothing moves by itself, but for the seconds of what runs. */
  readonly animations: boolean;
  readonly showTooltips: boolean;
  /** A list names the kinds. */
  readonly notifications: boolean | readonly string[];
  readonly notificationMethod: 'auto' | 'osc9' | 'bel';
  readonly notificationCondition: 'unfocused' | 'always';
  readonly vimModeDefault: boolean;
  /** `auto`: the conversation goes into the scrollback. */
  readonly alternateScreen: 'auto' | 'always' | 'never';
  /** Items of the line below the composer, by id. Undefined: the usual ones. */
  readonly statusLine: readonly string[] | undefined;
  readonly statusLineUseColors: boolean;
  /** Items of the title of the window, by id. Undefined: the usual ones. Empty: the title is left alone. */
  readonly terminalTitle: readonly string[] | undefined;
  /** Undefined: by the background of the terminal. */
  readonly theme: string | undefined;
  readonly screenReader: boolean;
  readonly ascii: boolean;
  readonly sessionPickerView: 'comfortable' | 'dense';
  /** Undefined: the user is asked. */
  readonly resumeCwd: 'current' | 'session' | undefined;
  /** As it was written: who binds keys reads it. */
  readonly keymap: Json | undefined;
  /** Fast typing is not taken for a paste that the terminal did not mark. */
  readonly disablePasteBurst: boolean;
}

/** What holds where the configuration says nothing. */
export function tuiSettings({
  tui = {},
  disablePasteBurst = false,
}: Pick<GivenValues, 'tui' | 'disablePasteBurst'>): TuiSettings {
  return {
    animations: tui.animations ?? true,
    showTooltips: tui.showTooltips ?? true,
    notifications: tui.notifications ?? true,
    notificationMethod: tui.notificationMethod ?? 'auto',
    notificationCondition: tui.notificationCondition ?? 'unfocused',
    vimModeDefault: tui.vimModeDefault ?? false,
    alternateScreen: tui.alternateScreen ?? 'auto',
    statusLine: tui.statusLine,
    statusLineUseColors: tui.statusLineUseColors ?? true,
    terminalTitle: tui.terminalTitle,
    theme: tui.theme,
    screenReader: tui.screenReader ?? false,
    ascii: tui.ascii ?? false,
    sessionPickerView: tui.sessionPickerView ?? 'comfortable',
    resumeCwd: tui.resumeCwd,
    keymap: tui.keymap,
    disablePasteBurst,
  };
}
