import { isFramingHeader, isHeaderName, isHeaderValue } from '../protocol/header-text.ts';
import { isJsonObject, type Json, objectAt, valueAt } from '../protocol/json.ts';
import type { CheckedLayer } from './check-layers.ts';
import { type ConfigProblem, keyProblem } from './config-problem.ts';

/** Headers of providers that cannot be sent. Requests go without them, and a server may refuse these. */
export function headerProblems(checked: readonly CheckedLayer[]): readonly ConfigProblem[] {
  return checked.flatMap(({ layer, values }, rank) => {
    const providers = Object.keys(objectAt(values, 'model_providers') ?? {});
    const paths = providers.flatMap((id) => [
      ...headersOf(values, id, 'http_headers'),
      ...headersOf(values, id, 'env_http_headers'),
    ]);
    const above = checked.slice(rank + 1);
    return paths
      .filter((path) => above.every((higher) => valueAt(higher.values, path) === undefined))
      .filter((path) => !isReplacedByVariable(path, checked))
      .flatMap((path) => {
        const fault = faultOf(path, valueAt(values, path));
        if (fault === undefined) return [];
        const what = `${fault.what}, so Capstan sends requests without this header`;
        return [keyProblem(layer, path, { code: 'config-wrong-value', severity: 'warning', what, next: fault.next })];
      });
  });
}

export const wrongCharacter = 'has a character that no header may have';
export const likelyCharacter = 'a pasted "…", a line end or a quotation mark of another language may be in it.';

function headersOf(values: CheckedLayer['values'], id: string, key: string): readonly (readonly string[])[] {
  const path = ['model_providers', id, key];
  const headers = valueAt(values, path);
  return isJsonObject(headers) ? Object.keys(headers).map((name) => [...path, name]) : [];
}

/** A header of this name whose value a variable has goes before it. Its own value is looked at when a thread opens. */
function isReplacedByVariable(path: readonly string[], checked: readonly CheckedLayer[]): boolean {
  const [, id, key, name] = path;
  if (key !== 'http_headers') return false;
  const names = checked.flatMap(({ values }) => headersOf(values, id!, 'env_http_headers').map((each) => each.at(-1)!));
  return names.some((each) => each.toLowerCase() === name!.toLowerCase());
}

function faultOf(
  path: readonly string[],
  value: Json | undefined,
): { readonly what: string; readonly next: string } | undefined {
  if (!isHeaderName(path.at(-1)!)) {
    const next = 'Write a name of letters, digits and hyphens, without blanks.';
    return { what: 'is not the name of a header', next };
  }
  if (isFramingHeader(path.at(-1)!)) {
    return {
      what: 'is set by the connection itself',
      next: 'Remove it, or give the server another address in base_url.',
    };
  }
  if (typeof value !== 'string' || isHeaderValue(value)) return undefined;
  return { what: wrongCharacter, next: `Write it again by hand: ${likelyCharacter}` };
}
