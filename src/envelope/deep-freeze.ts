/** Freezes a value and everything in it. A part that is frozen already is taken to be so all the way down. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) if (typeof member === 'object') deepFreeze(member);
  return value;
}
