// An MCP server with two tools, for TestFourthServer. It opens pages over Chromium's HTTP
// endpoint.
const browser = process.argv[process.argv.indexOf("--browser") + 1];
if (process.argv.includes("--help")) {
  console.log("toy --browser <address>");
  process.exit();
}
let calls = 0;
const text = (t) => ({ content: [{ type: "text", text: t }] });
const methods = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "toy", version: "1.0.0" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [{ name: "open", inputSchema: { type: "object" } }, { name: "count", inputSchema: { type: "object" } }] }),
  "tools/call": async ({ name, arguments: args }) => {
    calls++;
    if (name === "count") return text(`calls ${calls}, home ${process.env.TOY_HOME}`);
    const answer = await fetch(`${browser}/json/new?${encodeURI(args.address)}`, { method: "PUT" });
    return text(`opened ${(await answer.json()).url}`);
  },
};
require("readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result: await methods[method](params) }));
});
