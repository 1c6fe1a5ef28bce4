import { isJsonObject, type Json, type JsonObject, stringAt } from '../../protocol/json.ts';

/** A server of a `.mcp.json` as config.toml has it. Undefined for what is none. */
export function importedServer(given: JsonObject): JsonObject | undefined {
  const [command, url] = [stringAt(given, 'command'), stringAt(given, 'url')];
  if ((command === undefined) === (url === undefined)) return undefined;
  if (url !== undefined) {
    const headers = textsIn(given['headers']);
    return { url, ...(Object.keys(headers).length === 0 ? {} : { http_headers: headers }) };
  }
  const { args } = given;
  const words = Array.isArray(args) && args.every((word: Json) => typeof word === 'string') ? args : [];
  // `${NAME}` stands for a variable of the user's: it is passed on and not copied.
  const env = Object.entries(textsIn(given['env']));
  const passed = env.filter(([name, value]) => value === `\${${name}}`).map(([name]) => name);
  const fixed = Object.fromEntries(env.filter(([name]) => !passed.includes(name)));
  return {
    command: command ?? '',
    ...(words.length === 0 ? {} : { args: words }),
    ...(Object.keys(fixed).length === 0 ? {} : { env: fixed }),
    ...(passed.length === 0 ? {} : { env_vars: passed }),
  };
}

function textsIn(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
  );
}
