import { isHeaderName, isHeaderValue } from '../../../protocol/header-text.ts';
import type { Unusable } from './proxy.ts';

/** The head of a request as it goes over the wire. Values come from configuration, from keys and from programs. */
export function requestHead(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): string | Unusable {
  const message = unsendable(path, headers);
  if (message !== undefined) {
    return { kind: 'unusable', message, next: 'Correct the value where it is set, then try again.' };
  }
  const lines = Object.entries(headers).map(([each, given]) => `${each}: ${given}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Why no head can be made of these, as a sentence without anything secret. */
function unsendable(path: string, headers: Readonly<Record<string, string>>): string | undefined {
  if (!/^[\u0021-\u00FF]+$/.test(path)) return 'The path of a request has a character that no path may have.';
  const wrong = Object.entries(headers).find(([each, given]) => !isHeaderName(each) || !isHeaderValue(given));
  return wrong && `The header ${JSON.stringify(wrong[0])} has a character that no header may have.`;
}
