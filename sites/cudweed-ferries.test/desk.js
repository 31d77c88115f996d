// The desk: it answers the page's requests below /desk/, and asks the server itself.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", event => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", event => {
  const path = new URL(event.request.url).pathname;
  if (path === "/desk/sailings") event.respondWith(fetch("/sailings.json"));
  if (path === "/desk/berth") event.respondWith(berth(event.request));
});
async function berth(request) {
  const asked = new URLSearchParams(await request.text());
  const answer = await fetch("/take", {method: "POST", body: new URLSearchParams({berth: asked.get("sailing") || "", by: "desk"})});
  return new Response(answer.url);
}
