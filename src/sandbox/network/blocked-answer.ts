import type { DeniedRequest, DenialReason } from '../../protocol/denied-request.ts';
import type { DeniedByRule } from '../../protocol/network-lists.ts';
import { sentence } from '../../protocol/outcome.ts';

/** A name that leads nowhere is no refusal. */
type RefusalReason = Exclude<DenialReason, 'unresolved'>;

/** The value of the header that tells programs who refused, as Codex's proxy has it. */
const headerValues: Readonly<Record<RefusalReason, string>> = {
  denied: 'blocked-by-denylist',
  not_allowed: 'blocked-by-allowlist',
  held_back: 'blocked-by-policy',
  not_asked: 'blocked-by-policy',
  declined: 'blocked-by-policy',
  not_allowed_local: 'blocked-by-allowlist',
  method_not_allowed: 'blocked-by-method-policy',
  mitm_required: 'blocked-by-mitm-required',
  policy_denied: 'blocked-by-policy',
};

const sentences: Readonly<Record<RefusalReason, string>> = {
  denied: 'A deny list of the permission profile, or a rule, covers this host or its address.',
  not_allowed:
    'This host is not on the allow list of the permission profile. The user can add it there, or allow it by a rule.',
  held_back: 'A rule asks the user before this host is reached, and the user cannot be asked.',
  not_asked: 'One command may ask the user about 20 hosts, and this one had. Another command may ask again.',
  declined: 'This host was asked about, and the answer was no.',
  not_allowed_local: 'This host is on this machine or in a private network.',
  method_not_allowed: 'The permission profile allows GET, HEAD and OPTIONS only.',
  mitm_required: 'The permission profile allows reading only, which cannot be checked inside an encrypted connection.',
  policy_denied: 'The permission profile does not allow this kind of connection.',
};

export interface ProxyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a program reads instead of the host's answer. */
export function blockedAnswer({ host, port, protocol, reason, rule }: DeniedRequest): ProxyAnswer {
  if (reason === 'unresolved') return failedAnswer(502, 'The name of this host cannot be resolved.');
  const message = rule === undefined ? sentences[reason] : sentence(ruleWords(rule));
  const isTunnel = protocol === 'https';
  const body = isTunnel
    ? `${message}\n`
    : JSON.stringify({
        status: 'blocked',
        host,
        reason: sharedReason(reason),
        decision: 'deny',
        source: sourceOf(reason),
        protocol,
        port,
        message,
      });
  return {
    status: 403,
    headers: { 'content-type': isTunnel ? 'text/plain' : 'application/json', 'x-proxy-error': headerValues[reason] },
    body,
  };
}

function ruleWords({ why }: DeniedByRule): string {
  return why === undefined ? 'A rule denies this host' : `A rule denies this host: ${why}`;
}

/** Codex's proxy has no words of its own for questions. */
function sharedReason(reason: RefusalReason): Exclude<RefusalReason, Questioned> {
  return isQuestioned(reason) ? 'policy_denied' : reason;
}

function sourceOf(reason: RefusalReason): 'mode_guard' | 'decider' | 'baseline_policy' {
  if (reason === 'method_not_allowed' || reason === 'mitm_required') return 'mode_guard';
  return isQuestioned(reason) ? 'decider' : 'baseline_policy';
}

type Questioned = 'held_back' | 'not_asked' | 'declined';

function isQuestioned(reason: RefusalReason): reason is Questioned {
  return reason === 'held_back' || reason === 'not_asked' || reason === 'declined';
}

/** For requests that no proxy understands, and hosts that do not answer. */
export function failedAnswer(status: 400 | 502, message: string): ProxyAnswer {
  return { status, headers: { 'content-type': 'text/plain' }, body: `${message}\n` };
}

const statusWords: Readonly<Record<number, string>> = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway' };

/** The answer as bytes, for connections that are no longer in the hands of the HTTP server. */
export function answerText({ status, headers, body }: ProxyAnswer): string {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const head = [
    `HTTP/1.1 ${status} ${statusWords[status] ?? ''}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
