import type { Item } from '../../protocol/item.ts';
import { isJsonObject, type Json, type JsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';

interface OpenCall {
  id: string;
  name: string;
  /** Joined at the end: they may be many. */
  readonly pieces: string[];
}

/** Puts the calls of one answer together from pieces that may come interleaved. */
export function callPieces() {
  const calls: OpenCall[] = [];
  /** By the number that the server gives: the newest call under it. */
  const byIndex = new Map<number, OpenCall>();

  function callFor(index: number | undefined, id: string, name: string): OpenCall {
    const known =
      index === undefined
        ? (calls.find((call) => id !== '' && call.id === id) ?? lastUnless(name))
        : byIndex.get(index);
    // There are servers that number every call 0, and others that name each piece anew: a new call has both.
    const isAnother = known !== undefined && id !== '' && known.id !== '' && known.id !== id && name !== '';
    if (known !== undefined && !isAnother) return known;
    const call: OpenCall = { id: '', name: '', pieces: [] };
    calls.push(call);
    if (index !== undefined) byIndex.set(index, call);
    return call;
  }

  /** Without number and id, a piece with a name begins a call, and one without goes on with the last. */
  function lastUnless(name: string): OpenCall | undefined {
    return name === '' ? calls.at(-1) : undefined;
  }

  function add(piece: JsonObject): void {
    const made = objectAt(piece, 'function') ?? {};
    const [id, name] = [stringAt(piece, 'id') ?? '', stringAt(made, 'name') ?? ''];
    const call = callFor(numberAt(piece, 'index'), id, name);
    if (call.id === '') call.id = id;
    // A name may come in pieces; some servers send all of it again with every piece of the arguments.
    if (name !== call.name && call.pieces.length === 0) call.name += name;
    const given = textOf(made['arguments']);
    if (given !== '') call.pieces.push(given);
  }

  return {
    /** The `tool_calls` of a delta. */
    take(pieces: readonly Json[]): void {
      for (const piece of pieces) if (isJsonObject(piece)) add(piece);
    },
    get count(): number {
      return calls.length;
    },
    /** The calls as items, in order; undefined if one has no name. Those without an id are numbered. */
    items(responseId: string): readonly Item[] | undefined {
      if (calls.some(({ name }) => name === '')) return undefined;
      return calls.map(({ id, name, pieces }, at) => ({
        type: 'function_call',
        name,
        arguments: pieces.length === 0 ? '{}' : pieces.join(''),
        call_id: id === '' ? `call_${responseId}_${at}` : id,
      }));
    },
  };
}

/** Arguments are a text; a few servers send the object that it stands for. */
function textOf(given: Json | undefined): string {
  if (typeof given === 'string') return given;
  return isJsonObject(given) ? JSON.stringify(given) : '';
}
