import { isJsonObject, type Json, type JsonObject, stringAt } from '../../protocol/json.ts';

/**
 * A server of a `.mcp.json` as config.toml has it. `${NAME}` stands for a variable of the user's: it is named and not
 * copied. Undefined for what is no server, or names variables where config.toml cannot.
 */
export function importedServer(given: JsonObject): JsonObject | undefined {
  const [command, url] = [stringAt(given, 'command'), stringAt(given, 'url')];
  if ((command === undefined) === (url === undefined)) return undefined;
  const table = url === undefined ? programTable(command ?? '', given) : addressTable(url, given);
  return JSON.stringify(table).includes('${') ? undefined : table;
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
