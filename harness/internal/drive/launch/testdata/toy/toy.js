// An MCP server for TestFourthServer, TestPlanted and TestKilled. It opens pages over Chromium's HTTP
// endpoint.
const browser = process.argv[process.argv.indexOf("--browser") + 1];
if (process.argv.includes("--help")) {
  console.log("toy --browser <address>");
  process.exit();
}
let calls = 0;
let tab;
const text = (t) => ({ content: [{ type: "text", text: t }] });
const methods = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "toy", version: "1.0.0" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools: ["open", "close", "title", "count", "die", "vanish", "hang"].map((name) => ({ name, inputSchema: { type: "object" } })) }),
  "tools/call": async ({ name, arguments: args }) => {
    calls++;
    if (name === "count") return text(`calls ${calls}, home ${process.env.TOY_HOME}`);
    if (name === "title") return text(await fetch(`${browser}/json/list`).then((list) => list.text(), String));
    if (name === "hang") return new Promise(() => {});
    if (name === "vanish") process.exit(3);
    if (name === "die") setImmediate(() => process.exit(3)); // once the answer is written
    if (name === "die") return text("done");
    if (name === "close") return text(await (await fetch(`${browser}/json/close/${tab}`)).text());
    const opened = await (await fetch(`${browser}/json/new?${encodeURI(args.address)}`, { method: "PUT" })).json();
    tab = opened.id;
    await fetch(`${browser}/json/list`); // the observer has seen the tab by now
    return text(`opened ${opened.url}`);
  },
};
require("readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result: await methods[method](params) }));
});
