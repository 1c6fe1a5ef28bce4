const path = /^[\u0021-\u00FF]+$/;
const name = /^[!#$%&'*+.^_`|~\w-]+$/;
const value = /^[\t\u0020-\u007E\u0080-\u00FF]*$/;

/** The head of a request as it goes over the wire. A header that would become two is a fault of the caller. */
export function requestHead(method: string, target: string, headers: Readonly<Record<string, string>>): string {
  if (!path.test(target)) throw new TypeError('The path of a request has a character that no path may have.');
  const lines = Object.entries(headers).map(([each, given]) => {
    // The value may be a secret.
    if (!name.test(each) || !value.test(given))
      throw new TypeError(`The header ${JSON.stringify(each)} has a character that no header may have.`);
    return `${each}: ${given}\r\n`;
  });
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
