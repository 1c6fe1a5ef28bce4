import type { Item } from '../../../protocol/item.ts';
import { arrayAt, isJsonObject, type JsonObject, stringAt } from '../../../protocol/json.ts';
import { commandText } from '../cells/command-text.ts';

/** Arguments by which people know a call. */
const tellingArguments = ['path', 'query', 'url', 'session_id'] as const;

/** A call in a few words: its command, its file, or the tool with what it was given. */
export function callWords(call: Item): string {
  const script = scriptOf(call);
  if (script !== undefined) return script;
  const [name, given] = [stringAt(call, 'name') ?? call.type, argumentsOf(call)];
  const told = tellingArguments.map((key) => given?.[key]).find((value) => value !== undefined && value !== '');
  return told === undefined ? name : `${name} ${typeof told === 'string' ? told : JSON.stringify(told)}`;
}

/** The command that a call runs. Undefined: it runs none. */
export function scriptOf(call: Item): string | undefined {
  const given = argumentsOf(call);
  if (given === undefined) return undefined;
  const argv = arrayAt(given, 'command')?.filter((word) => typeof word === 'string');
  if (argv !== undefined && argv.length > 0) return commandText(argv);
  return stringAt(given, 'cmd') ?? stringAt(given, 'command');
}

function argumentsOf(call: Item): JsonObject | undefined {
  const text = stringAt(call, 'arguments');
  if (text === undefined) return undefined;
  try {
    const given: unknown = JSON.parse(text);
    return isJsonObject(given) ? given : undefined;
  } catch {
    // What a model writes need not be JSON: then its words are not known.
    return undefined;
  }
}
