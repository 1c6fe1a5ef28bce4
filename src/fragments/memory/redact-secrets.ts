const hidden = '[secret]';

/** Shapes of secrets. Each takes time in proportion to the text. */
const shapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
  /\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|hf|npm|xox[a-z])[-_][\w-]{8,200}/g,
  /\bA(?:KIA|SIA)[A-Z0-9]{12,40}/g,
  /\bAIza[\w-]{30,60}/g,
  /\beyJ[\w-]{10,4000}\.[\w-]{4,4000}(?:\.[\w-]{0,4000})?/g,
  /(?<=\b(?:bearer|basic)\s)[\w+/=.~-]{8,4000}/gi,
  /(?<=:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}(?=@)/g,
];

/** A name that says secret, and what is assigned to it. */
const assigned =
  /((?:api[_-]?key|secret|token|passw(?:or)?d|credential|private[_-]?key)[\w-]{0,40}["']?\s{0,4}(?:=|:)\s{0,4}["']?)([^\s"',;)}\]]{6,4000})/gi;

/**
 * The text without what looks like a secret, and without those that are known. What is assigned is kept where it is
 * plainly code: a call, a member, a variable.
 */
export function redactSecrets(text: string, known: readonly string[] = []): string {
  const without = known.reduce((left, secret) => (secret.length < 8 ? left : left.replaceAll(secret, hidden)), text);
  const shaped = shapes.reduce((left, shape) => left.replace(shape, hidden), without);
  return shaped.replace(assigned, (whole, name: string, value: string) => (isCode(value) ? whole : `${name}${hidden}`));
}

function isCode(value: string): boolean {
  return value.startsWith('[') || /^[$<{(]/.test(value) || /^[A-Za-z_][\w]{0,60}(?:\.|\()/.test(value);
}
