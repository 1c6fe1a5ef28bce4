/** The function, which is asked once for each object and remembers the answer: for objects that are never changed. */
export function oncePerObject<Key extends object, Value>(find: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined || known.has(key)) return found as Value;
    const value = find(key);
    known.set(key, value);
    return value;
  };
}
