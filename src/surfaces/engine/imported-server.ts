import { isJsonObject, type Json, type JsonObject, stringAt } from '../../protocol/json.ts';

/**
 * A server of a `.mcp.json` as config.toml has it. `${NAME}` stands for a variable of the user's: it is named and not
 * copied. A sentence where it cannot be had so.
 */
export function importedServer(given: JsonObject): JsonObject | string {
  const [command, url] = [stringAt(given, 'command'), stringAt(given, 'url')];
  if ((command === undefined) === (url === undefined)) return 'It must have either a command or a url.';
  if (given['type'] === 'sse') return 'It uses the old transport sse, which Capstan does not have.';
  const table = url === undefined ? programTable(command ?? '', given) : addressTable(url, given);
  const [key] = Object.entries(table).find(([, value]) => JSON.stringify(value).includes('${')) ?? [];
  return key === undefined
    ? table
    : `Its ${key} names a variable as \${NAME}, which config.toml cannot: write the value.`;
}

function addressTable(url: string, given: JsonObject): JsonObject {
  const headers = Object.entries(textsIn(given['headers']));
  const token = headers.flatMap(([name, value]) =>
    /^authorization$/i.test(name) ? (/^Bearer \$\{(\w+)\}$/i.exec(value)?.slice(1) ?? []) : [],
  )[0];
  const named = headers.flatMap(([name, value]) => {
    const variable = /^\$\{(\w+)\}$/.exec(value)?.[1];
    return variable === undefined ? [] : [[name, variable] as const];
  });
  const isFixed = ([name]: readonly [string, string]): boolean =>
    !named.some(([other]) => other === name) && (token === undefined || !/^authorization$/i.test(name));
  return {
    url,
    ...(token === undefined ? {} : { bearer_token_env_var: token }),
    ...unlessEmpty('http_headers', Object.fromEntries(headers.filter(isFixed))),
    ...unlessEmpty('env_http_headers', Object.fromEntries(named)),
  };
}

function programTable(command: string, given: JsonObject): JsonObject {
  const { args } = given;
  const words = Array.isArray(args) && args.every((word: Json) => typeof word === 'string') ? args : [];
  const env = Object.entries(textsIn(given['env']));
  const passed = env.filter(([name, value]) => value === `\${${name}}`).map(([name]) => name);
  return {
    command,
    ...(words.length === 0 ? {} : { args: words }),
    ...unlessEmpty('env', Object.fromEntries(env.filter(([name]) => !passed.includes(name)))),
    ...(passed.length === 0 ? {} : { env_vars: passed }),
  };
}

function unlessEmpty(key: string, table: JsonObject): JsonObject {
  return Object.keys(table).length === 0 ? {} : { [key]: table };
}

function textsIn(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
  );
}
