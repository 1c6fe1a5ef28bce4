interface Room {
  readonly level: number;
  /** The place in the order of its level; undefined where the level has none, or the room stands outside it. */
  readonly rank: number | undefined;
}

export interface Arrows {
  readonly rooms: ReadonlyMap<string, Room>;
  /** `from -> to`, between rooms of one level. */
  readonly allowed: ReadonlySet<string>;
  /** The highest level that a room may import from, where that is lower than its own level says. */
  readonly ceilings: ReadonlyMap<string, number>;
  readonly gates: readonly Gate[];
  /** Rooms that reach the world through ports alone, each with the room that it may not import. */
  readonly ported: ReadonlyMap<string, string>;
}

/** Within its room, only files of the folder import these rooms; the other files go through the folder. */
interface Gate {
  readonly room: string;
  readonly folder: string;
  readonly to: readonly string[];
}

/**
 * Reads the block ```` ```arrows ```` of ARCHITECTURE.md, the one place that says who may import whom:
 *
 *     L1: policy envelope telemetry          the rooms of a level; a level imports only levels below it
 *     order: policy < envelope               within a level: what stands right may import what stands left
 *     allow: L1 -> telemetry  (reason)       one arrow more between rooms of a level; a level means all its rooms
 *     only: disk -> L0  (reason)             a room that imports no level above the named one
 *     ported: tools -> disk  (reason)        a room that opens nothing itself: neither by that room nor by Node
 *     through: surfaces/engine -> thread model  (reason)
 *                                            of the room, only files of that folder import the rooms on the right
 */
export function parseArrows(document: string): Arrows {
  const block = /^```arrows\n([\s\S]*?)^```$/m.exec(document)?.[1];
  if (block === undefined) throw new Error('ARCHITECTURE.md has no ```arrows block');

  const levels = new Map<string, number>();
  const ranks = new Map<string, number>();
  const allowed: (readonly [from: string, to: string])[] = [];
  const ceilings = new Map<string, number>();
  const gates: Gate[] = [];
  const ported = new Map<string, string>();
  for (const line of block.split('\n').map((text) => text.trim())) {
    if (line === '') continue;
    const [, keyword = '', rest = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
    const level = /^L(\d)$/.exec(keyword)?.[1];
    const allow = /^(\w+) -> (\w+)\s+\(.+\)$/.exec(rest);
    const gate = /^((\w+)\/\w+) -> ([\w ]+?)\s+\(.+\)$/.exec(rest);
    if (level !== undefined) {
      for (const room of words(rest)) levels.set(room, Number(level));
    } else if (keyword === 'order') {
      for (const [rank, rooms] of rest.split('<').entries()) for (const room of words(rooms)) ranks.set(room, rank);
    } else if (keyword === 'only' && /^L\d$/.test(allow?.[2] ?? '')) {
      ceilings.set(allow?.[1] ?? '', Number(allow?.[2]?.slice(1)));
    } else if (keyword === 'ported' && allow !== null) {
      ported.set(allow[1] ?? '', allow[2] ?? '');
    } else if (keyword === 'through' && gate !== null) {
      gates.push({ folder: gate[1] ?? '', room: gate[2] ?? '', to: words(gate[3] ?? '') });
    } else if (keyword === 'allow' && allow !== null) {
      allowed.push([allow[1] ?? '', allow[2] ?? '']);
    } else {
      throw new Error(`ARCHITECTURE.md: not an arrows line: ${line}`);
    }
  }

  const rooms = new Map([...levels].map(([name, level]) => [name, { level, rank: ranks.get(name) }]));
  const named = [...allowed.flat(), ...[...ported].flat(), ...gates.flatMap(({ room, to }) => [room, ...to])];
  for (const name of [...ranks.keys(), ...ceilings.keys(), ...named.filter((side) => !/^L\d$/.test(side))]) {
    if (!rooms.has(name)) throw new Error(`ARCHITECTURE.md: ${name} stands in no level`);
  }
  const members = (side: string): readonly string[] =>
    /^L\d$/.test(side) ? [...levels].filter(([, level]) => `L${level}` === side).map(([name]) => name) : [side];
  const pairs = allowed.flatMap(([from, to]) =>
    members(from).flatMap((one) => members(to).map((other) => `${one} -> ${other}`)),
  );
  return { rooms, allowed: new Set(pairs), ceilings, gates, ported };
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
