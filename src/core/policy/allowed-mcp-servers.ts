/** The MCP servers that the administrator of the machine allows. */
export interface RequiredServers {
  /** By name. A server with another name is not allowed. */
  readonly allowed: Readonly<Record<string, ServerIdentity>>;
  /** The file, with the line as far as it is known. */
  readonly source: string;
}

/** What a server of a name must be. */
export type ServerIdentity =
  /** `args` absent: any arguments. */
  | { readonly kind: 'program'; readonly command: string; readonly args?: readonly TextMatcher[] }
  | { readonly kind: 'address'; readonly url: TextMatcher };

/** Holds for the whole text: a regular expression that matches a part of it does not count. */
export type TextMatcher =
  | { readonly match: 'exact' | 'prefix'; readonly value: string }
  | { readonly match: 'regex'; readonly expression: string };

type ServerPlace =
  | { readonly kind: 'program'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'address'; readonly url: string };

/** A longer text is not tried against an expression, which could take for ever. */
const mostCharacters = 4096;

export function allowsServer({ allowed }: RequiredServers, name: string, server: ServerPlace): boolean {
  const identity = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
  if (identity === undefined) return false;
  if (identity.kind === 'address') return server.kind === 'address' && fits(identity.url, server.url);
  const { command, args } = identity;
  if (server.kind !== 'program' || server.command !== command) return false;
  return (
    args === undefined ||
    (args.length === server.args.length && args.every((matcher, at) => fits(matcher, server.args[at] ?? '')))
  );
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

/** Throws where it is no regular expression. */
export function wholePattern(expression: string): RegExp {
  // Alone first: a bracket that closes the group below would free the rest of its ends.
  return new RegExp(`^(?:${new RegExp(expression, 'u').source})$`, 'u');
}
