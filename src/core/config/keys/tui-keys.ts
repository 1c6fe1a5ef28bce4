import { isJsonObject, type JsonObject } from '../../../protocol/json.ts';
import { choice, flag, type KeyTable, name, strings, type TableKind, words } from './key-kinds.ts';

const keys = {
  animations: flag,
  show_tooltips: flag,
  notifications: { type: 'boolean-or-list' },
  notification_method: choice(['auto', 'osc9', 'bel']),
  notification_condition: choice(['unfocused', 'always']),
  vim_mode_default: flag,
  alternate_screen: choice(['auto', 'always', 'never']),
  status_line: strings,
  status_line_use_colors: flag,
  terminal_title: strings,
  theme: name,
  screen_reader: flag,
  ascii: flag,
  session_picker_view: choice(['comfortable', 'dense']),
  resume_cwd: choice(['current', 'session']),
  keymap: { type: 'free', shape: 'table' },
} as const satisfies KeyTable;

/** State that another program stores here; it asks nothing of Capstan. */
const notes: readonly string[] = ['model_availability_nux', 'screen_reader_detection_done'];

/** `[tui]`: a wrong value there must not stop the start. */
export const tuiTable: TableKind<typeof keys> = {
  type: 'table',
  keys,
  unused: words(`
    agents_overview_grouping auto_recap copy_on_select copy_on_select_clear_selection effects fullscreen_transcript
    model_availability_nux mouse_scroll_speed pet pet_anchor presets question_esc_back raw_output_mode rendering
    right_click_paste screen_reader_detection_done show_server_version_notice terminal_resize_reflow_max_rows
  `),
  unknown: 'warning',
  wrong: 'warning',
};

/** Keys of `[tui]` that a user may expect to work and that do not; sorted, without duplicates. */
export function missedTuiKeys(tables: readonly JsonObject[]): readonly string[] {
  const names = tables.flatMap(({ tui }) => (isJsonObject(tui) ? Object.keys(tui) : []));
  return [...new Set(names)].filter((name) => !notes.includes(name)).toSorted();
}
