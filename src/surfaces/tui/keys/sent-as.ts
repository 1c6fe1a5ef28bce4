/** Keys that have a character of their own in ASCII: Ctrl and Shift make no other one of it. */
const characters: ReadonlySet<string> = new Set(['enter', 'tab', 'backspace', 'escape', 'space']);
/** Control characters that other keys send. */
const controls: Readonly<Record<string, string>> = {
  i: 'tab',
  m: 'enter',
  '[': 'escape',
  '/': 'ctrl+_',
  '-': 'ctrl+_',
};
const sentAlone = new Set(['shift+tab', 'ctrl+space']);

/**
 * The key that a terminal reports in the place of another one, where it has no protocol to tell them apart. Undefined: it
 * reports the key itself, as far as it reports it at all.
 */
export function sentAs(stroke: string): string | undefined {
  const [, ctrl, alt = '', shift, name = ''] = /^(ctrl\+)?(alt\+)?(shift\+)?(.+)$/.exec(stroke) ?? [];
  if (sentAlone.has(stroke.replace('alt+', ''))) return undefined;
  if (characters.has(name)) return ctrl === undefined && shift === undefined ? undefined : alt + name;
  if (ctrl === undefined || [...name].length !== 1) return undefined;
  const control = controls[name];
  if (control !== undefined)
    return control.startsWith('ctrl+') ? control.replace('ctrl+', `ctrl+${alt}`) : alt + control;
  return /^[a-z@\\\]^_]$/.test(name) ? undefined : alt + name;
}
