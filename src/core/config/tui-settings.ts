import type { Json } from '../../protocol/json.ts';
import type { GivenValues } from './keys/key-table.ts';

export interface TuiSettings {
  /** False: nothing moves by itself except the seconds of running work. */
  readonly animations: boolean;
  readonly showTooltips: boolean;
  readonly notifications: boolean | readonly string[];
  readonly notificationMethod: 'auto' | 'osc9' | 'bel';
  readonly notificationCondition: 'unfocused' | 'always';
  readonly vimModeDefault: boolean;
  /** `auto`: the conversation goes into the scrollback. */
  readonly alternateScreen: 'auto' | 'always' | 'never';
  /** Item ids of the line below the composer. Undefined: the default items. */
  readonly statusLine: readonly string[] | undefined;
  readonly statusLineUseColors: boolean;
  /** Item ids of the window title. Undefined: the default items. Empty: the title is left alone. */
  readonly terminalTitle: readonly string[] | undefined;
  /** Undefined: chosen by the terminal's background. */
  readonly theme: string | undefined;
  readonly screenReader: boolean;
  readonly ascii: boolean;
  readonly sessionPickerView: 'comfortable' | 'dense';
  /** Undefined: the user is asked. */
  readonly resumeCwd: 'current' | 'session' | undefined;
  readonly keymap: Json | undefined;
  /** Do not take fast typing for a paste that the terminal did not mark. */
  readonly disablePasteBurst: boolean;
}

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
