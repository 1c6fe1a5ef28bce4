import { appendFileSync } from 'node:fs';
import { it } from 'vitest';
import { PlanesScene } from './planes-scene.ts';
import { firstPlanes } from './random-planes.ts';
import { answer, callTool, say, startScriptedModel } from '../../src/testing/index.ts';
import { words } from '../../src/index.ts';
it('x', async () => {
  let n = 0;
  const model = await startScriptedModel(() => answer({ items: [n++ === 0 ? callTool('mcp__a__look', { what: 'x' }) : n === 2 ? callTool('call_tool', { name: 'mcp__b__fetch', arguments: {} }) : say('ok')] }));
  const scene = new PlanesScene(model.url, firstPlanes);
  const mark = (x: string) => appendFileSync('/tmp/p2.txt', `${Math.round(performance.now() - t)} ${x}\n`);
  const t = performance.now();
  await scene.start();
  mark('started');
  for (let i = 0; i < 3; i++) {
  const thread = await scene.open();
  mark('opened');
  await thread.run({ input: words('go'), signal: new AbortController().signal });
  mark('ran');
  }
  mark(JSON.stringify([...scene.servers.listed, scene.servers.called]));
  mark(JSON.stringify(scene.events.filter((e) => e.kind === 'warning')));
  mark(JSON.stringify((model.requests.at(-1)!.body['input'] as any).map((i: any) => i.output ?? i.content?.map((c: any) => c.text.slice(0, 60)) ?? i.name)));
  mark(JSON.stringify((model.requests.at(-1)!.body['tools'] as any).map((i: any) => i.name)));
  await scene.close();
  mark('closed');
  await scene.open();
  mark('reopened');
  await scene.end();
  mark('end');
  await model.close();
}, 60000);
