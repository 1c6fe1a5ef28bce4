import type { Look } from '../text/look.ts';

/** Rows that take long to make, made once for a look. That time passes changes nothing of them. */
export function keptRows<Rows>(make: (look: Look) => Rows): (look: Look) => Rows {
  let kept: { readonly look: Look; readonly rows: Rows } | undefined;
  return (look) => {
    if (kept === undefined || !isSame(kept.look, look)) kept = { look, rows: make(look) };
    return kept.rows;
  };
}

function isSame(one: Look, other: Look): boolean {
  const names = Object.keys({ ...one, ...other }) as (keyof Look)[];
  return names.every((name) => name === 'now' || one[name] === other[name]);
}
