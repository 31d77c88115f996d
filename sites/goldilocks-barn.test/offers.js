// The offers are drawn 1.9 seconds after they are asked for.
const offers = document.getElementById("offers");
document.getElementById("show").addEventListener("click", async () => {
  offers.innerHTML = "<p>Loading</p>";
  const list = await (await fetch("/offers.json")).json();
  setTimeout(() => {
    offers.innerHTML = list.map(o => `<p>${o.thing}, ${o.price} EUR <button type="button" data-id="${o.id}">Accept ${o.thing}</button></p>`).join("");
  }, 1900);
});
offers.addEventListener("click", async event => {
  if (!event.target.dataset.id) return;
  const answer = await fetch("/accept", {method: "POST", body: new URLSearchParams({offer: event.target.dataset.id})});
  location = answer.url;
});
