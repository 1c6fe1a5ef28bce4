import { isJsonObject, type JsonObject } from '../../../protocol/json.ts';
import { choiceKind, booleanKey, nameKey, stringListKind, words } from './key-kinds.ts';
import type { SchemaKeys, TableKeyKind } from './key-kinds.ts';

const keys = {
  animations: booleanKey,
  show_tooltips: booleanKey,
  notifications: { type: 'boolean-or-list' },
  notification_method: choiceKind(['auto', 'osc9', 'bel']),
  notification_condition: choiceKind(['unfocused', 'always']),
  vim_mode_default: booleanKey,
  alternate_screen: choiceKind(['auto', 'always', 'never']),
  status_line: stringListKind,
  status_line_use_colors: booleanKey,
  terminal_title: stringListKind,
  theme: nameKey,
  screen_reader: booleanKey,
  ascii: booleanKey,
  session_picker_view: choiceKind(['comfortable', 'dense']),
  resume_cwd: choiceKind(['current', 'session']),
  keymap: { type: 'free', shape: 'table' },
} as const satisfies SchemaKeys;

/** State that another program stores here; it asks nothing of Capstan. */
const notes: readonly string[] = ['model_availability_nux', 'screen_reader_detection_done'];

/** `[tui]`: a wrong value there must not stop the start. */
export const tuiSchema: TableKeyKind<typeof keys> = {
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
export function unsupportedTuiKeys(tables: readonly JsonObject[]): readonly string[] {
  const names = tables.flatMap(({ tui }) => (isJsonObject(tui) ? Object.keys(tui) : []));
  return [...new Set(names)].filter((name) => !notes.includes(name)).toSorted();
}
