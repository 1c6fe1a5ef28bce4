import type { NetworkLists } from '../protocol/network-lists.ts';

const mostNamed = 8;

/** What a grant of the network opens, in a sentence for the user who is asked. */
export function openedNetwork(lists: NetworkLists | undefined): string {
  if (lists === undefined) return 'All hosts could be reached, including this machine and private networks.';
  const { deny, local, methods } = lists;
  const left = deny.length - mostNamed;
  const named = [...deny.slice(0, mostNamed), ...(left > 0 ? [`${left} more that are denied`] : [])];
  const hosts = `All hosts ${named.length === 0 ? '' : `except ${named.join(', ')} `}could be reached`;
  const places = local
    ? ', including this machine and private networks'
    : ', but not this machine and private networks';
  return `${hosts}${places}${methods === 'any' ? '' : ', with requests that only read'}.`;
}
