import { valueOr } from '../../base/objects.ts';
import { equalJson, isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';

/**
 * The only list of what is secret: by name of a variable or header, by configuration key, by shape, and by value. Every
 * surface shows a secret as this mark, which reveals neither its length nor its beginning.
 */
export const hiddenMark = '<hidden>';
/** Parts of names that mean a secret everywhere. Each place adds its own, which are common words elsewhere. */
const secretWords = 'secret|token|passw(?:or)?d?|credential';
/** A personal access token as a separate word: not in `path` or `patch`. */
const accessToken = '(?<![a-z])pat(?![a-z])';
const secretVariable = new RegExp(`key|${secretWords}|${accessToken}`, 'i');
const secretHeader = new RegExp(`${secretVariable.source}|auth|cookie|session|bearer`, 'i');
const secretKey = new RegExp(`(?:^|_)(?:api_key|pat|${secretWords})$`, 'i');
/** A name in a text, and the value assigned to it. */
const assigned = new RegExp(
  String.raw`((?:(?:api|access|private)[_-]?key|authorization|${secretWords})[\w-]{0,40}["']?\s{0,4}[=:]\s{0,4}["']?(?:(?:bearer|basic|digest|token)\s)?)([^\s"',;)}\]]{6,4000})`,
  'gi',
);
/** A header in a text, with all its pairs. */
const cookies =
  /(cookie["']?\s{0,4}:\s{0,4}["']?)([\w.-]{1,100}=[^\s"',;]{1,4000}(?:;\s?[\w.-]{1,100}(?:=[^\s"',;]{1,4000})?){0,100})/gi;

/** By its name alone. Commands do not inherit such a variable. */
export const isSecretVariable = (name: string): boolean => secretVariable.test(name);
/** For headers, parameters and lines of files. Variables with one of the other words mostly name sockets and desktops. */
export const mayNameSecret = (text: string): boolean => secretHeader.test(text);
const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Keys that look like names: long, with digits among lower-case letters, or without a long name's underscores. */
const keyPattern = /^(?:(?=.*[a-z])(?=(?:.*\d){4}).{20,}|(?=.*\d)[A-Za-z0-9]{24,})$/;
/** True if a text can name an environment variable, and is not a key written in its place. */
export const isVariableName = (text: string): boolean => namePattern.test(text) && !keyPattern.test(text);
/** Keys that name a variable, and tables of such names. Other values there are keys written in place of a name. */
const namingKey = /^(?:env_key|env_http_headers|\w+_env_var)$/;
/** Server tables in which any value may be a key. */
const secretTables = new Set(['env', 'http_headers', 'headers']);
/** Keys that Capstan knows: any value, or a table of such keys. `*`: the user chooses the names. */
type KnownKeys = { readonly [key: string]: 'any' | KnownKeys };
const anyOf = (names: string): KnownKeys => Object.fromEntries(names.split(' ').map((name) => [name, 'any']));

/** Keys of an MCP server. Under other names, a value may be a key for the server. */
export const mcpServerConfigKeys: KnownKeys = {
  ...anyOf('command args env env_vars cwd sandbox url bearer_token_env_var bearer_token http_headers env_http_headers'),
  ...anyOf('scopes oauth_resource enabled required startup_timeout_sec startup_timeout_ms tool_timeout_sec'),
  ...anyOf('supports_parallel_tool_calls omit_tools_from default_tools_approval_mode enabled_tools disabled_tools'),
  oauth: anyOf('client_id client_secret_env_var callback_port'),
  tools: { '*': anyOf('approval_mode approved_digest') },
};

/** Tables with names chosen by the user: judged by name and shape. */
const openTables = new Set(['query_params', 'set']);

/** Keys and tokens of well-known services, anywhere. Each takes linear time. */
const tokenShapes: readonly string[] = [
  '-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?',
  String.raw`\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|hf|npm|xox[a-z])[-_][\w-]{8,200}`,
  String.raw`\bA(?:KIA|SIA)[A-Z0-9]{12,40}`,
  String.raw`\bAIza[\w-]{30,60}`,
];

const isSecretShaped = (value: string): boolean =>
  secretStart.test(value) || /^(?:bearer|basic|token)\s+\S{12,}$/i.test(value);
const secretStart = new RegExp(String.raw`^(?:${tokenShapes.join('|')}|eyJ[\w-]{10,}\.)`);
/** A header's credentials, or a long text without a word in it. Elsewhere such a text is prose, an id or a hash. */
const openShape = /^(?:bearer|basic|token)\s+\S+$|^(?=.*\d)(?=.*[A-Za-z])[\w+/=.~-]{20,}$/i;

export function filesWithSecrets(
  layers: readonly { readonly source: string; readonly values: JsonObject; readonly text?: string }[],
): readonly string[] {
  return layers
    .filter(({ values, text }) => text !== undefined && !equalJson(hideSecrets(values), values))
    .map(({ source }) => source);
}

export const hideSecrets = (values: JsonObject): JsonObject => hideTable(values, { isSecret: false, isOpen: false });
type Where = { readonly isSecret: boolean; readonly isOpen: boolean };

function mapMembers(values: JsonObject, change: (member: Json, key: string) => Json): JsonObject {
  const members = Object.entries(values);
  return Object.fromEntries(members.map(([key, member]) => [key, member === undefined ? member : change(member, key)]));
}

function hideTable(values: JsonObject, { isSecret, isOpen }: Where): JsonObject {
  return mapMembers(values, (value, key) => {
    if (isSecret) return hideWhole(value);
    if (key === 'mcp_servers') return hideValue(hideUnknown(value, { '*': mcpServerConfigKeys }), { isSecret, isOpen });
    if (namingKey.test(key)) return hideUnlessName(value);
    if (key === 'otel' && isJsonObject(value)) return hideCollectors(value);
    const isNamed = secretKey.test(key) || secretTables.has(key) || (isOpen && mayNameSecret(key));
    const isOpenTable = openTables.has(key);
    const where = { isSecret: isNamed || (isOpenTable && !isJsonObject(value)), isOpen: isOpen || isOpenTable };
    return hideValue(value, where);
  });
}

/** Hides values of unknown keys, and anything in place of a table. */
function hideUnknown(value: Json, known: KnownKeys): Json {
  if (!isJsonObject(value)) return hideWhole(value);
  return mapMembers(value, (member, key) => {
    const inside = Object.hasOwn(known, key) ? known[key] : known['*'];
    if (inside === 'any') return member;
    return inside === undefined ? hideWhole(member) : hideUnknown(member, inside);
  });
}

const hideWhole = (value: Json): Json => hideValue(value, { isSecret: true, isOpen: false });

function hideValue(value: Json, at: Where): Json {
  if (Array.isArray(value)) return value.map((member: Json, place) => hideMember(member, value[place - 1], at));
  if (isJsonObject(value)) return hideTable(value, at);
  if (at.isSecret) return hiddenMark;
  if (typeof value !== 'string') return value;
  return isSecretShaped(value) || (at.isOpen && openShape.test(value)) ? hiddenMark : hideUrlSecrets(value);
}

/** In a command: `--token=x`, `--token x`, `Authorization: x`, any header, and a script among its arguments. */
function hideMember(member: Json, before: Json | undefined, at: Where): Json {
  if (typeof member !== 'string' || at.isSecret) return hideValue(member, at);
  const [, option = '', header = ''] = /^(-H=?|--headers?=)(.+)$/s.exec(member) ?? [];
  const isHeader = typeof before === 'string' && /^(?:-H|--headers?)$/.test(before);
  const withoutHeader = isHeader ? hideHeader(member, before) : `${option}${hideHeader(header, option)}`;
  if ((isHeader || option !== '') && withoutHeader !== member) return withoutHeader;
  const [, name = '', value = ''] = /^(-{1,2}[\w-]+=|\w+=|[\w-]+:\s*)(\S.*)$/s.exec(member) ?? [];
  if (value !== '' && !value.startsWith('//') && mayNameSecret(name)) return `${name}${hiddenMark}`;
  const isGiven = typeof before === 'string' && /^-{1,2}[\w-]+$/.test(before) && mayNameSecret(before);
  if (isGiven && !member.startsWith('-')) return hiddenMark;
  if (typeof before === 'string' && /^(?:-[uU]|--(?:proxy-)?user)$/.test(before)) return hidePassword(member);
  const shown = hideValue(member, at);
  return typeof shown === 'string' && shown === member ? hideInScript(member) : shown;
}

/** `Name: value`. With `-H`, a word without a value or with a port is a host name. */
function hideHeader(header: string, option: string): string {
  const [, name, quote = '', value = ''] = /^((["']?)[\w-]+:\s*)(\S.*)$/s.exec(header) ?? [];
  const isShort = option.startsWith('-H');
  if (name === undefined) return isShort ? header : hiddenMark;
  const isHost = isShort && (value.startsWith('//') || (!/\s$/.test(name) && /^\d{1,5}$/.test(value)));
  return isHost ? header : `${name}${hiddenMark}${quote}`;
}

/** `user:password`, but not numeric user and group ids. */
function hidePassword(login: string): string {
  const colon = login.indexOf(':');
  return colon < 0 || /^\d+:\d+$/.test(login) ? login : `${login.slice(0, colon + 1)}${hiddenMark}`;
}

/** Linear time: a name is looked for only where a word begins. */
function hideInScript(text: string): string {
  return redactSecrets(text)
    .replace(
      /(?<![\w-])([\w-]+)(=|:\s?)(?!\/\/)("[^"]*"|'[^']*'|["']?[^\s;&|"']+)/g,
      (all, name: string, sign: string) => (mayNameSecret(name) ? `${name}${sign}${hiddenMark}` : all),
    )
    .replace(
      /(?<=(?:^|\s)(-H[\s=]?|--headers?[\s=]))("[^"]*"|'[^']*'|[^\s"']+)/g,
      (_all, option: string, header: string) => hideHeader(header, option),
    )
    .replace(/(?<=(?:^|\s)(--?[\w-]+)\s)("[^"]*"|'[^']*'|["']?[^\s;&|"'-][^\s;&|"']*)/g, (all, name: string) =>
      mayNameSecret(name) ? hiddenMark : all,
    )
    .replace(/(?<=(?:^|\s)(?:-[uU]|--(?:proxy-)?user)[\s=]?["']?)[^\s"':=]{1,100}:[^\s"']+/g, (login) =>
      hidePassword(login),
    );
}

function hideUnlessName(value: Json): Json {
  if (!isJsonObject(value)) {
    const isPlain = typeof value === 'boolean' || (typeof value === 'string' && isVariableName(value));
    return isPlain ? value : hiddenMark;
  }
  return mapMembers(value, (member) => member && hideUnlessName(member));
}

/** Collectors also accept keys anywhere in their addresses. */
function hideCollectors(values: JsonObject): JsonObject {
  return mapMembers(hideTable(values, { isSecret: false, isOpen: false }), (value, key) => {
    if (isJsonObject(value)) return hideCollectors(value);
    return key === 'endpoint' && typeof value === 'string' ? value.replace(/\?.*/s, `?${hiddenMark}`) : value;
  });
}

/** A word, a number or a path: hidden in texts and addresses only if its name means a secret. */
const harmless = /^(?:[A-Za-z]+|[\d.,]+|~?\/[\w./+-]*|[a-z]+\/[a-z*+.-]+)$/;
/** An interface version. */
const date = /^\d{4}-\d\d-\d\d(?:-preview)?$/;

/** Hides an address's user part, and its parameters and fragment unless harmless. Other texts stay unchanged. */
export function hideUrlSecrets(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return text
    .replace(/(?<=^[^/]*:\/\/)[^/?#]*@/, `${hiddenMark}@`)
    .replace(/(?<=[?&])([^=&#?]*)=([^&#]+)/g, (all, name: string, value: string) =>
      mayNameSecret(name) || /sig/i.test(name) || !(harmless.test(value) || date.test(value))
        ? `${name}=${hiddenMark}`
        : all,
    )
    .replace(/#(.+)$/s, (all, fragment: string) => (harmless.test(fragment) ? all : `#${hiddenMark}`));
}

/** An address for a message: user part, whole query and fragment are always hidden. */
export function urlForMessage(address: string): string {
  const end = address.search(/[?#]/);
  const [place, hidden] = end < 0 ? [address, ''] : [address.slice(0, end), `${address[end]}${hiddenMark}`];
  const parts = place.split('/');
  const at = parts.findIndex((part) => part.includes('@'));
  const user = parts[at];
  if (user !== undefined) parts[at] = `${hiddenMark}${user.slice(user.lastIndexOf('@'))}`;
  return `${parts.join('/')}${hidden}`;
}

/** An address for records, without credentials. A bare ssh user name is no secret and stays. */
export function withoutUrlCredentials(url: string): string {
  const parts = /^(?<scheme>[A-Za-z][A-Za-z0-9+.:-]*):\/\/(?<authority>[^/?#]*)(?<rest>.*)$/s.exec(url)?.groups;
  const { scheme, authority, rest } = parts ?? {};
  // Without a scheme it is a path or `user@host:path`, which cannot contain a password.
  if (scheme === undefined || authority === undefined || rest === undefined) return url;
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (/ssh$/i.test(scheme)) {
    const user = authority.slice(0, Math.max(at, 0)).split(':', 1)[0] ?? '';
    return `${scheme}://${user === '' ? '' : `${user}@`}${host}${rest}`;
  }
  return `${scheme}://${host}${rest.replace(/[?#].*$/s, '')}`;
}

/** User, password and the values in query and fragment of an address, both encoded and decoded. */
export function addressSecrets(address: string): readonly string[] {
  if (!URL.canParse(address)) return [];
  const { username, password, search, searchParams, hash } = new URL(address);
  const written = [search, hash].flatMap((part) => part.slice(1).split('&'));
  const given = [username, password, ...written.map((pair) => pair.slice(pair.indexOf('=') + 1))];
  return [...given, ...given.map(decoded), ...searchParams.values()];
}

function decoded(text: string): string {
  return valueOr(text, () => decodeURIComponent(text));
}

/** Values of headers or variables that must not be repeated, both with and without a scheme such as `Bearer`. */
export function secretsAmong(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    mayNameSecret(name) || !harmless.test(value.trim()) ? [value, value.trim().replace(/^\S+\s+/, '')] : [],
  );
}

/** A configuration's secrets: those that `hideSecrets` removes and that must not be repeated. */
export const configuredSecrets = (values: JsonObject): readonly string[] => hiddenIn(values, hideSecrets(values), '');

function hiddenIn(value: Json | undefined, shown: Json | undefined, name: string): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((member: Json, at) => hiddenIn(member, Array.isArray(shown) ? shown[at] : shown, name));
  if (isJsonObject(value)) {
    const shownAt = (key: string): Json | undefined => (isJsonObject(shown) ? shown[key] : shown);
    return Object.entries(value).flatMap(([key, member]) => hiddenIn(member, shownAt(key), key));
  }
  if (typeof value !== 'string' || typeof shown !== 'string' || shown === value) return [];
  if (shown === hiddenMark) return secretsAmong({ [name]: value });
  const [before = '', after, ...more] = shown.split(hiddenMark);
  const isOnePart = after !== undefined && more.length === 0;
  return isOnePart ? [value.slice(before.length, value.length - after.length)] : addressSecrets(value);
}

/** A shorter text may be part of any word. */
const fewestCharacters = 6;

/** In every form in which a server may repeat them, longest first so that none hides part of another. */
export function repeatedSecretForms(secrets: readonly string[]): readonly string[] {
  const forms = secrets
    .filter((secret) => secret.length >= fewestCharacters)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams([['', secret]]).toString().slice(1),
      JSON.stringify(secret).slice(1, -1),
    ]);
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length);
}

export const hideValues = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((left, secret) => hideBeginning(left.replaceAll(secret, hiddenMark), secret), text);

/** Fewer characters could be any text. */
const shortestBeginning = 4;

/** A server's text may be cut before secrets are looked for: the beginning of one may be at the cut. */
function hideBeginning(text: string, secret: string): string {
  const cut = text.indexOf('…');
  if (cut === -1) return text;
  for (let length = secret.length - 1; length >= shortestBeginning; length--) {
    if (text.endsWith(secret.slice(0, length), cut))
      return `${text.slice(0, cut - length)}${hiddenMark}${text.slice(cut)}`;
  }
  return text;
}

const shapesInText: readonly RegExp[] = [
  ...tokenShapes.map((shape) => new RegExp(shape, 'g')),
  /(?<=\b(?:bearer|basic)\s)[\w+/=.~-]{8,4000}/gi,
  /(?<=:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}(?=@)/g,
];

/** Hides JSON tokens part by part: a pattern would restart at every possible start in a long text without a dot. */
function hideJsonTokens(text: string): string {
  return text.replace(/[\w.-]+/g, (run) => {
    if (!run.includes('eyJ') || !run.includes('.')) return run;
    const parts = run.split('.');
    const shown: string[] = [];
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at]!;
      const start = (parts[at + 1]?.length ?? 0) >= 4 ? part.search(/\beyJ/) : -1;
      const isToken = start >= 0 && part.length - start >= 13;
      shown.push(isToken ? `${part.slice(0, start)}${hiddenMark}` : part);
      // The claims, and the signature.
      if (isToken) at += 2;
    }
    return shown.join('.');
  });
}

/** A conversation's text without apparent and known secrets. Assigned values that are plainly code are kept. */
export function redactSecrets(text: string, known: readonly string[] = []): string {
  const unknown = hideJsonTokens(hideValues(text, repeatedSecretForms(known)));
  const shaped = shapesInText.reduce((left, shape) => left.replace(shape, hiddenMark), unknown);
  const headers = shaped.replace(cookies, (_whole, name: string) => `${name}${hiddenMark}`);
  return headers.replace(assigned, (whole, name: string, value: string) =>
    isCode(value) ? whole : `${name}${hiddenMark}`,
  );
}

const isCode = (value: string): boolean =>
  value.startsWith('[') || /^[$<{(]/.test(value) || /^[A-Za-z_][\w]{0,60}(?:\.|\()/.test(value);
