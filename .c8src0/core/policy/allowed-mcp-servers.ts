export interface AllowedServers {
  /** By name. Servers with other names are not allowed. */
  readonly allowed: Readonly<Record<string, ServerIdentity>>;
  /** The file, with the line if known. */
  readonly source: string;
}

export type ServerIdentity =
  /** `args` absent: any arguments. */
  | { readonly kind: 'program'; readonly command: string; readonly args?: readonly TextMatcher[] }
  | { readonly kind: 'address'; readonly url: TextMatcher };

/** Must match the whole text: a regular expression that matches only a part does not count. */
export type TextMatcher =
  | { readonly match: 'exact' | 'prefix'; readonly value: string }
  | { readonly match: 'regex'; readonly expression: string };

type ServerPlace =
  | { readonly kind: 'program'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'address'; readonly url: string };

/** Longer texts are not matched, because an expression could run forever. */
const mostCharacters = 4096;

export function allowsServer({ allowed }: AllowedServers, name: string, server: ServerPlace): boolean {
  const identity = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
  if (identity === undefined) return false;
  if (identity.kind === 'address') return server.kind === 'address' && fits(identity.url, server.url);
  const { command, args } = identity;
  if (server.kind !== 'program' || server.command !== command) return false;
  if (args === undefined) return true;
  return args.length === server.args.length && args.every((matcher, at) => fits(matcher, server.args[at] ?? ''));
}

function fits(matcher: TextMatcher, text: string): boolean {
  switch (matcher.match) {
    case 'exact':
      return text === matcher.value;
    case 'prefix':
      return text.startsWith(matcher.value);
    case 'regex':
      return text.length <= mostCharacters && wholePattern(matcher.expression).test(text);
  }
}

/** Throws if it is not a regular expression. */
export function wholePattern(expression: string): RegExp {
  // Compile it alone first: a bracket that closes the group below would escape its anchors.
  return new RegExp(`^(?:${new RegExp(expression, 'u').source})$`, 'u');
}
