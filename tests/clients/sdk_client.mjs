// The official TypeScript SDKs read a shelf: sdk_client.mjs ERA URL SECTION QUERY; a line on stdin reads once more.
import { createInterface } from 'node:readline/promises';

const [era, url, section, query] = process.argv.slice(2);

async function makeClient() {
  const info = { name: 'docshelf-test', version: '1' };
  if (era === 'v1') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    return [new Client(info), new StreamableHTTPClientTransport(new URL(url))];
  }
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const options = era === 'v2-modern' ? { versionNegotiation: { mode: 'auto' } } : {};
  return [new Client(info, options), new StreamableHTTPClientTransport(new URL(url))];
}

async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(JSON.stringify(result));
  return result.content[0].text;
}

const [client, transport] = await makeClient();
await client.connect(transport);
const told = {
  version: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion,
  instructions: client.getInstructions(),
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  list: await call(client, 'list', {}),
  fetch: await call(client, 'fetch', { path: section }),
  search: await call(client, 'search', { query }),
  resource: (await client.readResource({ uri: 'shelf:///index.md' })).contents[0].text,
  prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
};
console.log(JSON.stringify(told));
const lines = createInterface({ input: process.stdin });
await new Promise((resolve) => lines.once('line', resolve));
console.log(JSON.stringify({ fetch: await call(client, 'fetch', { path: section }) }));
lines.close();
await client.close();
