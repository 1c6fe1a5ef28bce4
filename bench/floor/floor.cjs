// The least that a round trip can cost in Node: post bytes that are ready, read the answer, run the command, add what
// it brought, again. No state, no file, no policy. CommonJS, because loading it is part of what is measured.
const { spawn } = require('node:child_process');
const { openSync, closeSync, readFileSync } = require('node:fs');
const { Agent, request } = require('node:http');

const { url, firstBody, argv, cwd, env, files = [] } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const body = readFileSync(firstBody);
const end = body.lastIndexOf('],"stream"');
const [head, tail] = [body.subarray(0, end), body.subarray(end)];
const agent = new Agent({ keepAlive: true, noDelay: true });
const added = [];

// As much as a call and its output add to a request.
const item =
  ',{"type":"function_call","id":"fc_1","name":"exec_command","arguments":"{\\"cmd\\":\\"true\\"}","call_id":"call_1"}' +
  ',{"type":"function_call_output","id":"fco_019b8d00-0000-7000-8000-000000000000","call_id":"call_1","output":' +
  '"Wall time: 0.0050 seconds\\nProcess exited with code 0\\nOriginal token count: 0\\nOutput:\\n"}';

post();

function post() {
  const pieces = [head, ...added, tail];
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const headers = { 'content-type': 'application/json', 'content-length': length };
  const message = request(`${url}/responses`, { method: 'POST', agent, headers }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk) => (text += chunk));
    response.on('end', () => {
      if (text.includes('"function_call"')) run();
      else process.exit(0);
    });
  });
  message.cork();
  for (const piece of pieces) message.write(piece);
  message.uncork();
  message.end();
}

function run() {
  const descriptors = files.map((file) => openSync(file, 'r'));
  const stdio = ['ignore', 'pipe', 'pipe', ...descriptors];
  const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio, detached: true });
  for (const descriptor of descriptors) closeSync(descriptor);
  child.stdout.resume();
  child.stderr.on('data', (bytes) => process.stderr.write(bytes));
  child.on('close', (code) => {
    if (code !== 0) process.exit(1);
    added.push(Buffer.from(item));
    post();
  });
}
