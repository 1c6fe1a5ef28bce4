const poolBytes = 256;
let pool: Uint8Array = new Uint8Array(0);

/** Random bytes from the system's file where there is one: Node's crypto would cost every start milliseconds. */
export function randomBytes(count: number): Uint8Array {
  if (pool.length < count) pool = loadPool();
  const taken = pool.subarray(0, count);
  pool = pool.subarray(count);
  return Uint8Array.from(taken);
}

function loadPool(): Uint8Array {
  const bytes = Buffer.alloc(poolBytes);
  try {
    const { closeSync, openSync, readSync } = process.getBuiltinModule('node:fs');
    const file = openSync('/dev/urandom', 'r');
    const filled = readSync(file, bytes, 0, poolBytes, null);
    closeSync(file);
    if (filled === poolBytes) return bytes;
  } catch {
    // Windows has no such file, and a container may hide it.
  }
  return crypto.getRandomValues(bytes);
}
