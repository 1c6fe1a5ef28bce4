import { RulesFault } from './rules-fault.ts';

/** The host of a rule: in small letters, without a port, a last dot or brackets. Faults on what is no single host. */
export function ruleHost(written: string): string {
  const text = written.trim();
  const wrong = (what: string, next = 'Write a name such as example.com, or an address.'): RulesFault =>
    new RulesFault(`The host ${JSON.stringify(written)} ${what}.`, next);
  if (/[/?#]/.test(text)) throw wrong('has more than a name');
  const host = withoutDots(text.startsWith('[') ? withoutBrackets(text) : withoutPort(text))?.toLowerCase();
  if (host === undefined) throw wrong('has brackets that do not match');
  if (host === '') throw wrong('is empty');
  if (host.includes('*')) throw wrong('has a wildcard', 'Write one rule for each host.');
  if (/\s/.test(host)) throw wrong('has a space in it');
  return host;
}

/** Undefined if they are not closed, or something else than a port follows. */
function withoutBrackets(text: string): string | undefined {
  return /^\[([^\]]*)\](?::[0-9]+)?$/.exec(text)?.[1];
}

/** At the end. A pattern would look at each dot of a long row again and again. */
function withoutDots(host: string | undefined): string | undefined {
  let end = host?.length ?? 0;
  while (host?.[end - 1] === '.') end--;
  return host?.slice(0, end);
}

/** An address with several colons has no port. */
function withoutPort(text: string): string {
  const [host = '', port, more] = text.split(':');
  return port !== undefined && more === undefined && /^[0-9]+$/.test(port) ? host : text;
}
