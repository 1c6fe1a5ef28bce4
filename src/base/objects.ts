export const notPlain: unique symbol = Symbol('not plain');
/** Deeper data is refused; it may be cyclic. */
const mostDepth = 100;

/**
 * Copies plain data: texts, numbers, booleans, null, lists, and objects without a class. Each member is read once. A
 * class, a map or an inherited member could hold a restriction that a reader would not see: then all is `notPlain`.
 */
export function plainCopy<Given>(given: Given): Given | typeof notPlain {
  try {
    return copy(given, 0) as Given | typeof notPlain;
  } catch {
    // A getter threw.
    return notPlain;
  }
}

function copy(value: unknown, depth: number): unknown {
  if (value === null || value === undefined) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || depth > mostDepth) return notPlain;
  const isList = Array.isArray(value);
  if (!isList && !hasNoClass(value)) return notPlain;
  const members = Object.entries(value).map(([key, member]) => [key, copy(member, depth + 1)] as const);
  if (members.some(([, member]) => member === notPlain)) return notPlain;
  return isList ? members.map(([, member]) => member) : Object.fromEntries(members);
}

export function hasNoClass(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || isRootPrototype(prototype);
}

/** `Object.prototype`, also that of another realm. */
export const isRootPrototype = (value: object): boolean =>
  Object.getPrototypeOf(value) === null && Object.hasOwn(value, 'hasOwnProperty');

export type Defined<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>;
};

/** Omits undefined fields: `{ id, ...defined({ name }) }` has no `name` where that is undefined. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const kept: Partial<Fields> = {};
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  return kept as unknown as Defined<Fields>;
}

/** As `defined`; undefined if no field is left. */
export function someDefined<Fields extends object>(fields: Fields): Defined<Fields> | undefined {
  const kept = defined(fields);
  return Object.keys(kept).length === 0 ? undefined : kept;
}

/** The fields if none of them is undefined. */
export function ifAllDefined<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } | undefined {
  for (const key in fields) if (fields[key] === undefined) return undefined;
  return fields as { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };
}

/** Caches the answer per object; objects must never change. */
export function cachePerObject<Key extends object, Value>(find: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined || known.has(key)) return found as Value;
    const value = find(key);
    known.set(key, value);
    return value;
  };
}

/** The value, or the other one if reading it throws. */
export function valueOr<Value, Other>(other: Other, read: () => Value): Value | Other {
  try {
    return read();
  } catch {
    return other;
  }
}
