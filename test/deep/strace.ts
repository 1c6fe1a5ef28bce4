/** A call that matters to durability, as strace saw it. */
export interface TracedCall {
  readonly kind: 'stdout' | 'rollout' | 'sync';
  readonly text: string;
  readonly onRollout: boolean;
}

/**
 * Reads the output of `strace -f -y`. Calls count when they return: a write that strace shows in two halves counts at its
 * second half, so that nothing seems done earlier than it was. Standard output is taken at its beginning, for the same reason.
 */
export function readTrace(trace: string): readonly TracedCall[] {
  const begun = new Map<string, string>();
  const calls: TracedCall[] = [];
  for (const line of trace.split('\n')) {
    const [, process = '', rest = ''] = /^(\d+)\s+(.*)$/s.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>/.test(rest);
    const whole = resumed ? (begun.get(process) ?? '') + rest : rest;
    const unfinished = rest.endsWith('<unfinished ...>');
    if (unfinished) begun.set(process, rest);
    const call = readCall(whole);
    if (call === undefined) continue;
    // Seen on standard output when it begins; durable when the sync has returned.
    if (call.kind === 'stdout' ? !resumed : !unfinished) calls.push(call);
  }
  return calls;
}

function readCall(text: string): TracedCall | undefined {
  const [, name, descriptor, path = ''] = /^(\w+)\((\d+)<([^>]*)>/.exec(text) ?? [];
  if (name === undefined) return undefined;
  const onRollout = path.includes('/rollout-');
  if (name === 'fsync' || name === 'fdatasync') return { kind: 'sync', text: '', onRollout };
  const written = [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, quoted]) => unquote(quoted!)).join('');
  if (onRollout) return { kind: 'rollout', text: written, onRollout };
  return descriptor === '1' && written.includes('"type":"') ? { kind: 'stdout', text: written, onRollout } : undefined;
}

/** C escapes, as strace prints them. Bytes are kept one to a character: only ASCII is compared. */
function unquote(text: string): string {
  const names: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', v: '\v', f: '\f', '"': '"', '\\': '\\' };
  return text.replace(/\\(?:([0-7]{1,3})|(.))/gs, (_, octal: string | undefined, name: string) =>
    octal === undefined ? (names[name] ?? name) : String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
