/**
 * The address of a page of the web that a server sends the user to, as a browser shows it. Undefined for other schemes, and
 * for an address with a user name, which seems to lead to another host than it does.
 */
export function elicitedPage(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, username, password, href } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? href : undefined;
}
