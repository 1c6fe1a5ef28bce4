import type { InputWriter } from '../../protocol/input-writer.ts';
import { isMessage, type Item } from '../../protocol/item.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { agentHeading, didItself, freeformArguments, nameWithSpace, readableArguments } from '../http/plainer-forms.ts';
import { engineInBorders } from '../speakers/borders.ts';
import type { ContentPart, MessageContent } from '../speakers/message-content.ts';
import { always, type InUsersTurn, ofOther, writtenWords } from '../speakers/users-turn.ts';
import type { ChatDialect } from './dialect.ts';
import { contentInUsersTurn, contentOf, readParts, refusalAsText, textAndMedia } from './content.ts';

/** A message of a request. */
export interface ChatMessage extends JsonObject {
  readonly role: string;
}

/** A call of the model, as an assistant message holds it. */
export interface ChatCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What an item becomes. What the model made in one go is joined into one assistant message (`messages.ts`). */
export type Projected =
  /** A message of its own. */
  | { readonly kind: 'message'; readonly message: ChatMessage }
  /** A message of the user's role: the user's words, or an agent's. */
  | { readonly kind: 'users-turn'; readonly words: InUsersTurn }
  /** Words of the engine: part of the one `system` message if only such words come before, else of the user's turn. */
  | { readonly kind: 'developer'; readonly first: MessageContent; readonly later: InUsersTurn }
  /** Text of an assistant message. */
  | { readonly kind: 'said'; readonly text: string }
  /** What the model thought before it spoke. */
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'call'; readonly call: ChatCall }
  /** An answer to a call. Its media follow all answers of the step in a user message. */
  | {
      readonly kind: 'output';
      readonly callId: string | undefined;
      readonly text: string;
      readonly media: readonly ContentPart[];
    }
  /** Nothing of it is sent. It stays in history. */
  | { readonly kind: 'left-out' }
  /** The same, and what the model made before it and after it was not made in one go. */
  | { readonly kind: 'gap' };

type Rule = (item: Item, dialect: ChatDialect, writer: InputWriter | undefined) => Projected;

/** Every rule by the type of its item. docs/providers.md has the same rows. */
const rules: Readonly<Record<string, Rule>> = {
  message: (item, { developer, revision, roles }, writer) => {
    if (!isMessage(item)) return gap;
    if (item.role === 'assistant') {
      return said(textAndMedia(revision === 2 ? item.content : item.content.map(refusalAsText), roles).text);
    }
    if (item.role !== 'developer' && item.role !== 'system') return usersRole(contentOf(item.content), roles, writer);
    if (revision === 2 || (developer === 'developer' && roles === 'any-order'))
      return asMessage(developer, item.content);
    const first = contentOf(item.content);
    if (first === '') return gap;
    if (roles === 'alternating')
      return { kind: 'developer', first, later: always(engineInBorders(readParts(item.content))) };
    return { kind: 'developer', first, later: always(contentInUsersTurn(item.content)) };
  },
  agent_message: (item, { roles }) => {
    const content = contentOf([agentHeading(item), ...(arrayAt(item, 'content') ?? [])]);
    return content === '' ? gap : { kind: 'users-turn', words: ofOtherSpeaker('agent_message', content, roles) };
  },
  reasoning: (item, { thoughts, roles }) => {
    const text = thoughts === 'returned' ? textAndMedia(arrayAt(item, 'content') ?? [], roles).text : '';
    return text === '' ? leftOut : { kind: 'thought', text };
  },
  function_call: (item, dialect) =>
    called(item, nameOf(item, dialect), readableArguments(stringAt(item, 'arguments') ?? '')),
  custom_tool_call: (item, dialect) =>
    called(item, nameOf(item, dialect), freeformArguments(stringAt(item, 'input') ?? '')),
  local_shell_call: (item) => called(item, 'local_shell', JSON.stringify(objectAt(item, 'action') ?? {})),
  tool_search_call: (item) => called(item, 'tool_search', JSON.stringify(item['arguments'] ?? {})),
  function_call_output: (item, dialect) => outputOf(item, item['output'], dialect),
  custom_tool_call_output: (item, dialect) => outputOf(item, item['output'], dialect),
  tool_search_output: (item, dialect) => outputOf(item, JSON.stringify(item['tools'] ?? []), dialect),
  web_search_call: (item) => said(didItself(item) ?? ''),
  image_generation_call: (item) => said(didItself(item) ?? ''),
};

const leftOut: Projected = { kind: 'left-out' };
const gap: Projected = { kind: 'gap' };

/** What an item becomes in a request of this dialect. Types without a rule are for other formats alone. */
export function projectItem(item: Item, dialect: ChatDialect, writer?: InputWriter): Projected {
  return Object.hasOwn(rules, item.type) ? rules[item.type]!(item, dialect, writer) : gap;
}

/** The types that have a rule. */
export const projectedTypes: readonly string[] = Object.keys(rules);

/** Stands in for the answer that a call has nowhere. */
export const noOutput = 'No output of this call was recorded: whether it had an effect is not known.';

/** Above the media of the answers before it. */
export const mediaHeading = '[What the tools returned beside text, in order:]';

function asMessage(role: string, parts: readonly Json[]): Projected {
  const content = contentOf(parts);
  return content === '' ? gap : { kind: 'message', message: { role, content } };
}

/** A message of the user's role. Servers that take any order keep speakers apart by messages. */
function usersRole(content: MessageContent, roles: ChatDialect['roles'], writer: InputWriter | undefined): Projected {
  if (content === '') return gap;
  const words = roles === 'any-order' ? always(content) : writtenWords(content, writer);
  return { kind: 'users-turn', words };
}

/** What an agent or a tool said. Where every message has one speaker, its heading says enough. */
export function ofOtherSpeaker(
  border: 'agent_message' | 'tool_output',
  content: MessageContent,
  roles: ChatDialect['roles'],
): InUsersTurn {
  return roles === 'any-order' ? always(content) : ofOther(border, content);
}

function said(text: string): Projected {
  return text === '' ? leftOut : { kind: 'said', text };
}

function nameOf(item: Item, { revision }: ChatDialect): string | undefined {
  return revision === 2 ? stringAt(item, 'name') : nameWithSpace(item);
}

/** A call without a name of its own takes that of its item. */
function called(item: Item, name = 'unknown', given = '{}'): Projected {
  const id = stringAt(item, 'call_id') ?? stringAt(item, 'id') ?? 'call';
  return { kind: 'call', call: { id, name, arguments: given } };
}

function outputOf(item: Item, output: Json | undefined, { roles }: ChatDialect): Projected {
  const parts = Array.isArray(output) ? (output as readonly Json[]).filter(isJsonObject) : undefined;
  const plain = typeof output === 'string' ? output : '';
  const { text, media } = parts === undefined ? { text: plain, media: [] } : textAndMedia(parts, roles);
  return { kind: 'output', callId: stringAt(item, 'call_id'), text, media };
}
