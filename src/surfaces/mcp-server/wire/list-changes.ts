import type { Server } from '@modelcontextprotocol/server';
import type { ServerApp } from '../offer/server-app.ts';

/** Tells a connected client which lists have changed, until the function that it gives is called. */
export function announceLists(app: ServerApp, connected: () => Server | undefined): () => void {
  const stop = app.watchLists?.((list) => {
    const server = connected();
    if (server?.transport === undefined) return;
    const sent = {
      tools: server.sendToolListChanged,
      resources: server.sendResourceListChanged,
      prompts: server.sendPromptListChanged,
    };
    void sent[list].call(server).catch(() => {});
  });
  return stop ?? (() => {});
}
