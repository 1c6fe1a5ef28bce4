import type { NetworkLists } from '../protocol/network-lists.ts';

const mostNamed = 8;

/** What a grant of the network opens, in a sentence for the user who is asked. */
export function openedNetwork(lists: NetworkLists | undefined): string {
  if (lists === undefined) return 'All hosts could be reached, including this machine and private networks.';
  const { deny, ask = [], local, methods } = lists;
  const named = bounded(deny, 'more that are denied');
  const hosts = `All hosts ${named.length === 0 ? '' : `except ${named.join(', ')} `}could be reached`;
  const places = local
    ? ', including this machine and private networks'
    : ', but not this machine and private networks';
  const all = `${hosts}${places}${methods === 'any' ? '' : ', with requests that only read'}.`;
  return ask.length === 0 ? all : `${all} Rules still ask before ${bounded(ask, 'more hosts').join(', ')}.`;
}

function bounded(hosts: readonly string[], others: string): readonly string[] {
  const left = hosts.length - mostNamed;
  return [...hosts.slice(0, mostNamed), ...(left > 0 ? [`${left} ${others}`] : [])];
}
