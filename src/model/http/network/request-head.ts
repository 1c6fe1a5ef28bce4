import { isHeaderName, isHeaderValue } from '../../../protocol/header-text.ts';

const path = /^[\u0021-\u00FF]+$/;

type Headers = Readonly<Record<string, string>>;

/** Why no head can be made of these, as a sentence without anything secret. Undefined: one can. */
export function unsendable(target: string, headers: Headers): string | undefined {
  if (!path.test(target)) return 'The path of a request has a character that no path may have.';
  const wrong = Object.entries(headers).find(([each, given]) => !isHeaderName(each) || !isHeaderValue(given));
  return wrong && `The header ${JSON.stringify(wrong[0])} has a character that no header may have.`;
}

/** The head of a request as it goes over the wire. A header that would become two is a fault of the caller. */
export function requestHead(method: string, target: string, headers: Headers): string {
  const fault = unsendable(target, headers);
  if (fault !== undefined) throw new TypeError(fault);
  const lines = Object.entries(headers).map(([each, given]) => `${each}: ${given}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
