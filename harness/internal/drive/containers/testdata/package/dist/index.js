// Stands for an OpenChrome with other options than the one at hand. Its one
// tool says how it was started.
if (process.argv.includes('--help')) {
  console.log('  -p, --port <port>  port\n  --all-tools  all\n  --no-auto-elect  none\n  --launch-mode <mode>  auto, attach or isolated')
  process.exit()
}
const answer = (id, result) => console.log(JSON.stringify({jsonrpc: '2.0', id, result}))
require('readline').createInterface({input: process.stdin}).on('line', (line) => {
  const {id, method} = JSON.parse(line)
  if (id === undefined) return
  if (method === 'initialize') answer(id, {protocolVersion: '2025-06-18', capabilities: {tools: {}}, serverInfo: {name: 'fake', version: '99'}})
  else if (method === 'tools/list') answer(id, {tools: [{name: 'started', inputSchema: {type: 'object'}}]})
  else answer(id, {content: [{type: 'text', text: process.argv.slice(2).join(' ') + ' in ' + process.cwd()}]})
}).on('close', () => process.exit(0))
