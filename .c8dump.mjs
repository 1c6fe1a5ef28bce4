const dir=process.argv[2]; const { createMcpApp }=await import(`./${dir}/surfaces/servers/mcp/app.ts`);
const app=createMcpApp({stored:{}},{loaded:[]},{cwd:'/'});
console.log(JSON.stringify(app.tools.map(({call,...t})=>t),null,1)); console.log(JSON.stringify(app.resources.templates));
