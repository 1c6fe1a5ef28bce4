/** Suffixes that do not change the model: a date, a tag for the newest one, a file format. */
const suffixes = /(?:[-@](?:latest|\d{4}-\d{2}-\d{2}|\d{4,8})|:latest|\.gguf)$/;

/** Removes what servers put around the name of the same model. */
function plainName(name: string): string {
  const last = name.toLowerCase().split('/').at(-1) ?? '';
  const shorter = last.replace(suffixes, '');
  return shorter === last ? last : plainName(shorter);
}

export const isServedAs = (asked: string, served: string): boolean => plainName(asked) === plainName(served);
