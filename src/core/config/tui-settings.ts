import type { GivenConfigValues } from './keys/key-table.ts';

type GivenTui = NonNullable<GivenConfigValues['tui']>;

const usual = {
  /** False: nothing moves by itself except the seconds of running work. */
  animations: true,
  showTooltips: true,
  notifications: true,
  notificationMethod: 'auto',
  notificationCondition: 'unfocused',
  vimModeDefault: false,
  /** `auto`: the conversation goes into the scrollback. */
  alternateScreen: 'auto',
  statusLineUseColors: true,
  screenReader: false,
  ascii: false,
  sessionPickerView: 'comfortable',
} as const satisfies GivenTui;

/**
 * Without a status line or a window title the default items are shown; an empty title is left alone. Without a theme the
 * terminal's background decides; without `resumeCwd` the user is asked.
 */
export interface TuiSettings extends Omit<GivenTui, keyof typeof usual>, Required<Pick<GivenTui, keyof typeof usual>> {
  /** Do not take fast typing for a paste that the terminal did not mark. */
  readonly disablePasteBurst: boolean;
}

export function tuiSettings(given: Pick<GivenConfigValues, 'tui' | 'disablePasteBurst'>): TuiSettings {
  const { tui = {}, disablePasteBurst = false } = given;
  // A saved change may hold keys without a value.
  const chosen = Object.entries(usual).map(([key, value]) => [key, tui[key as keyof GivenTui] ?? value]);
  return { ...tui, ...Object.fromEntries(chosen), disablePasteBurst } as TuiSettings;
}
