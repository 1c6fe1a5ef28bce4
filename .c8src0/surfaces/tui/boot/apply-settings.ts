import { suggestKey } from '../../../core/config/keys/explain-wrong-value.ts';
import type { Json } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Engine } from '../../../engine/engine.ts';
import { findTheme, themeChoices } from '../screen/text/themes.ts';
import { parseStatusIds, statusItems } from '../session/status-items.ts';
import { parseTitleIds } from '../session/status-line.ts';
import { notificationKinds } from '../session/notifier.ts';
import { readUserThemes } from '../screen/text/user-themes.ts';
import { screenReaderLook } from '../screen/tui-screen.ts';
import type { SessionParts } from '../session/session.ts';
import type { TuiRequest } from './open-tui.ts';

/** Applies `[tui]` and returns what to report. The rest of the table was checked when it was read. */
export async function applySettings(
  parts: Pick<SessionParts, 'stage' | 'engine' | 'surroundings'>,
  { isInline = false, isFull }: Pick<TuiRequest, 'isInline' | 'isFull'>,
): Promise<readonly Outcome[]> {
  const { stage, engine, surroundings } = parts;
  const { theme, ascii, animations, alternateScreen, screenReader, keymap, vimModeDefault } = engine.config.tui;
  const hasKeys = keymap !== undefined || vimModeDefault;
  const wrongKeys = hasKeys ? await applyKeys(parts, keymap, vimModeDefault) : [];
  if (screenReader) stage.changeLook(screenReaderLook);
  if (ascii && stage.look.glyphs === 'unicode') stage.changeLook({ glyphs: 'ascii' });
  if (!animations) stage.changeLook({ motion: 'none' });
  const wantsFull = isFull || (alternateScreen === 'always' && !screenReader && !isInline);
  const notFull = wantsFull && !stage.isFull ? stage.switchMode() : undefined;
  const full = notFull === undefined ? [] : [notFull];
  const problems = [...wrongKeys, ...full, ...unusedKeys(engine), ...wrongItems(engine)];
  if (theme === undefined) return problems;
  const own = findTheme(theme) === undefined ? await readUserThemes(engine) : { choices: [], problems: [] };
  const choice = findTheme(theme, own.choices);
  if (choice !== undefined) surroundings.appearance.choose(choice);
  // Report an unusable theme file only to users who selected that theme.
  const mine = own.problems.filter(({ name }) => name === theme).map(({ outcome }) => outcome);
  const unknown = choice === undefined && mine.length === 0 ? [unknownTheme(engine, theme)] : [];
  return [...problems, ...mine, ...unknown];
}

/** Binds keys from `[tui.keymap]` and starts Vim mode if it is set. Loaded lazily: few users need it. */
async function applyKeys(
  { stage, engine }: Pick<SessionParts, 'stage' | 'engine'>,
  keymap: Json | undefined,
  startsVim: boolean,
): Promise<readonly Outcome[]> {
  const { parseKeyMap } = await import('../screen/keys/read-key-map.ts');
  const { map, problems } = parseKeyMap(keymap, (path) => engine.config.sourceOf(path));
  stage.changeLook({ keys: map });
  if (startsVim) (await import('../draft/vim/vim-mode.ts')).setVimMode(stage, true);
  return problems;
}

function unknownTheme(engine: Engine, theme: string): Outcome {
  const names = themeChoices.map(({ name }) => name);
  return {
    code: 'theme-unknown',
    message: `${whereOf(engine, 'theme')} = ${JSON.stringify(theme)} names no theme. The colours follow the background.`,
    next: `${suggestKey(theme, names)} A theme of your own is a file in ${engine.home}/themes.`,
  };
}

/** Reported once: the file may serve another program as well. */
function unusedKeys(engine: Engine): readonly Outcome[] {
  const { unusedTui } = engine.config;
  if (unusedTui.length === 0) return [];
  const names = unusedTui.map((key) => `tui.${key}`).join(', ');
  const unused: Outcome = {
    code: 'tui-unused-keys',
    message: `Capstan does not support ${names}: what the configuration says there changes nothing.`,
    next: 'It may stay for other programs. The keys that work are those under "The terminal" in docs/configure.md.',
  };
  return engine.recordIfNews(unused) ? [unused] : [];
}

/** Unknown words in list settings. */
function wrongItems(engine: Engine): readonly Outcome[] {
  const { statusLine = [], terminalTitle = [], notifications } = engine.config.tui;
  const report = (key: string, words: readonly string[], known: readonly string[]): readonly Outcome[] =>
    words.map((word) => ({
      code: 'tui-unknown-item',
      message: `${whereOf(engine, key)} names ${JSON.stringify(word)}, which Capstan does not know and leaves out.`,
      next: suggestKey(word, known),
    }));
  const items = Object.keys(statusItems);
  const kinds = typeof notifications === 'boolean' ? [] : notifications;
  return [
    ...report('status_line', parseStatusIds(statusLine).unknown, items),
    ...report('terminal_title', parseTitleIds(terminalTitle).unknown, ['activity', ...items]),
    ...report(
      'notifications',
      kinds.filter((kind) => !(notificationKinds as readonly string[]).includes(kind)),
      notificationKinds,
    ),
  ];
}

function whereOf(engine: Engine, key: string): string {
  const source = engine.config.sourceOf(['tui', key]);
  return source === undefined ? `tui.${key}` : `${source}: tui.${key}`;
}
