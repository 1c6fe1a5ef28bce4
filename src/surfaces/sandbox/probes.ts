import type { SandboxMeans } from '../engine/command-sandbox.ts';

/** What the policy of the laboratory promises about an attempt: that it works, or that it fails. */
interface Probe {
  /** In a table. */
  readonly what: string;
  readonly promise: 'works' | 'fails';
  /** Only a bubblewrap that is recent enough can keep it. */
  readonly needs?: 'closed-namespaces';
  /** Landlock cannot keep it, and the user agreed to that. */
  readonly lostWith?: 'landlock';
}

export const probes = {
  'write-inside': { what: 'Write in the workspace', promise: 'works' },
  'write-outside': { what: 'Write outside of it', promise: 'fails' },
  'change-outside': { what: 'Change modes outside', promise: 'fails' },
  'link-outside': { what: 'Write outside through a link', promise: 'fails' },
  'make-protected': { what: 'Create a missing .git', promise: 'fails', lostWith: 'landlock' },
  'change-protected': { what: 'Change .codex', promise: 'fails', lostWith: 'landlock' },
  'move-protected': { what: 'Move .codex away', promise: 'fails', lostWith: 'landlock' },
  'read-denied': { what: 'Read a denied file', promise: 'fails' },
  'list-denied': { what: 'List a denied folder', promise: 'fails' },
  tcp: { what: 'Connect to a TCP port', promise: 'fails' },
  udp: { what: 'Send to a UDP port', promise: 'fails' },
  'unix-socket': { what: 'Connect to a unix socket', promise: 'fails' },
  'abstract-socket': { what: 'Connect to an abstract socket', promise: 'fails' },
  'signal-parent': { what: 'Signal Capstan', promise: 'fails' },
  'see-parent': { what: 'See the program of Capstan', promise: 'fails' },
  'parent-environment': { what: 'Read the variables of Capstan', promise: 'fails' },
  'parent-descriptors': { what: 'List the open files of Capstan', promise: 'fails', lostWith: 'landlock' },
  'first-root': { what: 'Write through /proc/1/root', promise: 'fails' },
  'own-root': { what: 'Write through /proc/self/root', promise: 'fails' },
  'kernel-settings': { what: 'Open a kernel setting for writing', promise: 'fails' },
  'control-groups': { what: 'Create a control group', promise: 'fails' },
  'user-namespace': { what: 'Create a user namespace', promise: 'fails', needs: 'closed-namespaces' },
  mount: { what: 'Mount a file system', promise: 'fails' },
  ptrace: { what: 'Trace a process', promise: 'fails' },
  privileges: { what: 'Keep or gain privileges', promise: 'fails' },
  leftovers: { what: 'Leave files behind', promise: 'fails' },
} as const satisfies Readonly<Record<string, Probe>>;

export type ProbeName = keyof typeof probes;

export interface Finding {
  readonly name: ProbeName;
  readonly what: string;
  /** `lost`: it does not hold, as the user agreed. `unknown`: the attempt could not be made. */
  readonly state: 'holds' | 'broken' | 'lost' | 'unknown';
  readonly detail: string;
}

/** Whether what was promised held. An attempt that is missing was never made: nothing is known. */
export function judge(
  means: Pick<SandboxMeans, 'kind' | 'closesUserNamespaces'>,
  attempts: readonly {
    readonly name: ProbeName;
    readonly end: 'succeeded' | 'failed' | 'skipped';
    readonly detail: string;
  }[],
): readonly Finding[] {
  return (Object.entries(probes) as [ProbeName, Probe][]).map(([name, { what, promise, needs, lostWith }]) => {
    const attempt = attempts.find((each) => each.name === name);
    if (needs !== undefined && means.closesUserNamespaces !== true && attempt?.end === 'succeeded') {
      return { name, what, state: 'unknown', detail: 'works: not forbidden here' };
    }
    if (lostWith === means.kind && attempt?.end === 'succeeded') {
      return { name, what, state: 'lost', detail: 'works: Landlock cannot protect it' };
    }
    const end = attempt?.end ?? 'skipped';
    const state = end === 'skipped' ? 'unknown' : (end === 'succeeded') === (promise === 'works') ? 'holds' : 'broken';
    const said = attempt?.detail ?? 'not tried';
    const verb = end === 'succeeded' ? 'works' : end === 'failed' ? 'refused' : 'not checked';
    return { name, what, state, detail: said === '' ? verb : `${verb}: ${said}` };
  });
}
