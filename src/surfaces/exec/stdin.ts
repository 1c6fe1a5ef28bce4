/** Everything on standard input; nothing when a person sits there. A byte-order mark is dropped. */
export async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY) return '';
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return new TextDecoder('utf-8').decode(Buffer.concat(chunks));
}
