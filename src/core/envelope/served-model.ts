/** What stands behind a name and makes it no other model: a date, a tag for the newest one, the form of its file. */
const suffixes = /(?:[-@](?:latest|\d{4}-\d{2}-\d{2}|\d{4,8})|:latest|\.gguf)$/;

/** Without what servers put before and behind the name of one and the same model. */
function plainName(name: string): string {
  const last = name.toLowerCase().split('/').at(-1) ?? '';
  const shorter = last.replace(suffixes, '');
  return shorter === last ? last : plainName(shorter);
}

/** Whether a server may call the model so that was asked for. */
export function isServedAs(asked: string, served: string): boolean {
  return plainName(asked) === plainName(served);
}
