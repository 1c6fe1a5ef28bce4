const reported = 'enter tab backspace escape delete insert up down left right home end pageup pagedown space'.split(
  ' ',
);
const functionKeys = Array.from({ length: 24 }, (_, at) => `f${at + 1}`);

/** Keys without a character: names in config.toml, and as terminals report them. */
const named: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...reported, ...functionKeys].map((name) => [name, name])),
  esc: 'escape',
  'page-up': 'pageup',
  'page-down': 'pagedown',
  minus: '-',
};

const modifier = /^(ctrl|alt|shift)[-+](?=.)/i;

/** Converts a key of config.toml, such as `ctrl-alt-x`, to its reported name. Undefined: no terminal reports it. */
function readKeyName(written: string): string | undefined {
  const has = { ctrl: false, alt: false, shift: false };
  let rest = written;
  for (let found = modifier.exec(rest); found !== null; found = modifier.exec(rest)) {
    has[(found[1] ?? '').toLowerCase() as keyof typeof has] = true;
    rest = rest.slice(found[0].length);
  }
  const before = `${has.ctrl ? 'ctrl+' : ''}${has.alt ? 'alt+' : ''}`;
  const name = named[rest.toLowerCase()];
  if (name !== undefined && name !== '-') return `${before}${has.shift && name !== 'space' ? 'shift+' : ''}${name}`;
  const sign = name ?? rest;
  if ([...sign].length !== 1 || /[\s\p{Cc}]/u.test(sign)) return undefined;
  // Shift is part of the character. Together with Ctrl, terminals do not report Shift.
  if (has.ctrl) return has.shift ? undefined : before + sign.toLowerCase();
  return before + (has.shift ? sign.toUpperCase() : sign);
}

/** One key, or two pressed in sequence: `ctrl-x ctrl-t`. */
export function parseStrokes(written: string): string | undefined {
  const strokes = Array.from(written.trim().split(/\s+/), readKeyName);
  return strokes.length <= 2 && strokes.every((each) => each !== undefined) ? strokes.join(' ') : undefined;
}

export const typesCharacter = (name: string): boolean => name === 'space' || [...name].length === 1;

/** A reported key in the form of config.toml: `ctrl-x ctrl-t`. */
export const strokesForConfig = (strokes: string): string =>
  strokes
    .split(' ')
    .map((stroke) =>
      stroke
        .replace(/-$/, 'minus')
        .replaceAll(/(ctrl|alt|shift)\+(?=.)/g, '$1-')
        .replace(/page(up|down)$/, 'page-$1')
        .replace('escape', 'esc'),
    )
    .join(' ');

const shownNames: Readonly<Record<string, string>> = { escape: 'esc', pageup: 'page up', pagedown: 'page down' };

export const shownKey = (strokes: string): string =>
  strokes
    .split(' ')
    .map((stroke) => {
      const [, before = '', name = ''] = /^((?:(?:ctrl|alt|shift)\+)*)(.+)$/.exec(stroke) ?? [];
      const sign = before === '' ? name : name === ',' ? 'comma' : name === '.' ? 'period' : name;
      return before + (shownNames[sign] ?? sign);
    })
    .join(' ');
