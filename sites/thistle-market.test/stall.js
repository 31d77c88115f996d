// Each stall is a custom element with a shadow root, open or closed.
customElements.define("market-stall", class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({mode: this.dataset.kind});
    root.innerHTML = "<style>button { margin: 4px; padding: 8px 16px; }</style><p></p>";
    for (const [name, code] of [[this.dataset.other, this.dataset.wrong], [this.dataset.name, this.dataset.code]].sort((a, b) => a[1] - b[1])) {
      const button = document.createElement("button");
      button.textContent = "Add " + name;
      button.addEventListener("click", async () => {
        await fetch("/bag", {method: "POST", body: new URLSearchParams({code})});
        root.querySelector("p").textContent = name + " is in the bag.";
      });
      root.append(button);
    }
  }
});
